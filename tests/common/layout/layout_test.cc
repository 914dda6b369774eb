#include "common/layout/layout.h"

#include <gtest/gtest.h>

#include "common/ir/simplify.h"
#include "tests/common/layout/layout_testing.h"
#include "tests/testing/status_matchers.h"

namespace alt::layout {
namespace {

using testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

std::vector<std::string> Simplified(const Indices& indices, const ir::RangeMap& ranges) {
  Indices simple;
  for (const ir::Expr& e : indices) simple.push_back(ir::Simplify(e, ranges));
  return PrintAll(simple);
}

TEST(LayoutTest, ShapesAreThoseBetweenPrimitives) {
  const BoundLayout bound = BindOrDie("split(1,16) reorder(0,1,3,4,2)", {1, 64, 7, 9});
  EXPECT_EQ(bound.logical_shape(), (Shape{1, 64, 7, 9}));
  EXPECT_EQ(bound.shapes()[1], (Shape{1, 4, 16, 7, 9}));
  EXPECT_EQ(bound.physical_shape(), (Shape{1, 4, 7, 9, 16}));
}

TEST(LayoutTest, PlainLayoutChangesNothing) {
  const BoundLayout bound = BindOrDie("", {3, 4});
  const Variables v({3, 4});
  EXPECT_EQ(bound.physical_shape(), (Shape{3, 4}));
  EXPECT_TRUE(ToPhysical(bound, v)[1].same_as(v.indices()[1]));
  EXPECT_TRUE(ir::IsIntValue(ToLogical(bound, v).holds_data, 1));
}

TEST(LayoutTest, ToLogicalOfAlignedBlocksIsLinear) {
  const BoundLayout bound =
      BindOrDie("split(1,32) split(3,4) split(5,14) reorder(0,3,5,1,4,6,2)", {1, 64, 56, 56});
  const Variables v(bound.physical_shape());
  const LogicalCell cell = ToLogical(bound, v);
  EXPECT_TRUE(ir::IsIntValue(cell.holds_data, 1));
  EXPECT_EQ(Simplified(cell.indices, v.ranges()),
            (std::vector<std::string>{"0", "32*i3 + i6", "4*i1 + i4", "14*i2 + i5"}));
}

TEST(LayoutTest, GuardsOfSeveralPrimitivesAreJoined) {
  const BoundLayout bound = BindOrDie("split(0,4) split(2,4)", {10, 6});
  const Variables v(bound.physical_shape());
  const LogicalCell cell = ToLogical(bound, v);
  int64_t with_data = 0;
  ForEachPoint(bound.physical_shape(),
               [&](const Point& p) { with_data += v.Value(cell.holds_data, p); });
  EXPECT_EQ(with_data, 60);
}

TEST(LayoutTest, NamesFollowThePrimitives) {
  const BoundLayout bound = BindOrDie("split(1,16) fuse(3,4) reorder(0,1,3,2)", {1, 64, 7, 9});
  EXPECT_EQ(*bound.PhysicalNames({"n", "o", "ty", "tx"}),
            (std::vector<std::string>{"n", "o.0", "ty_tx", "o.1"}));
  const BoundLayout unfolded = BindOrDie("unfold(1,4,2)", {3, 8});
  EXPECT_EQ(*unfolded.PhysicalNames({"c", "h"}), (std::vector<std::string>{"c", "h.0", "h.1"}));
}

TEST(LayoutTest, KnowsWhetherItExpands) {
  EXPECT_FALSE(BindOrDie("split(0,3) unfold(1,2,2) fuse(0,1)", {8}).has_expanding());
  EXPECT_TRUE(BindOrDie("split(0,3) pad(1,0,1)", {8}).has_expanding());
  EXPECT_TRUE(BindOrDie("unfold(0,3,2)", {8}).has_expanding());
}

TEST(LayoutTest, NamesThePrimitiveThatDoesNotApply) {
  EXPECT_TRUE(
      StatusIs(BoundLayout::Create(ParseOrDie("split(1,4) reorder(0,1)"), {3, 8}), kInvalid,
               "reorder(0,1): not a permutation of 0..2: 2 is missing, on shape [3, 2, 4]"));
}

TEST(LayoutTest, RefusesMoreDimensionsThanATensorNeeds) {
  const std::string fifteen = "split(0,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)";
  ALT_ASSERT_OK_AND_ASSIGN(const Layout most, Parse(fifteen + fifteen));
  ALT_ASSERT_OK_AND_ASSIGN(const BoundLayout bound, BoundLayout::Create(most, {8, 8}));
  EXPECT_EQ(bound.physical_shape().size(), 32u);
  EXPECT_TRUE(StatusIs(BoundLayout::Create(most, {8, 8, 8}), absl::StatusCode::kInvalidArgument,
                       "the physical shape has 33 dimensions, the most is 32"));
}

TEST(LayoutTest, RefusesExtentsOutOfRange) {
  EXPECT_TRUE(StatusIs(BoundLayout::Create({}, {3, 0}), kInvalid, "extent 0"));
  EXPECT_TRUE(StatusIs(BoundLayout::Create({}, {int64_t{1} << 40}), kInvalid, "out of range"));
  EXPECT_TRUE(
      StatusIs(BoundLayout::Create(ParseOrDie("pad(0,0,2147483647) pad(1,0,2147483647)"), {1, 1}),
               kInvalid, "the physical shape is too large"));
}

TEST(LayoutTest, FoldOfOverlappingTilesNeedsTheirUnfold) {
  EXPECT_TRUE(StatusIs(BoundLayout::Create(ParseOrDie("fold(0,3,2,5)"), {2, 3}), kInvalid,
                       "fold(0,3,2,5): dimensions 0 and 1 are not the tiles and elements of an "
                       "unfold by 3 and 2"));
  EXPECT_TRUE(StatusIs(BoundLayout::Create(ParseOrDie("unfold(0,3,2) fold(0,3,1,4)"), {5}),
                       kInvalid, "fold(0,3,1,4): dimensions 0 and 1 are not"));
  // Moved away and back again; taken apart and put together.
  ALT_EXPECT_OK(BoundLayout::Create(
      ParseOrDie("unfold(0,3,2) reorder(1,0,2) reorder(1,0,2) fold(0,3,2,5)"), {5, 4}));
  ALT_EXPECT_OK(
      BoundLayout::Create(ParseOrDie("unfold(0,3,2) fuse(0,1) split(0,3) fold(0,3,2,5)"), {5}));
}

TEST(LayoutTest, FoldOfDisjointTilesIsALayoutOfItsOwn) {
  const BoundLayout bound = BindOrDie("fold(0,3,4,11)", {3, 3});
  const Variables v(bound.physical_shape());
  const LogicalCell cell = ToLogical(bound, v);
  int64_t with_data = 0;
  ForEachPoint({11}, [&](const Point& p) { with_data += v.Value(cell.holds_data, p); });
  EXPECT_EQ(with_data, 9);
}

// A guard must vanish where every cell holds data, or kernels pay for it.
TEST(LayoutTest, GuardOfATailThatIsCutAgainVanishes) {
  for (const char* text : {"pad(0,2,3) unpad(0,2,3)", "split(0,4) fuse(0,1) unpad(0,0,2)",
                           "unfold(0,3,2) fold(0,3,2,10)"}) {
    const BoundLayout bound = BindOrDie(text, {10});
    const Variables v({10});
    const LogicalCell cell = ToLogical(bound, v);
    EXPECT_TRUE(ir::IsIntValue(ir::Simplify(cell.holds_data, v.ranges()), 1)) << text;
    EXPECT_EQ(Simplified(cell.indices, v.ranges()), (std::vector<std::string>{"i0"})) << text;
  }
}

}  // namespace
}  // namespace alt::layout
