#include "common/base/math.h"

#include <gtest/gtest.h>

namespace alt::base {
namespace {

TEST(MathTest, DivisionRoundsInOneDirection) {
  for (int64_t a = -20; a <= 20; ++a) {
    for (int64_t b = 1; b <= 7; ++b) {
      EXPECT_LE(FloorDiv(a, b) * b, a);
      EXPECT_GT((FloorDiv(a, b) + 1) * b, a);
      EXPECT_GE(FloorMod(a, b), 0);
      EXPECT_LT(FloorMod(a, b), b);
      EXPECT_GE(CeilDiv(a, b) * b, a);
      EXPECT_LT((CeilDiv(a, b) - 1) * b, a);
    }
  }
}

TEST(MathTest, TheLargestNumbersDoNotOverflow) {
  EXPECT_EQ(CeilDiv(INT64_MAX, 2), INT64_MAX / 2 + 1);
  EXPECT_EQ(FloorDiv(INT64_MIN, 2), INT64_MIN / 2);
}

}  // namespace
}  // namespace alt::base
