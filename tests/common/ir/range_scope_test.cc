#include "common/ir/range_scope.h"

#include <gtest/gtest.h>

#include <optional>

#include "common/base/math.h"

namespace alt::ir::internal {
namespace {

class RangeScopeTest : public ::testing::Test {
 protected:
  const Var x_ = MakeVar("x"), y_ = MakeVar("y"), z_ = MakeVar("z");
  const Expr x = x_, y = y_, z = z_;  // z is unbounded
  const RangeMap ranges_{{x_.get(), {0, 9}}, {y_.get(), {0, 4}}};
  RangeScope scope_{ranges_};
};

TEST_F(RangeScopeTest, ComparisonsNarrowVariables) {
  scope_.Assume(x < 5, true);
  EXPECT_EQ(scope_.Bound(x), (Interval{0, 4}));
  scope_.Assume(x < 2, false);
  EXPECT_EQ(scope_.Bound(x), (Interval{2, 4}));
  scope_.Assume(2 * x <= 7, true);
  EXPECT_EQ(scope_.Bound(x), (Interval{2, 3}));
  scope_.Assume(Eq(x, 3), true);
  EXPECT_EQ(scope_.Bound(x), Point(3));
}

TEST_F(RangeScopeTest, UnequalToAnEndNarrows) {
  scope_.Assume(Eq(x, 0), false);
  EXPECT_EQ(scope_.Bound(x), (Interval{1, 9}));
  scope_.Assume(Eq(x, 9), false);
  EXPECT_EQ(scope_.Bound(x), (Interval{1, 8}));
  scope_.Assume(Eq(x, 4), false);
  EXPECT_EQ(scope_.Bound(x), (Interval{1, 8}));
}

TEST_F(RangeScopeTest, ConjunctionsAndFailedDisjunctionsSayBothParts) {
  scope_.Assume(And(Expr(1) < x, x < 7), true);
  EXPECT_EQ(scope_.Bound(x), (Interval{2, 6}));
  scope_.Assume(Or(x < 3, Expr(5) < x), false);
  EXPECT_EQ(scope_.Bound(x), (Interval{3, 5}));
  scope_.Assume(Not(x < 4), true);
  EXPECT_EQ(scope_.Bound(x), (Interval{4, 5}));
}

TEST_F(RangeScopeTest, ADisjunctionSaysNothing) {
  scope_.Assume(Or(x < 3, y < 2), true);
  scope_.Assume(And(x < 3, y < 2), false);
  EXPECT_EQ(scope_.Bound(x), (Interval{0, 9}));
  EXPECT_EQ(scope_.Bound(y), (Interval{0, 4}));
}

TEST_F(RangeScopeTest, WhatSaysNothingOfRangesIsKnownItself) {
  const Expr either = Or(x < 3, y < 2);
  const RangeScope::Mark mark = scope_.GetMark();
  scope_.Assume(either, true);
  EXPECT_EQ(scope_.Decided(Or(x < 3, y < 2)), 1);
  EXPECT_EQ(scope_.Decided(Or(y < 2, x < 3)), -1);
  scope_.Assume(Eq(x, 4), false);
  EXPECT_EQ(scope_.Decided(Eq(x, 4)), 0);
  scope_.Restore(mark);
  EXPECT_EQ(scope_.Decided(either), -1);
}

TEST_F(RangeScopeTest, SumsAreNarrowedAsSums) {
  scope_.Assume(x + y < 6, true);
  EXPECT_EQ(scope_.Bound(x + y), (Interval{0, 5}));
  EXPECT_EQ(scope_.Bound(3 * x + 3 * y + 1), (Interval{1, 16}));
  EXPECT_EQ(scope_.Bound(10 - x - y), (Interval{5, 10}));
  EXPECT_EQ(scope_.Bound(x), (Interval{0, 5}));
  EXPECT_EQ(scope_.Bound(2 * x + y), (Interval{0, 14}));
}

TEST_F(RangeScopeTest, BothSidesOfAGuardCountTogether) {
  scope_.Assume(Expr(0) <= x + y - 3, true);
  scope_.Assume(x + y - 3 < 4, true);
  EXPECT_EQ(scope_.Bound(x + y - 3), (Interval{0, 3}));
  EXPECT_EQ(scope_.Bound(FloorDiv(x + y - 3, 4)), Point(0));
}

TEST_F(RangeScopeTest, SeveralGuardsServeOneSum) {
  scope_.Assume(x + y < 6, true);
  scope_.Assume(z - FloorMod(x, 3) < 7, true);
  scope_.Assume(Expr(0) <= z - FloorMod(x, 3), true);
  EXPECT_EQ(scope_.Bound((x + y) * 10 + z - FloorMod(x, 3)), (Interval{0, 56}));
}

TEST_F(RangeScopeTest, UnboundedVariablesGainBoundsFromSums) {
  scope_.Assume(z < x, true);
  EXPECT_EQ(scope_.Bound(z), (Interval{kNegInf, 8}));
  EXPECT_EQ(scope_.Bound(x - z), (Interval{1, kPosInf}));
  scope_.Assume(Expr(0) <= z, true);
  EXPECT_EQ(scope_.Bound(z), (Interval{0, 8}));
}

TEST_F(RangeScopeTest, OtherAtomsAreNarrowedToo) {
  scope_.Assume(FloorDiv(z, 4) < 3, true);
  scope_.Assume(Expr(0) <= FloorDiv(z, 4), true);
  EXPECT_EQ(scope_.Bound(FloorDiv(z, 4)), (Interval{0, 2}));
  EXPECT_EQ(scope_.Bound(8 * FloorDiv(z, 4) + y), (Interval{0, 20}));
}

TEST_F(RangeScopeTest, ContradictionsAreIgnored) {
  scope_.Assume(x < 3, true);
  scope_.Assume(Expr(5) < x, true);
  const Interval bounds = scope_.Bound(x);
  EXPECT_LE(bounds.min, bounds.max);
}

TEST_F(RangeScopeTest, RestoreForgets) {
  const RangeScope::Mark mark = scope_.GetMark();
  scope_.Assume(And(x < 3, x + y < 2), true);
  EXPECT_EQ(scope_.Bound(x + y), (Interval{0, 1}));
  scope_.Restore(mark);
  EXPECT_EQ(scope_.Bound(x + y), (Interval{0, 13}));
}

TEST_F(RangeScopeTest, VersionsTellWhatIsKnownApart) {
  const uint64_t before = scope_.version();
  const RangeScope::Mark mark = scope_.GetMark();
  scope_.Assume(x < 3, true);
  const uint64_t narrowed = scope_.version();
  EXPECT_NE(narrowed, before);
  scope_.Restore(mark);
  EXPECT_EQ(scope_.version(), before);
  scope_.Assume(x + y < 3, true);
  EXPECT_NE(scope_.version(), before);
  EXPECT_NE(scope_.version(), narrowed);
  // What was known before: the same state.
  scope_.Restore(mark);
  scope_.Assume(x < 100, true);
  EXPECT_EQ(scope_.version(), before);
}

TEST_F(RangeScopeTest, PermanentRangesSurviveAndGiveWay) {
  const RangeScope::Mark mark = scope_.GetMark();
  scope_.SetRange(z_.get(), {0, 3});
  scope_.SetPermanentRange(z_.get(), {0, 7});
  EXPECT_EQ(scope_.Bound(z), (Interval{0, 3}));
  scope_.Restore(mark);
  EXPECT_EQ(scope_.Bound(z), (Interval{0, 7}));
}

// Every operator against brute force over small ranges, with all combinations of ends.
TEST_F(RangeScopeTest, OperatorsBoundWhatTheyCompute) {
  struct Operator {
    Expr e;
    int64_t (*value)(int64_t, int64_t);
  };
  const Operator operators[] = {
      {x * y, [](int64_t a, int64_t b) { return a * b; }},
      {Min(x, y), [](int64_t a, int64_t b) { return std::min(a, b); }},
      {Max(x, y), [](int64_t a, int64_t b) { return std::max(a, b); }},
      {FloorDiv(x, 3), [](int64_t a, int64_t) { return base::FloorDiv(a, 3); }},
      {FloorMod(x, 3), [](int64_t a, int64_t) { return base::FloorMod(a, 3); }},
      {FloorDiv(x, Max(y, 1)),
       [](int64_t a, int64_t b) { return base::FloorDiv(a, std::max<int64_t>(b, 1)); }},
      {FloorMod(x, Max(y, 1)),
       [](int64_t a, int64_t b) { return base::FloorMod(a, std::max<int64_t>(b, 1)); }},
      {Select(x < y, x, 7), [](int64_t a, int64_t b) { return a < b ? a : 7; }},
  };
  for (const Operator& op : operators) {
    for (int64_t x_min = -5; x_min <= 4; ++x_min) {
      for (int64_t y_min = -4; y_min <= 4; y_min += 2) {
        for (int64_t extent = 1; extent <= 7; extent += 2) {
          const RangeMap ranges{{x_.get(), {x_min, x_min + extent - 1}},
                                {y_.get(), {y_min, y_min + extent - 1}}};
          const Interval bounds = RangeScope(ranges).Bound(op.e);
          for (int64_t a = x_min; a < x_min + extent; ++a) {
            for (int64_t b = y_min; b < y_min + extent; ++b) {
              ASSERT_GE(op.value(a, b), bounds.min);
              ASSERT_LE(op.value(a, b), bounds.max);
            }
          }
        }
      }
    }
  }
}

TEST(IntervalMathTest, OpenEndsStayOpen) {
  EXPECT_EQ((Interval{0, kPosInf} + Interval{5, 6}), (Interval{5, kPosInf}));
  EXPECT_EQ((Interval{0, kPosInf} * -2), (Interval{kNegInf, 0}));
  EXPECT_EQ((kEverything * 0), Point(0));
  EXPECT_EQ(Product({kNegInf, -1}, {2, 3}), (Interval{kNegInf, -2}));
  EXPECT_EQ(EndFloorDiv(kPosInf, 7), kPosInf);
}

TEST(IntervalMathTest, OverflowOpens) {
  EXPECT_EQ(EndAdd(INT64_MAX - 1, 5), kPosInf);
  EXPECT_EQ(EndMul(INT64_MAX / 2, -3), kNegInf);
  EXPECT_FALSE(IsBounded(Interval{0, INT64_MAX / 2} * 3));
}

}  // namespace
}  // namespace alt::ir::internal
