#include <gtest/gtest.h>

#include "common/layout/layout.h"
#include "tests/common/layout/layout_testing.h"
#include "tests/testing/status_matchers.h"

namespace alt::layout {
namespace {

using testing::StatusIs;

TEST(FuseTest, NeighboursBecomeOne) {
  EXPECT_EQ(*ApplyToShape(Fuse{1, 2}, {2, 3, 4, 5}), (Shape{2, 12, 5}));
  EXPECT_EQ(*ApplyToShape(Fuse{0, 3}, {2, 3, 4, 5}), (Shape{120}));
}

TEST(FuseTest, IndexIsRowMajor) {
  const Variables v({2, 3, 4});
  EXPECT_EQ(v.Values(ToPhysical(Fuse{0, 2}, {2, 3, 4}, v.indices()), {1, 2, 3}), (Point{23}));
  EXPECT_EQ(v.Values(ToPhysical(Fuse{1, 2}, {2, 3, 4}, v.indices()), {1, 2, 3}), (Point{1, 11}));
}

TEST(FuseTest, EveryCellHoldsData) {
  const Variables v({24});
  const LogicalCell cell = ToLogical(Fuse{0, 2}, {2, 3, 4}, v.indices());
  EXPECT_TRUE(ir::IsIntValue(cell.holds_data, 1));
  EXPECT_EQ(v.Values(cell.indices, {17}), (Point{1, 1, 1}));
}

TEST(FuseTest, ExtentOneTakesNoPart) {
  const Variables v({1, 6, 1});
  const Indices physical = ToPhysical(Fuse{0, 2}, {1, 6, 1}, v.indices());
  ASSERT_EQ(physical.size(), 1u);
  EXPECT_TRUE(physical[0].same_as(v.indices()[1]));
}

TEST(FuseTest, NamesAreJoined) {
  EXPECT_EQ(ApplyToNames(Fuse{1, 2}, {"n", "ty", "tx"}), (std::vector<std::string>{"n", "ty_tx"}));
}

TEST(FuseTest, InverseSplits) {
  EXPECT_EQ(Inverse(Fuse{1, 3}, {2, 3, 4, 5}), (std::vector<Primitive>{Split{1, {4, 5}}}));
}

TEST(FuseTest, RefusesWithTheReason) {
  const auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_TRUE(StatusIs(ApplyToShape(Fuse{1, 1}, {2, 3}), kInvalid,
                       "fuse(1,1): the first dimension must come before"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Fuse{1, 2}, {2, 3}), kInvalid, "no dimension 2"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Fuse{-1, 1}, {2, 3}), kInvalid, "no dimension -1"));
}

}  // namespace
}  // namespace alt::layout
