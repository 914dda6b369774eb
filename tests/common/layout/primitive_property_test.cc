// Random primitives and layouts, checked cell by cell.
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/layout/layout.h"
#include "tests/common/layout/layout_testing.h"
#include "tests/testing/status_matchers.h"

namespace alt::layout {
namespace {

std::string Describe(uint64_t seed, const Layout& layout, const Shape& shape) {
  return absl::StrCat("seed ", seed, ": ", Print(layout), " on [", absl::StrJoin(shape, ", "), "]");
}

// Every logical cell has a physical one that stands for it.
void CheckForward(const BoundLayout& bound) {
  const Variables logical(bound.logical_shape());
  const Variables physical(bound.physical_shape());
  const Indices forward = ToPhysical(bound, logical);
  const LogicalCell cell = ToLogical(bound, physical);
  ForEachPoint(bound.logical_shape(), [&](const Point& l) {
    const Point p = logical.Values(forward, l);
    ASSERT_TRUE(Inside(p, bound.physical_shape())) << absl::StrJoin(p, ",");
    ASSERT_EQ(physical.Values(cell.indices, p), l);
    ASSERT_EQ(physical.Value(cell.holds_data, p), 1) << absl::StrJoin(p, ",");
  });
}

// What a physical cell stands for is what the oracle says; when nothing is copied, it is the cell
// that the logical one goes to.
void CheckBackward(const BoundLayout& bound) {
  const Variables logical(bound.logical_shape());
  const Variables physical(bound.physical_shape());
  const Indices forward = ToPhysical(bound, logical);
  const LogicalCell cell = ToLogical(bound, physical);
  const std::vector<int64_t> oracle = OracleCells(bound);
  std::set<int64_t> seen;
  int64_t with_data = 0, position = 0;
  ForEachPoint(bound.physical_shape(), [&](const Point& p) {
    const int64_t expected = oracle[position++];
    ASSERT_EQ(physical.Value(cell.holds_data, p), expected >= 0) << absl::StrJoin(p, ",");
    if (expected < 0) return;
    ++with_data;
    const Point l = physical.Values(cell.indices, p);
    ASSERT_TRUE(Inside(l, bound.logical_shape())) << absl::StrJoin(p, ",");
    ASSERT_EQ(OffsetOf(l, bound.logical_shape()), expected) << absl::StrJoin(p, ",");
    seen.insert(expected);
    if (bound.has_expanding()) return;
    ASSERT_EQ(logical.Values(forward, l), p);
  });
  EXPECT_EQ(static_cast<int64_t>(seen.size()), NumCells(bound.logical_shape()));
  if (bound.has_expanding()) return;
  EXPECT_EQ(with_data, NumCells(bound.logical_shape()));
}

TEST(PrimitivePropertyTest, MapsCellsThereAndBack) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    base::Random random(seed);
    const Shape shape = RandomShape(random, 3, 6);
    const Layout layout = {{RandomPrimitive(random, shape, {})}};
    SCOPED_TRACE(Describe(seed, layout, shape));
    ALT_ASSERT_OK_AND_ASSIGN(BoundLayout bound, BoundLayout::Create(layout, shape));
    CheckForward(bound);
    CheckBackward(bound);
    if (HasFailure()) return;
  }
}

TEST(PrimitivePropertyTest, LayoutsMapCellsThereAndBack) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    base::Random random(seed);
    const Shape shape = RandomShape(random, 3, 6);
    const Layout layout = RandomLayout(random, shape, {.max_primitives = 6, .max_cells = 600});
    SCOPED_TRACE(Describe(seed, layout, shape));
    ALT_ASSERT_OK_AND_ASSIGN(BoundLayout bound, BoundLayout::Create(layout, shape));
    CheckForward(bound);
    CheckBackward(bound);
    if (HasFailure()) return;
  }
}

// A primitive and its inverse: the shape is as before, every cell is where it was and holds data.
TEST(PrimitivePropertyTest, InverseUndoes) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    base::Random random(seed);
    const Shape shape = RandomShape(random, 3, 7);
    Layout layout = {{RandomPrimitive(random, shape, {})}};
    for (Primitive& p : Inverse(layout.primitives[0], shape)) layout.primitives.push_back(p);
    SCOPED_TRACE(Describe(seed, layout, shape));
    ALT_ASSERT_OK_AND_ASSIGN(BoundLayout bound, BoundLayout::Create(layout, shape));
    ASSERT_EQ(bound.physical_shape(), shape);
    const Variables v(shape);
    const Indices forward = ToPhysical(bound, v);
    const LogicalCell cell = ToLogical(bound, v);
    ForEachPoint(shape, [&](const Point& p) {
      ASSERT_EQ(v.Values(forward, p), p);
      ASSERT_EQ(v.Values(cell.indices, p), p);
      ASSERT_EQ(v.Value(cell.holds_data, p), 1);
    });
    if (HasFailure()) return;
  }
}

// The inverses of a whole layout in reverse order undo it.
TEST(PrimitivePropertyTest, InversesOfALayoutUndoIt) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    base::Random random(seed);
    const Shape shape = RandomShape(random, 3, 6);
    Layout layout = RandomLayout(random, shape, {.max_primitives = 4, .max_cells = 500});
    const BoundLayout there = *BoundLayout::Create(layout, shape);
    for (size_t i = there.layout().primitives.size(); i-- > 0;) {
      for (Primitive& p : Inverse(there.layout().primitives[i], there.shapes()[i])) {
        layout.primitives.push_back(p);
      }
    }
    SCOPED_TRACE(Describe(seed, layout, shape));
    ALT_ASSERT_OK_AND_ASSIGN(BoundLayout bound, BoundLayout::Create(layout, shape));
    ASSERT_EQ(bound.physical_shape(), shape);
    const Variables v(shape);
    const Indices forward = ToPhysical(bound, v);
    const LogicalCell cell = ToLogical(bound, v);
    ForEachPoint(shape, [&](const Point& p) {
      ASSERT_EQ(v.Values(forward, p), p);
      ASSERT_EQ(v.Values(cell.indices, p), p);
      ASSERT_EQ(v.Value(cell.holds_data, p), 1);
    });
    if (HasFailure()) return;
  }
}

TEST(PrimitivePropertyTest, KindsAreToldApart) {
  EXPECT_FALSE(IsExpanding(Split{0, {4}}));
  EXPECT_FALSE(IsExpanding(Reorder{{0}}));
  EXPECT_FALSE(IsExpanding(Fuse{0, 1}));
  EXPECT_TRUE(IsExpanding(Unfold{0, 3, 2}));
  EXPECT_FALSE(IsExpanding(Unfold{0, 2, 2}));
  EXPECT_TRUE(IsExpanding(Pad{0, 0, 1}));
  EXPECT_TRUE(IsBasic(Split{0, {4}}) && IsBasic(Reorder{{0}}) && IsBasic(Fuse{0, 1}));
  EXPECT_FALSE(IsBasic(Unfold{0, 2, 2}) || IsBasic(Pad{0, 0, 1}) || IsBasic(Fold{}) ||
               IsBasic(Unpad{}));
}

}  // namespace
}  // namespace alt::layout
