#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "common/layout/layout.h"
#include "tests/common/layout/layout_testing.h"
#include "tests/testing/status_matchers.h"

namespace alt::layout {
namespace {

using testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(UnfoldTest, MakesTilesThatCoverTheExtent) {
  EXPECT_EQ(*ApplyToShape(Unfold{0, 3, 2}, {5}), (Shape{2, 3}));
  EXPECT_EQ(*ApplyToShape(Unfold{0, 3, 2}, {6}), (Shape{3, 3}));
  EXPECT_EQ(*ApplyToShape(Unfold{2, 16, 14}, {1, 64, 58}), (Shape{1, 64, 4, 16}));
}

TEST(UnfoldTest, TileLargerThanTheExtentIsOneTile) {
  EXPECT_EQ(*ApplyToShape(Unfold{0, 8, 2}, {5}), (Shape{1, 8}));
  EXPECT_EQ(*ApplyToShape(Unfold{0, 8, 1}, {2}), (Shape{1, 8}));
}

// docs/layout.md#reading-an-unfolded-tensor: N=5, B=3, S=2 gives {0,1,2}, {2,3,4}.
TEST(UnfoldTest, OverlappingWindowsRepeatElements) {
  const Variables v({2, 3});
  const LogicalCell cell = ToLogical(Unfold{0, 3, 2}, {5}, v.indices());
  std::vector<int64_t> elements;
  ForEachPoint({2, 3}, [&](const Point& p) { elements.push_back(v.Values(cell.indices, p)[0]); });
  EXPECT_EQ(elements, (std::vector<int64_t>{0, 1, 2, 2, 3, 4}));
  EXPECT_TRUE(ir::IsIntValue(cell.holds_data, 1));
}

TEST(UnfoldTest, LastTileMayReachPastTheEnd) {
  const Variables v({3, 3});
  const LogicalCell cell = ToLogical(Unfold{0, 3, 2}, {6}, v.indices());
  EXPECT_EQ(v.Value(cell.holds_data, {2, 1}), 1);
  EXPECT_EQ(v.Value(cell.holds_data, {2, 2}), 0);
}

// Without the minimum, element 4 would be element 0 of a third tile.
TEST(UnfoldTest, PlainAccessOfTheEndStaysInTheLastTile) {
  const Variables v({5});
  const Indices physical = ToPhysical(Unfold{0, 3, 2}, {5}, v.indices());
  EXPECT_EQ(v.Values(physical, {3}), (Point{1, 1}));
  EXPECT_EQ(v.Values(physical, {4}), (Point{1, 2}));
}

TEST(UnfoldTest, NoMinimumWhereTilesDoNotOverlap) {
  const Variables v({12});
  const Indices physical = ToPhysical(Unfold{0, 4, 4}, {12}, v.indices());
  EXPECT_EQ(PrintAll(physical)[0], "floordiv(i0, 4)");
}

// Every extent, tile and stride up to a bound: plain accesses land on their own cell, and the tiles
// hold each cell as often as windows cover it.
TEST(UnfoldTest, PlainRuleHoldsForAllSmallTiles) {
  for (int64_t extent = 1; extent <= 14; ++extent) {
    for (int64_t size = 1; size <= 9; ++size) {
      for (int64_t stride = 1; stride <= size; ++stride) {
        SCOPED_TRACE(absl::StrCat("extent ", extent, " size ", size, " stride ", stride));
        const Unfold unfold = {0, size, stride};
        const Shape shape = *ApplyToShape(unfold, {extent});
        ASSERT_GE((shape[0] - 1) * stride + size, extent);
        const Variables v({extent});
        const Indices physical = ToPhysical(unfold, {extent}, v.indices());
        for (int64_t e = 0; e < extent; ++e) {
          const Point p = v.Values(physical, {e});
          ASSERT_TRUE(Inside(p, shape)) << "element " << e;
          ASSERT_EQ(p[0] * stride + p[1], e);
        }
      }
    }
  }
}

TEST(UnfoldTest, GapsDropCells) {
  const Variables v({2, 3});
  const LogicalCell cell = ToLogical(Unfold{0, 3, 4}, {7}, v.indices());
  std::set<int64_t> elements;
  ForEachPoint({2, 3}, [&](const Point& p) { elements.insert(v.Values(cell.indices, p)[0]); });
  EXPECT_EQ(elements, (std::set<int64_t>{0, 1, 2, 4, 5, 6}));
}

TEST(UnfoldTest, TilesAndElementsAreNumbered) {
  EXPECT_EQ(ApplyToNames(Unfold{0, 6, 4}, {"h", "w"}),
            (std::vector<std::string>{"h.0", "h.1", "w"}));
}

TEST(UnfoldTest, InverseIsFold) {
  EXPECT_EQ(Inverse(Unfold{1, 3, 2}, {4, 5}), (std::vector<Primitive>{Fold{1, 3, 2, 5}}));
}

TEST(UnfoldTest, RefusesWithTheReason) {
  EXPECT_TRUE(StatusIs(ApplyToShape(Unfold{1, 3, 2}, {5}), kInvalid,
                       "unfold(1,3,2): there is no dimension 1"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Unfold{0, 0, 2}, {5}), kInvalid, "tile size 0"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Unfold{0, 3, 0}, {5}), kInvalid, "stride 0"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Unfold{0, int64_t{1} << 40, 1}, {5}), kInvalid, "too large"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Unfold{0, 3, int64_t{1} << 40}, {5}), kInvalid, "too large"));
}

