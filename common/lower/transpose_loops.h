// TransposeLoops: a pair of transposed loops of constant bounds becomes square blocks: vectors are
// read along one loop, transposed in registers, and stored along the other.
//
//   for c in [0, 4) transposed { for w in [0, 4) transposed { y[4*w + c] = x[100*c + w] } }
//     -->  allocate rows: f32x4[4] register {
//            rows[0] = x[ramp(0, 1, 4)]; rows[1] = x[ramp(100, 1, 4)]; ...
//            y[ramp(0, 1, 4)] = transpose(rows)[0]; y[ramp(4, 1, 4)] = transpose(rows)[1]; ...
//          }
// A block is as long as the largest power of two that both loops and the target's vectors hold. The
// last block along a loop begins earlier where they do not divide it, and stores some values again:
// a stage reads nothing that it stores. A loop whose partner has one iteration, or is gone because
// of that, is vectorized, as is that of the stores where values are the same along the other. A loop
// without constant bounds turns serial. Buffers must be flat. Shown by
// tests/common/lower/transpose_loops_test.cc.

#ifndef COMMON_LOWER_TRANSPOSE_LOOPS_H_
#define COMMON_LOWER_TRANSPOSE_LOOPS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "common/ir/module.h"

namespace alt::lower {

ir::Stmt TransposeLoops(const ir::Stmt& s, int target_lanes);

// FailedPrecondition when stores do not lie side by side along one loop of a pair, or reads along
// the other, and says which. Any buffers.
absl::Status CheckTransposes(const ir::Function& function);

// The side of the blocks for loops of so many iterations.
int64_t BlockSide(int64_t extent, int64_t other_extent, int target_lanes);

}  // namespace alt::lower

#endif  // COMMON_LOWER_TRANSPOSE_LOOPS_H_
