#include "common/te/op/cook_toom.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"

namespace alt::te {
namespace {

std::vector<double> Times(const Matrix& matrix, const std::vector<double>& vector) {
  std::vector<double> product(matrix.rows, 0);
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j < matrix.cols; ++j) product[i] += matrix.at(i, j) * vector[j];
  }
  return product;
}

std::vector<double> Filter(const BilinearAlgorithm& algorithm, const std::vector<double>& d,
                           const std::vector<double>& taps) {
  const std::vector<double> inputs = Times(algorithm.bt, d);
  std::vector<double> products = Times(algorithm.g, taps);
  for (size_t i = 0; i < products.size(); ++i) products[i] *= inputs[i];
  return Times(algorithm.at, products);
}

TEST(CookToomTest, EveryAlgorithmFilters) {
  base::Random random(1);
  for (int64_t m = 1; m <= kMaxAlpha; ++m) {
    for (int64_t r = 1; m + r - 1 <= kMaxAlpha; ++r) {
      SCOPED_TRACE(absl::StrCat("F(", m, ",", r, ")"));
      const BilinearAlgorithm algorithm = CookToom(m, r);
      ASSERT_EQ(algorithm.bt.rows, m + r - 1);
      ASSERT_EQ(algorithm.bt.cols, m + r - 1);
      ASSERT_EQ(algorithm.g.rows, m + r - 1);
      ASSERT_EQ(algorithm.g.cols, r);
      ASSERT_EQ(algorithm.at.rows, m);
      ASSERT_EQ(algorithm.at.cols, m + r - 1);
      std::vector<double> d(m + r - 1), taps(r);
      for (double& value : d) value = 2 * random.UnitDouble() - 1;
      for (double& value : taps) value = 2 * random.UnitDouble() - 1;
      const std::vector<double> filtered = Filter(algorithm, d, taps);
      for (int64_t i = 0; i < m; ++i) {
        double expected = 0;
        for (int64_t k = 0; k < r; ++k) expected += taps[k] * d[i + k];
        EXPECT_NEAR(filtered[i], expected, 1e-12);
      }
    }
  }
}

TEST(CookToomTest, TwoOutputsOfThreeTapsAreWinogradsUpToSigns) {
  const BilinearAlgorithm f23 = CookToom(2, 3);
  EXPECT_EQ(f23.bt, (Matrix{4, 4, {-1, 0, 1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, -1, 0, 1}}));
  EXPECT_EQ(f23.g, (Matrix{4, 3, {-1, 0, 0, .5, .5, .5, .5, -.5, .5, 0, 0, 1}}));
  EXPECT_EQ(f23.at, (Matrix{2, 4, {1, 1, 1, 0, 0, 1, -1, 1}}));
}

TEST(CookToomTest, UpToFourOutputsOfThreeTapsTransformDataByIntegers) {
  for (int64_t m = 2; m <= 4; ++m) {
    const BilinearAlgorithm algorithm = CookToom(m, 3);
    for (const Matrix* matrix : {&algorithm.bt, &algorithm.at}) {
      for (double value : matrix->values) EXPECT_EQ(value, std::round(value)) << m;
    }
  }
}

TEST(CookToomTest, DataTransformsAreExactInSinglePrecision) {
  for (int64_t m = 1; m <= kMaxAlpha; ++m) {
    for (int64_t r = 1; m + r - 1 <= kMaxAlpha; ++r) {
      const BilinearAlgorithm algorithm = CookToom(m, r);
      for (const Matrix* matrix : {&algorithm.bt, &algorithm.at}) {
        for (double value : matrix->values) EXPECT_EQ(value, static_cast<float>(value));
      }
    }
  }
}

TEST(CookToomTest, OneOutputOrOneTapNeedsNoTransform) {
  const BilinearAlgorithm one_output = CookToom(1, 3);
  EXPECT_EQ(one_output.bt, (Matrix{3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}}));
  EXPECT_EQ(one_output.g, one_output.bt);
  EXPECT_EQ(one_output.at, (Matrix{1, 3, {1, 1, 1}}));
  const BilinearAlgorithm one_tap = CookToom(2, 1);
  EXPECT_EQ(one_tap.bt, (Matrix{2, 2, {1, 0, 0, 1}}));
  EXPECT_EQ(one_tap.g, (Matrix{2, 1, {1, 1}}));
  EXPECT_EQ(one_tap.at, one_tap.bt);
}

}  // namespace
}  // namespace alt::te
