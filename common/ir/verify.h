#ifndef COMMON_IR_VERIFY_H_
#define COMMON_IR_VERIFY_H_

#include "absl/status/status.h"
#include "common/ir/module.h"

namespace alt::ir {

// Every variable is defined by a loop around its use, every buffer is a parameter, a table or
// allocated around its use, index counts match shapes, and where BoundsOf can tell, no index leaves
// its buffer (accesses under a lazy Select or If are judged with the condition's narrowing).
// An error is a bug of the pass before: Internal, naming function, statement and reason.
absl::Status Verify(const Module& m);

}  // namespace alt::ir

#endif  // COMMON_IR_VERIFY_H_
