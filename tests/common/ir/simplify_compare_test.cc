// Comparisons and what joins them.
#include <gtest/gtest.h>

#include "tests/common/ir/simplify_fixture.h"

namespace alt::ir {
namespace {

using SimplifyCompareTest = SimplifyFixture;

TEST_F(SimplifyCompareTest, RangesDecide) {
  const Expr h0 = V("h.0", 14), h1 = V("h.1", 4);
  EXPECT_EQ(S(h0 * 4 + h1 < 56), "true");
  EXPECT_EQ(S(h0 * 4 + h1 < 0), "false");
  EXPECT_EQ(S(Expr(0) <= h0), "true");
  EXPECT_EQ(S(Eq(h0, 14)), "false");
  EXPECT_EQ(S(h0 + 1 <= h0 + h1 + 1), "true");
}

TEST_F(SimplifyCompareTest, OneFormForAllWaysOfWriting) {
  const Expr x = V("x", 100), y = V("y", 100);
  EXPECT_EQ(S(x <= 5), "x < 6");
  EXPECT_EQ(S(x > 5), "5 < x");
  EXPECT_EQ(S(Expr(5) < x), "5 < x");
  EXPECT_EQ(S(x >= y), "y < x + 1");
  EXPECT_EQ(S(x - y < 0), "x < y");
  EXPECT_EQ(S(x + 3 < y), "x + 3 < y");
  EXPECT_EQ(S(x - 3 < y), "x < y + 3");
  EXPECT_EQ(S(Eq(y - x, 2)), "y == x + 2");
  EXPECT_EQ(S(Eq(Expr(3), x)), "x == 3");
}

TEST_F(SimplifyCompareTest, CommonFactorsCancel) {
  const Expr x = V("x", 100), y = V("y", 100);
  EXPECT_EQ(S(x * 4 < 10), "x < 3");
  EXPECT_EQ(S(x * 4 <= y * 6), "2*x < 3*y + 1");
  EXPECT_EQ(S(Eq(x * 4, 8)), "x == 2");
  EXPECT_EQ(S(Eq(x * 4, y * 2 + 1)), "false");
}

TEST_F(SimplifyCompareTest, PartsTooSmallToMatterGo) {
  const Expr h0 = V("h.0", 14), h1 = V("h.1", 4);
  EXPECT_EQ(S(h0 * 4 + h1 < 52), "h.0 < 13");
  EXPECT_EQ(S(h0 * 4 + h1 <= 53), "4*h.0 + h.1 < 54");
  EXPECT_EQ(S(Expr(8) <= h0 * 4 + h1), "1 < h.0");
  EXPECT_EQ(S(Expr(0) <= h0 + h1 - 1), "0 < h.0 + h.1");
}

TEST_F(SimplifyCompareTest, AComparedDivisionIsAProduct) {
  const Expr x = V("x", 100), y = V("y", 10);
  EXPECT_EQ(S(FloorDiv(x, 4) < 3), "x < 12");
  EXPECT_EQ(S(Expr(3) <= FloorDiv(x, 4)), "11 < x");
  EXPECT_EQ(S(y > FloorDiv(x, 2)), "x < 2*y");
  EXPECT_EQ(S(FloorDiv(x, 3) + y < 7), "x + 3*y < 21");
}

TEST_F(SimplifyCompareTest, LogicDropsWhatIsImplied) {
  const Expr x = V("x", 100), y = V("y", 100);
  EXPECT_EQ(S(And(x < 10, x < 5)), "x < 5");
  EXPECT_EQ(S(And(x < 5, x < 10)), "x < 5");
  EXPECT_EQ(S(And(x < 5, Expr(7) < x)), "false");
  EXPECT_EQ(S(Or(x < 5, Expr(3) < x)), "true");
  EXPECT_EQ(S(Or(x < 5, x < 8)), "x < 8");
  EXPECT_EQ(S(And(x + y < 10, x + y < 20)), "x + y < 10");
  EXPECT_EQ(S(And(x < 5, FloorDiv(x, 5) < y)), "x < 5 && 0 < y");
}

TEST_F(SimplifyCompareTest, ChainsGroupToTheLeft) {
  const Expr x = V("x", 100), y = V("y", 100), z = V("z", 100);
  EXPECT_EQ(S(And(x < 5, And(y < 6, z < 7))), "x < 5 && y < 6 && z < 7");
  EXPECT_EQ(S(Or(Or(x < 5, y < 6), Or(z < 7, x < 4))), "x < 5 || y < 6 || z < 7");
  EXPECT_EQ(S(And(And(x < 9, y < 9), And(x < 7, y < 7))), "x < 7 && y < 7");
  EXPECT_EQ(S(And(And(x < 9, y < 9), Expr(8) < x)), "false");
}

TEST_F(SimplifyCompareTest, NotMovesInwards) {
  const Expr x = V("x", 100), y = V("y", 100);
  EXPECT_EQ(S(Not(x < 5)), "4 < x");
  EXPECT_EQ(S(Not(Not(x < 5))), "x < 5");
  EXPECT_EQ(S(Not(And(x < 5, y < 6))), "4 < x || 5 < y");
  EXPECT_EQ(S(Not(Or(x < 5, Eq(y, 6)))), "4 < x && !(y == 6)");
}

TEST_F(SimplifyCompareTest, FloatsAreComparedAsTheyStand) {
  const Buffer b = MakeBuffer("b", {4});
  const Expr x = Load(b, {0}), y = Load(b, {1});
  EXPECT_EQ(S(Not(x < y)), "!(b[0] < b[1])");
  EXPECT_EQ(S(x < x), "b[0] < b[0]");
  EXPECT_EQ(S(FloatImm(1) * x <= y + FloatImm(0)), "b[0] <= b[1]");
}

TEST_F(SimplifyCompareTest, LinearComparisonsKeepTheirTruth) {
  const Expr x = Between("x", -2, 7), y = V("y", 4);
  for (int64_t a : {-6, -4, -1, 1, 2, 4, 8}) {
    for (int64_t b : {-3, -2, 1, 4, 6}) {
      for (int64_t k = -20; k <= 40; k += 3) {
        ExpectSameEverywhere(a * x + b * y < k);
        ExpectSameEverywhere(a * x <= b * y + k);
        ExpectSameEverywhere(Eq(a * x + b * y, k));
      }
    }
  }
}

TEST_F(SimplifyCompareTest, ComparedDivisionsKeepTheirTruth) {
  const Expr x = Between("x", -9, 20), y = Between("y", -1, 2);
  for (int64_t c : {2, 3, 4, 7}) {
    for (int64_t k = -5; k <= 8; ++k) {
      ExpectSameEverywhere(FloorDiv(x, c) < k);
      ExpectSameEverywhere(Expr(k) <= FloorDiv(x, c) - y);
      ExpectSameEverywhere(FloorDiv(x + k, c) + 2 * y <= 3);
      ExpectSameEverywhere(Expr(k) < FloorMod(x, c) + y);
    }
  }
}

TEST_F(SimplifyCompareTest, OnlyWhatRangesDecideBecomesTrue) {
  const Expr x = V("x", 10);
  EXPECT_TRUE(IsIntValue(Simplify(x < 10, ranges_), 1));
  EXPECT_FALSE(IsIntValue(Simplify(x < 9, ranges_), 1));
  EXPECT_FALSE(IsIntValue(Simplify(x < 10), 1));
  EXPECT_TRUE(IsIntValue(Simplify(Eq(FloorDiv(x * 4 + 3, 4), x)), 1));
}

}  // namespace
}  // namespace alt::ir
