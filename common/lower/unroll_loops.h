// UnrollLoops: unrolled loops of a constant number of iterations become copies of their body, with
// the variable's value in place.
//
//   for w in [0, 2) unrolled { A[w] = 1 }  -->  A[0] = 1; A[1] = 1
// A loop whose bounds are not constant turns serial. Shown by
// tests/common/lower/unroll_loops_test.cc.

#ifndef COMMON_LOWER_UNROLL_LOOPS_H_
#define COMMON_LOWER_UNROLL_LOOPS_H_

#include "absl/status/statusor.h"
#include "common/ir/stmt.h"

namespace alt::lower {

// FailedPrecondition when the result would have more than max_stores stores: such a program
// compiles for seconds and never wins.
absl::StatusOr<ir::Stmt> UnrollLoops(const ir::Stmt& s, int64_t max_stores);

}  // namespace alt::lower

#endif  // COMMON_LOWER_UNROLL_LOOPS_H_
