// FlattenBuffers: every access gets one row-major index into a buffer of one dimension.
//
//   B[i, j] of shape [4, 8]  -->  B[i*8 + j] of shape [32]
// Before vectorizing, so that a vector access is one ramp. Shown by
// tests/common/lower/flatten_buffers_test.cc.

#ifndef COMMON_LOWER_FLATTEN_BUFFERS_H_
#define COMMON_LOWER_FLATTEN_BUFFERS_H_

#include <vector>

#include "common/ir/module.h"

namespace alt::lower {

// Also rewrites the parameters.
ir::Function FlattenBuffers(const ir::Function& function);

}  // namespace alt::lower

#endif  // COMMON_LOWER_FLATTEN_BUFFERS_H_
