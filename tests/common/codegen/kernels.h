// Modules written by hand, shaped as lowering shapes them: register tiles unrolled, vectors
// explicit. They mirror the hand-written kernels of bench/limit.
#ifndef TESTS_COMMON_CODEGEN_KERNELS_H_
#define TESTS_COMMON_CODEGEN_KERNELS_H_

#include <cstdint>

#include "common/ir/module.h"

namespace alt::testing {

// Accumulators: rows (pixels) x vectors (of channels).
struct Tile {
  int rows = 14;
  int vectors = 2;
  int lanes = 16;
  int unroll = 1;  // of the reduction
};

struct ConvShape {
  int64_t channels = 64;  // in and out
  int64_t size = 56;      // output rows and columns
  int64_t kernel = 3;
};

// x [size+2][size+2][c] padded, w [o/b][3][3][c][b], y [size][size][o]; b = vectors * lanes,
// columns a multiple of rows. Loops y | o/b | x/rows | r | s | c | tile.
ir::Module DirectConv(const ConvShape& shape, const Tile& tile,
                      ir::ForKind rows = ir::ForKind::kSerial);

// a [m][k], b [n/nb][k][nb] packed, c [m][n]. Loops n/nb | m/rows | k | tile.
ir::Module Gemm(int64_t m, int64_t n, int64_t k, const Tile& tile);

// x [size+2][size+2][c] padded, w [3][3][c], y [size][size][c]: 3x3, all nine taps unrolled over a
// tile of `rows` pixels in a row x 2 rows. With `filters_first` the nine filter vectors are loaded
// before the loop over pixels, else where they are used.
ir::Module Depthwise(int64_t channels, int64_t size, int pixels, int rows, int lanes);

// Groups as lanes: x [g/l][size+2][size+2][ic][l], w [g/l][3][3][ic][oc][l],
// y [g/l][size][size][oc][l]. Tile: `pixels` x oc accumulators.
ir::Module GroupVector(int64_t groups, int64_t per_group, int64_t size, int pixels, int lanes);

// Channels last with 4 channels a group: x [size+2][size+2][c], w [c/l][3 r][ic][3 s][l],
// y [size][size][c]; a vector is l/4 whole groups, inputs are read as (o/4)*4 + ic.
ir::Module GroupPermute(int64_t channels, int64_t size, int pixels, int lanes);

// y [columns][rows] = x [rows][columns], in square blocks of `lanes`.
ir::Module TransposedCopy(int64_t rows, int64_t columns, int lanes);

}  // namespace alt::testing

#endif  // TESTS_COMMON_CODEGEN_KERNELS_H_