TEST(FoldTest, MakesOneDimensionOfTiles) {
  EXPECT_EQ(*ApplyToShape(Fold{1, 3, 2, 5}, {4, 2, 3}), (Shape{4, 5}));
  const Variables v({5});
  const LogicalCell cell = ToLogical(Fold{0, 3, 2, 5}, {2, 3}, v.indices());
  EXPECT_EQ(v.Values(cell.indices, {4}), (Point{1, 2}));
  EXPECT_TRUE(ir::IsIntValue(cell.holds_data, 1));
}

TEST(FoldTest, CellsBetweenTilesHoldNoData) {
  const Variables v({7});
  const LogicalCell cell = ToLogical(Fold{0, 3, 4, 7}, {2, 3}, v.indices());
  EXPECT_EQ(v.Value(cell.holds_data, {2}), 1);
  EXPECT_EQ(v.Value(cell.holds_data, {3}), 0);
  EXPECT_EQ(v.Value(cell.holds_data, {6}), 1);
}

TEST(FoldTest, RestoresTheName) {
  EXPECT_EQ(ApplyToNames(Fold{0, 6, 4, 9}, {"h.0", "h.1"}), (std::vector<std::string>{"h"}));
  EXPECT_EQ(ApplyToNames(Fold{0, 6, 4, 9}, {"h", "w"}), (std::vector<std::string>{"h_w"}));
}

TEST(FoldTest, InverseIsUnfold) {
  EXPECT_EQ(Inverse(Fold{1, 3, 2, 5}, {4, 2, 3}), (std::vector<Primitive>{Unfold{1, 3, 2}}));
}

TEST(FoldTest, RefusesWithTheReason) {
  EXPECT_TRUE(StatusIs(ApplyToShape(Fold{0, 4, 2, 5}, {2, 3}), kInvalid,
                       "fold(0,4,2,5): dimension 1 has extent 3"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Fold{0, 3, 2, 9}, {2, 3}), kInvalid,
                       "dimension 0 has extent 2, extent 9 needs 4 tiles"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Fold{1, 3, 2, 5}, {2, 3}), kInvalid, "no dimension 2"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Fold{0, 3, 2, 0}, {2, 3}), kInvalid, "extent 0"));
  EXPECT_TRUE(StatusIs(ApplyToShape(Fold{0, 3, 0, 5}, {2, 3}), kInvalid, "stride 0"));
}

}  // namespace
}  // namespace alt::layout
