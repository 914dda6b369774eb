// UnrollLoops: unrolled loops of a constant number of iterations become copies of their body, with
// the variable's value in place.
//
//   for w in [0, 2) unrolled { A[w] = 1 }  -->  A[0] = 1; A[1] = 1
// A loop whose bounds are not constant turns serial. Shown by
// tests/common/lower/unroll_loops_test.cc.

#ifndef COMMON_LOWER_UNROLL_LOOPS_H_
#define COMMON_LOWER_UNROLL_LOOPS_H_

#include "common/ir/stmt.h"

namespace alt::lower {

ir::Stmt UnrollLoops(const ir::Stmt& s);

}  // namespace alt::lower

#endif  // COMMON_LOWER_UNROLL_LOOPS_H_
