#include "common/ir/interval.h"

#include <gtest/gtest.h>

#include "common/ir/printer.h"

namespace alt::ir {
namespace {

class IntervalTest : public ::testing::Test {
 protected:
  const Var x = MakeVar("x");
  const Var y = MakeVar("y");
  const Var z = MakeVar("z");  // unbounded
  const RangeMap ranges{{x.get(), {0, 13}}, {y.get(), {-2, 5}}};

  Interval Bounds(const Expr& e) {
    const std::optional<Interval> bounds = BoundsOf(e, ranges);
    EXPECT_TRUE(bounds.has_value()) << Print(e);
    return bounds.value_or(Interval{});
  }
};

TEST_F(IntervalTest, LinearBoundsAreExact) {
  EXPECT_EQ(Bounds(Expr(x) * 3 - Expr(y) + 1), (Interval{-4, 42}));
  EXPECT_EQ(Bounds((Expr(x) + y) - x), (Interval{-2, 5}));
  EXPECT_EQ(Bounds(Expr(z) - z), (Interval{0, 0}));
}

TEST_F(IntervalTest, UnboundedVariablesGiveNoBoundsUnlessTheOperatorLimitsThem) {
  EXPECT_FALSE(BoundsOf(Expr(z) + x, ranges).has_value());
  EXPECT_FALSE(BoundsOf(Max(z, 0), ranges).has_value());
  EXPECT_EQ(Bounds(FloorMod(z, 8)), (Interval{0, 7}));
  EXPECT_EQ(Bounds(Min(Max(z, 0), 9)), (Interval{0, 9}));
}

TEST_F(IntervalTest, DivisionRoundsDown) {
  EXPECT_EQ(Bounds(FloorDiv(y, 4)), (Interval{-1, 1}));
  EXPECT_EQ(Bounds(FloorMod(Expr(x) + 16, 16)), (Interval{0, 13}));
  EXPECT_EQ(Bounds(FloorMod(y, 4)), (Interval{0, 3}));
  EXPECT_EQ(Bounds(FloorMod(x, 100)), (Interval{0, 13}));
}

TEST_F(IntervalTest, ConditionsHaveBoundsToo) {
  EXPECT_EQ(Bounds(Expr(x) < 14), (Interval{1, 1}));
  EXPECT_EQ(Bounds(Expr(x) < 13), (Interval{0, 1}));
  EXPECT_EQ(Bounds(Eq(x, 14)), (Interval{0, 0}));
  EXPECT_EQ(Bounds(Expr(z) + 1 <= Expr(z) + 1), (Interval{1, 1}));
}

TEST_F(IntervalTest, VectorsAreBoundedOverAllLanes) {
  EXPECT_EQ(Bounds(Ramp(x, 2, 8)), (Interval{0, 27}));
  EXPECT_EQ(Bounds(Ramp(0, 1, 8) + Broadcast(y, 8)), (Interval{-2, 12}));
}

TEST_F(IntervalTest, LinearFormMergesEqualAtoms) {
  const Expr div = FloorDiv(x, 3);
  const Linear linear = ToLinear((div + Expr(y) * 2) * 4 - FloorDiv(x, 3) + 5);
  ASSERT_EQ(linear.terms.size(), 2u);
  EXPECT_EQ(linear.terms[0].coefficient, 3);
  EXPECT_EQ(linear.terms[1].coefficient, 8);
  EXPECT_EQ(linear.constant, 5);
  EXPECT_EQ(Print(FromLinear(linear)), "3*floordiv(x, 3) + 8*y + 5");
}

TEST_F(IntervalTest, SomethingPositiveLeadsASum) {
  EXPECT_EQ(Print(FromLinear(ToLinear(Expr(5) - x + Expr(y) * 2 - z))), "2*y - x - z + 5");
  EXPECT_EQ(Print(FromLinear(ToLinear(Expr(3) - x - Expr(y) * 2))), "3 - x - 2*y");
  EXPECT_EQ(Print(FromLinear(ToLinear(Expr(0) - x))), "-1*x");
}

}  // namespace
}  // namespace alt::ir
