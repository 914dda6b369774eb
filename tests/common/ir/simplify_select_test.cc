// min, max and select of indices.
#include <gtest/gtest.h>

#include "tests/common/ir/simplify_fixture.h"

namespace alt::ir {
namespace {

using SimplifySelectTest = SimplifyFixture;

TEST_F(SimplifySelectTest, MinAndMaxAreDecidedByTheDifference) {
  const Expr x = V("x", 100), y = V("y", 4);
  EXPECT_EQ(S(Min(x * 4 + y, x * 4 + 3)), "4*x + y");
  EXPECT_EQ(S(Max(x + y, x)), "x + y");
  EXPECT_EQ(S(Min(x, x)), "x");
  EXPECT_EQ(S(Min(x, 99)), "x");
}

TEST_F(SimplifySelectTest, CommonTermsMoveOut) {
  const Expr x = V("x", 100), y = V("y", 4);
  EXPECT_EQ(S(Min(x + y, x + 2)), "x + min(y, 2)");
  EXPECT_EQ(S(Max(3 * x, 3 * x + y - 1)), "3*x + max(y - 1, 0)");
  EXPECT_EQ(S(Min(x * 2 + y, x + 2)), "min(2*x + y, x + 2)");
}

TEST_F(SimplifySelectTest, NestedMinAndMaxFold) {
  const Expr x = V("x", 100), y = V("y", 100);
  EXPECT_EQ(S(Min(Min(x, 50), 40)), "min(x, 40)");
  EXPECT_EQ(S(Min(40, Min(x, 50))), "min(x, 40)");
  EXPECT_EQ(S(Max(Min(x, 50), 0)), "min(x, 50)");
  EXPECT_EQ(S(Max(Min(x, 50), 60)), "60");
  EXPECT_EQ(S(Min(Max(x, y), x)), "x");
  EXPECT_EQ(S(Min(Min(x, y), x)), "min(x, y)");
  EXPECT_EQ(S(Max(Expr(7), x)), "max(x, 7)");
}

TEST_F(SimplifySelectTest, ArmsKnowTheCondition) {
  const Expr x = V("x", 100), y = V("y", 100);
  EXPECT_EQ(S(Select(x < 16, FloorDiv(x, 16), 7)), "select(x < 16, 0, 7)");
  EXPECT_EQ(S(Select(x < 16, FloorMod(x, 16), x)), "x");
  EXPECT_EQ(S(Select(Eq(x, 3), x + y, 0)), "select(x == 3, y + 3, 0)");
  EXPECT_EQ(S(Select(x < 50, Select(x < 60, y, 1), 2)), "select(x < 50, y, 2)");
  EXPECT_EQ(S(Select(x < 50, 2, Min(x, 50))), "select(x < 50, 2, 50)");
}

TEST_F(SimplifySelectTest, AConditionIsNotAskedTwice) {
  const Expr x = V("x", 100), y = V("y", 100);
  const Expr either = Or(x < 5, y < 6);
  EXPECT_EQ(S(Select(either, Select(either, x, 1), Select(either, 2, y))),
            "select(x < 5 || y < 6, x, y)");
  EXPECT_EQ(S(Select(Eq(x, 7), 1, Select(Not(Eq(x, 7)), y, 3))), "select(x == 7, 1, y)");
}

TEST_F(SimplifySelectTest, GuardsOfSumsReachTheArms) {
  const Expr x = V("x", 100), y = V("y", 100);
  const Expr inside = And(Expr(1) <= x + y, x + y < 17);
  EXPECT_EQ(S(Select(inside, FloorDiv(x + y - 1, 16), 0)), "0");
  EXPECT_EQ(S(Select(inside, FloorMod(x + y - 1, 16), 0)),
            "select(0 < x + y && x + y < 17, x + y - 1, 0)");
}

TEST_F(SimplifySelectTest, EqualArmsNeedNoCondition) {
  const Expr x = V("x", 100), y = V("y", 100);
  EXPECT_EQ(S(Select(x < y, x + 1, 1 + x)), "x + 1");
  EXPECT_EQ(S(Select(Or(x < y, y < x), x, y)), "select(x < y || y < x, x, y)");
}

TEST_F(SimplifySelectTest, BoolsMayBeSelected) {
  const Expr x = V("x", 100), y = V("y", 100);
  EXPECT_EQ(S(Select(x < 5, x < 7, y < 3)), "select(x < 5, true, y < 3)");
  EXPECT_EQ(S(Select(x < 5, y < 3, y <= 2)), "y < 3");
}

TEST_F(SimplifySelectTest, ClampsKeepTheirValue) {
  const Expr x = Between("x", -10, 20), y = Between("y", -2, 3);
  for (int64_t low : {-3, 0, 4}) {
    for (int64_t high : {4, 9, 30}) {
      ExpectSameEverywhere(Min(Max(x + y, low), high));
      ExpectSameEverywhere(Max(Min(x, high), low + y));
      ExpectSameEverywhere(FloorDiv(Min(Max(4 * x + y, low), high), 4));
      ExpectSameEverywhere(Min(x, Max(y, Min(x + low, high))));
      ExpectSameEverywhere(Select(Expr(low) <= x, Min(x, high) - low, Max(x, low - 5)));
    }
  }
}

}  // namespace
}  // namespace alt::ir
