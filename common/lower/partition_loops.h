// PartitionLoops: cuts loops where a condition of their body changes, so that padding taps and
// remainders leave inner loops of constant bounds and no branch.
//
//   for w in [0, 58) { y[w] = select(1 <= w && w < 57, x[w - 1], 0) }
//     -->  y[0] = 0; for w in [1, 57) { y[w] = x[w - 1] }; y[57] = 0
//
// A condition is a comparison, or the choice of a min or max, that is linear in loop variables. It
// is decided at the innermost loop that it names when that loop is serial, by a cut that may be an
// expression in outer loops: for kh in [max(0, 1 - h), ...). Loops that will be unrolled or
// vectorized need constant bounds, so their conditions cut the loops around them at constants.
// Iterations of a parallel loop stay one loop: the cut becomes a branch inside it.
// Shown by tests/common/lower/partition_loops_test.cc.

#ifndef COMMON_LOWER_PARTITION_LOOPS_H_
#define COMMON_LOWER_PARTITION_LOOPS_H_

#include "common/ir/stmt.h"

namespace alt::lower {

// Expects and returns simplified statements. Conditions that would copy a body more than 64 times
// in all, or more of it than 200,000 nodes, stay where they are.
ir::Stmt PartitionLoops(const ir::Stmt& s);

}  // namespace alt::lower

#endif  // COMMON_LOWER_PARTITION_LOOPS_H_
