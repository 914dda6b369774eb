#include <gtest/gtest.h>

#include "common/layout/layout.h"
#include "tests/common/layout/layout_testing.h"
#include "tests/testing/status_matchers.h"

namespace alt::layout {
namespace {

using testing::StatusIs;

TEST(SplitTest, MakesADimensionOfEachFactor) {
  EXPECT_EQ(*ApplyToShape(Split{1, {16}}, {1, 64, 56}), (Shape{1, 4, 16, 56}));
  EXPECT_EQ(*ApplyToShape(Split{0, {2, 4}}, {64, 3}), (Shape{8, 2, 4, 3}));
}

TEST(SplitTest, ProductThatDoesNotDivideRoundsTheOuterExtentUp) {
  EXPECT_EQ(*ApplyToShape(Split{0, {32}}, {48}), (Shape{2, 32}));
  EXPECT_EQ(*ApplyToShape(Split{0, {8}}, {3}), (Shape{1, 8}));
}

TEST(SplitTest, IndicesAreTheDigitsOfTheIndex) {
  const Variables v({64});
  const Indices physical = ToPhysical(Split{0, {2, 4}}, {64}, v.indices());
  EXPECT_EQ(v.Values(physical, {0}), (Point{0, 0, 0}));
  EXPECT_EQ(v.Values(physical, {7}), (Point{0, 1, 3}));
  EXPECT_EQ(v.Values(physical, {61}), (Point{7, 1, 1}));
}

TEST(SplitTest, TailHoldsNoData) {
  const Variables v({4, 4});
  const LogicalCell cell = ToLogical(Split{0, {4}}, {10}, v.indices());
  EXPECT_EQ(v.Values(cell.indices, {2, 1}), (Point{9}));
  EXPECT_EQ(v.Value(cell.holds_data, {2, 1}), 1);
  EXPECT_EQ(v.Value(cell.holds_data, {2, 2}), 0);
}

TEST(SplitTest, WithoutATailTheGuardIsConstant) {
  const Variables v({4, 3});
  EXPECT_TRUE(ir::IsIntValue(ToLogical(Split{0, {3}}, {12}, v.indices()).holds_data, 1));
}

TEST(SplitTest, FactorOneGivesAConstantIndex) {
  const Variables v({12});
  const Indices physical = ToPhysical(Split{0, {3, 1}}, {12}, v.indices());
  EXPECT_TRUE(ir::IsIntValue(physical[2], 0));
  EXPECT_EQ(v.Values(physical, {11}), (Point{3, 2, 0}));
}

TEST(SplitTest, InverseFusesAndCutsTheTail) {
  EXPECT_EQ(Inverse(Split{1, {2, 4}}, {3, 64}), (std::vector<Primitive>{Fuse{1, 3}}));
  EXPECT_EQ(Inverse(Split{1, {4}}, {3, 10}), (std::vector<Primitive>{Fuse{1, 2}, Unpad{1, 0, 2}}));
}

TEST(SplitTest, PartsAreNumbered) {
  EXPECT_EQ(ApplyToNames(Split{1, {2, 4}}, {"n", "o", "h"}),
            (std::vector<std::string>{"n", "o.0", "o.1", "o.2", "h"}));
}

TEST(SplitTest, RefusesWithTheReason) {
  const auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_TRUE(StatusIs(ApplyToShape(Split{2, {4}}, {8, 8}), kInvalid,
                       "split(2,4): there is no dimension 2"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Split{-1, {4}}, {8}), kInvalid, "no dimension -1"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Split{0, {}}, {8}), kInvalid, "at least one factor"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Split{0, {2, 0}}, {8}), kInvalid, "factor 0 is not positive"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Split{0, {1 << 20, 1 << 20}}, {8}), kInvalid, "too large"));
}

}  // namespace
}  // namespace alt::layout
