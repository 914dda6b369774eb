#include "common/te/op/cook_toom.h"

#include <numeric>
#include <utility>

#include "common/base/check.h"

namespace alt::te {
namespace {

// A fraction in lowest terms with a positive denominator. Numbers here stay far below overflow.
struct Rational {
  int64_t num = 0;
  int64_t den = 1;

  double value() const { return static_cast<double>(num) / static_cast<double>(den); }
};

Rational Reduced(int64_t num, int64_t den) {
  const int64_t divisor = std::gcd(num, den) * (den < 0 ? -1 : 1);
  return {num / divisor, den / divisor};
}
Rational operator*(Rational a, Rational b) { return Reduced(a.num * b.num, a.den * b.den); }
Rational operator/(Rational a, Rational b) { return Reduced(a.num * b.den, a.den * b.num); }
Rational operator-(Rational a, Rational b) {
  return Reduced(a.num * b.den - b.num * a.den, a.den * b.den);
}

// Small and in pairs of opposite sign: small constants, and rows that share even and odd parts.
constexpr Rational kPoints[kMaxAlpha - 1] = {{0}, {1}, {-1}, {2}, {-2}, {1, 2}, {-1, 2}};

using Polynomial = std::vector<Rational>;  // coefficient of x^i at i

// p * (x - root)
Polynomial TimesLinear(const Polynomial& p, Rational root) {
  Polynomial product(p.size() + 1);
  for (size_t i = 0; i < p.size(); ++i) product[i + 1] = p[i];
  for (size_t i = 0; i < p.size(); ++i) product[i] = product[i] - p[i] * root;
  return product;
}

Rational Power(Rational base, int64_t exponent) {
  Rational power = {1};
  for (int64_t i = 0; i < exponent; ++i) power = power * base;
  return power;
}

Matrix Filled(int64_t rows, int64_t cols, double value) {
  return {rows, cols, std::vector<double>(rows * cols, value)};
}

Matrix Identity(int64_t size) {
  Matrix identity = Filled(size, size, 0);
  for (int64_t i = 0; i < size; ++i) identity.values[i * size + i] = 1;
  return identity;
}

// Row j < points holds the powers of point j over `divisors`, the last one those of infinity: only
// the highest counts.
Matrix Evaluation(int64_t points, int64_t degree, const std::vector<Rational>& divisors) {
  Matrix powers = Filled(points + 1, degree + 1, 0);
  for (int64_t j = 0; j < points; ++j) {
    for (int64_t i = 0; i <= degree; ++i) {
      powers.values[j * powers.cols + i] = (Power(kPoints[j], i) / divisors[j]).value();
    }
  }
  powers.values.back() = 1;
  return powers;
}

Matrix Transposed(const Matrix& matrix) {
  Matrix transposed = Filled(matrix.cols, matrix.rows, 0);
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j < matrix.cols; ++j) {
      transposed.values[j * matrix.rows + i] = matrix.at(i, j);
    }
  }
  return transposed;
}

}  // namespace

// The product of polynomials g (r coefficients) and y (m) is interpolated from its values at alpha
// points: s = V^-1 ((V_r g) . (V_m y)). The correlation wanted is the transpose of y -> s, so
// y = V_m^T ((V_r g) . (V^-T d)). Column j of V^-1 is Lagrange's polynomial of point j, a product
// of (x - p_k) over a number N_j; N_j moves into the filter's matrix.
BilinearAlgorithm CookToom(int64_t m, int64_t r) {
  const int64_t alpha = m + r - 1;
  ALT_CHECK(m >= 1 && r >= 1 && alpha <= kMaxAlpha) << "F(" << m << "," << r << ")";
  if (r == 1) return {Identity(m), Filled(m, 1, 1), Identity(m)};
  if (m == 1) return {Identity(r), Identity(r), Filled(1, r, 1)};

  const int64_t points = alpha - 1;  // and infinity
  Matrix bt = Filled(alpha, alpha, 0);
  std::vector<Rational> scales;  // N_j
  for (int64_t j = 0; j <= points; ++j) {
    Polynomial product = {{1}};
    Rational scale = {1};
    for (int64_t k = 0; k < points; ++k) {
      if (k == j) continue;
      product = TimesLinear(product, kPoints[k]);
      if (j < points) scale = scale * (kPoints[j] - kPoints[k]);
    }
    scales.push_back(scale);
    for (size_t i = 0; i < product.size(); ++i) bt.values[j * alpha + i] = product[i].value();
  }
  const std::vector<Rational> ones(points, Rational{1});
  return {std::move(bt), Evaluation(points, r - 1, scales),
          Transposed(Evaluation(points, m - 1, ones))};
}

}  // namespace alt::te
