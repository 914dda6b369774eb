#include <gtest/gtest.h>

#include "common/layout/layout.h"
#include "tests/common/layout/layout_testing.h"
#include "tests/testing/status_matchers.h"

namespace alt::layout {
namespace {

using testing::StatusIs;

TEST(ReorderTest, ResultTakesTheListedDimensions) {
  EXPECT_EQ(*ApplyToShape(Reorder{{2, 0, 1}}, {5, 6, 7}), (Shape{7, 5, 6}));
  EXPECT_EQ(ApplyToNames(Reorder{{2, 0, 1}}, {"a", "b", "c"}),
            (std::vector<std::string>{"c", "a", "b"}));
}

TEST(ReorderTest, IndicesMoveWithTheirDimensions) {
  const Variables v({5, 6, 7});
  const Indices physical = ToPhysical(Reorder{{2, 0, 1}}, {5, 6, 7}, v.indices());
  EXPECT_EQ(v.Values(physical, {1, 2, 3}), (Point{3, 1, 2}));
}

TEST(ReorderTest, EveryCellHoldsData) {
  const Variables v({7, 5, 6});
  const LogicalCell cell = ToLogical(Reorder{{2, 0, 1}}, {5, 6, 7}, v.indices());
  EXPECT_TRUE(ir::IsIntValue(cell.holds_data, 1));
  EXPECT_EQ(v.Values(cell.indices, {3, 1, 2}), (Point{1, 2, 3}));
}

TEST(ReorderTest, InverseIsTheInversePermutation) {
  EXPECT_EQ(Inverse(Reorder{{2, 0, 1}}, {5, 6, 7}), (std::vector<Primitive>{Reorder{{1, 2, 0}}}));
}

TEST(ReorderTest, RefusesWhatIsNoPermutation) {
  const auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_TRUE(
      StatusIs(ApplyToShape(Reorder{{0, 1}}, {5, 6, 7}), kInvalid,
               "reorder(0,1): not a permutation of 0..2: 2 is missing, on shape [5, 6, 7]"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Reorder{{0, 0, 1}}, {5, 6, 7}), kInvalid, "0 is twice"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Reorder{{0, 3, 1}}, {5, 6, 7}), kInvalid, "there is no 3"));
}

}  // namespace
}  // namespace alt::layout
