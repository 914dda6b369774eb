// VectorizeLoops: a vectorized loop of constant bounds becomes vector statements, as wide as the
// loop's lanes (or the target's) allow, then narrower powers of two for the rest.
//
//   for o in [0, 24) vectorized { y[o] = x[o] }
//     -->  y[ramp(0, 1, 16)] = x[ramp(0, 1, 16)]; y[ramp(16, 1, 8)] = x[ramp(16, 1, 8)]
// Buffers allocated inside get an element for each lane. A loop that control flow depends on, or
// whose bounds are not constant, turns serial. Buffers must be flat. Shown by
// tests/common/lower/vectorize_loops_test.cc.

#ifndef COMMON_LOWER_VECTORIZE_LOOPS_H_
#define COMMON_LOWER_VECTORIZE_LOOPS_H_

#include "common/ir/stmt.h"

namespace alt::lower {

ir::Stmt VectorizeLoops(const ir::Stmt& s, int target_lanes);

}  // namespace alt::lower

#endif  // COMMON_LOWER_VECTORIZE_LOOPS_H_
