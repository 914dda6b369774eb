#include <gtest/gtest.h>

#include "common/layout/layout.h"
#include "tests/common/layout/layout_testing.h"
#include "tests/testing/status_matchers.h"

namespace alt::layout {
namespace {

using testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(PadTest, AddsCellsAtBothEnds) {
  EXPECT_EQ(*ApplyToShape(Pad{1, 2, 3}, {4, 10}), (Shape{4, 15}));
  const Variables v({10});
  EXPECT_EQ(v.Values(ToPhysical(Pad{0, 2, 3}, {10}, v.indices()), {4}), (Point{6}));
}

TEST(PadTest, AddedCellsHoldNoData) {
  const Variables v({15});
  const LogicalCell cell = ToLogical(Pad{0, 2, 3}, {10}, v.indices());
  EXPECT_EQ(v.Value(cell.holds_data, {1}), 0);
  EXPECT_EQ(v.Value(cell.holds_data, {2}), 1);
  EXPECT_EQ(v.Values(cell.indices, {2}), (Point{0}));
  EXPECT_EQ(v.Value(cell.holds_data, {11}), 1);
  EXPECT_EQ(v.Value(cell.holds_data, {12}), 0);
}

TEST(PadTest, PadByNothingHasNoGuard) {
  const Variables v({10});
  const LogicalCell cell = ToLogical(Pad{0, 0, 0}, {10}, v.indices());
  EXPECT_TRUE(ir::IsIntValue(cell.holds_data, 1));
  EXPECT_TRUE(cell.indices[0].same_as(v.indices()[0]));
}

TEST(PadTest, KeepsNames) {
  EXPECT_EQ(ApplyToNames(Pad{0, 1, 1}, {"h", "w"}), (std::vector<std::string>{"h", "w"}));
  EXPECT_EQ(ApplyToNames(Unpad{0, 1, 1}, {"h", "w"}), (std::vector<std::string>{"h", "w"}));
}

TEST(PadTest, InverseRemovesTheCells) {
  EXPECT_EQ(Inverse(Pad{1, 2, 3}, {4, 10}), (std::vector<Primitive>{Unpad{1, 2, 3}}));
  EXPECT_EQ(Inverse(Unpad{1, 2, 3}, {4, 15}), (std::vector<Primitive>{Pad{1, 2, 3}}));
}

TEST(PadTest, RefusesWithTheReason) {
  EXPECT_TRUE(StatusIs(ApplyToShape(Pad{2, 0, 1}, {4, 10}), kInvalid,
                       "pad(2,0,1): there is no dimension 2"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Pad{0, -1, 1}, {4}), kInvalid, "-1 cells"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Pad{0, 0, int64_t{1} << 50}, {4}), kInvalid, "too many"));
}

TEST(UnpadTest, RemovesCellsAtBothEnds) {
  EXPECT_EQ(*ApplyToShape(Unpad{1, 2, 3}, {4, 15}), (Shape{4, 10}));
  const Variables v({10});
  const LogicalCell cell = ToLogical(Unpad{0, 2, 3}, {15}, v.indices());
  EXPECT_TRUE(ir::IsIntValue(cell.holds_data, 1));
  EXPECT_EQ(v.Values(cell.indices, {0}), (Point{2}));
}

TEST(UnpadTest, RefusesToLeaveNothing) {
  EXPECT_TRUE(StatusIs(ApplyToShape(Unpad{0, 2, 2}, {4}), kInvalid,
                       "unpad(0,2,2): nothing would be left of extent 4"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Unpad{0, 0, -2}, {4}), kInvalid, "-2 cells"));
}

}  // namespace
}  // namespace alt::layout
