#ifndef COMMON_IR_VERIFY_H_
#define COMMON_IR_VERIFY_H_

#include "absl/status/status.h"
#include "common/ir/module.h"

namespace alt::ir {

// Every variable is defined by a loop around its use, every buffer is a parameter, a table or
// allocated around its use, index counts match shapes, and no index leaves its buffer: where that
// cannot be proved, values of the variables are tried, and an error names those for which the
// access is reached and leaves its buffer. A right program is never refused; a wrong one may pass
// where such values are rare.
// An error is a bug of the pass before: Internal, naming function, statement and reason.
absl::Status Verify(const Module& m);

}  // namespace alt::ir

#endif  // COMMON_IR_VERIFY_H_
