// ExpandedSize: how much the code generator will be given, told from loops before they are
// expanded. Compile time follows it.
//
// Counted are float operations, accesses to memory and the index arithmetic that is not linear, of
// every statement as often as it will stand in the program once vectorized loops are vectors and
// unrolled ones are copies. Linear index arithmetic costs nothing: it becomes the displacement of
// an access. A vector that is no run of neighbours in memory is put together lane by lane, each
// with an index of its own. Accesses to a buffer of the program's own that becomes no registers
// are compared with each other, so a long run of them costs its square.
//
// Of 50 matmuls, convolutions and depthwise ones, unrolled to sizes of 100 to 100,000, most take
// LLVM 19 about 6 us for each, from 3 to 10. Shown by tests/common/lower/expanded_size_test.cc.

#ifndef COMMON_LOWER_EXPANDED_SIZE_H_
#define COMMON_LOWER_EXPANDED_SIZE_H_

#include <cstdint>

#include "common/ir/stmt.h"

namespace alt::lower {

// At most so much, where the number of copies depends on loops around or where a copy turns out to
// be partly constant; the largest number where it would be larger.
int64_t ExpandedSize(const ir::Stmt& s, int target_lanes);

}  // namespace alt::lower

#endif  // COMMON_LOWER_EXPANDED_SIZE_H_
