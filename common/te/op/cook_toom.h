// Short convolutions with few multiplications (Cook-Toom, Winograd).
#ifndef COMMON_TE_OP_COOK_TOOM_H_
#define COMMON_TE_OP_COOK_TOOM_H_

#include <cstdint>
#include <vector>

namespace alt::te {

// Dense, row-major.
struct Matrix {
  int64_t rows = 0, cols = 0;
  std::vector<double> values;

  double at(int64_t row, int64_t col) const { return values[row * cols + col]; }
  friend bool operator==(const Matrix&, const Matrix&) = default;
};

// F(m,r): m outputs of a filter of r taps, y[i] = sum over k of g[k] * d[i+k], by alpha = m+r-1
// multiplications:  y = at * ((g * taps) . (bt * d))  with . elementwise.
struct BilinearAlgorithm {
  Matrix bt;  // alpha x alpha, transforms the m+r-1 inputs
  Matrix g;   // alpha x r, transforms the filter
  Matrix at;  // m x alpha, transforms back
};

// More points would need larger constants than single precision bears.
inline constexpr int64_t kMaxAlpha = 8;

// 1 <= m, 1 <= r, m+r-1 <= kMaxAlpha (ALT_CHECK). By interpolation at 0, 1, -1, 2, -2, 1/2, -1/2
// and infinity, in exact rational arithmetic; divisions stand in g, which is applied ahead of time.
// With m or r of 1 the plain products are as few, so bt (and at for r = 1) is the identity.
BilinearAlgorithm CookToom(int64_t m, int64_t r);

}  // namespace alt::te

#endif  // COMMON_TE_OP_COOK_TOOM_H_
