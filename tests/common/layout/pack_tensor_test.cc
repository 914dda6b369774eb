#include "common/layout/pack_tensor.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/random.h"
#include "tests/common/layout/layout_testing.h"

namespace alt::layout {
namespace {

// Cell i holds i + 1, so that zero means "no data".
std::vector<float> Numbered(const Shape& shape) {
  std::vector<float> cells(static_cast<size_t>(NumCells(shape)));
  for (size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>(i + 1);
  return cells;
}

std::vector<float> PackNumbered(absl::string_view layout, const Shape& shape) {
  return PackTensor(BindOrDie(layout, shape), Numbered(shape));
}

TEST(PackTensorTest, ThePlainLayoutIsACopy) {
  EXPECT_EQ(PackNumbered("", {2, 2}), (std::vector<float>{1, 2, 3, 4}));
}

TEST(PackTensorTest, ReorderTransposes) {
  EXPECT_EQ(PackNumbered("reorder(1,0)", {2, 3}), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(PackTensorTest, ASplitThatDoesNotDivideEndsInZeros) {
  EXPECT_EQ(PackNumbered("split(0,2) reorder(1,0)", {3}), (std::vector<float>{1, 3, 2, 0}));
}

TEST(PackTensorTest, FuseOfATransposedPair) {
  EXPECT_EQ(PackNumbered("reorder(1,0) fuse(0,1) split(0,4)", {2, 2}),
            (std::vector<float>{1, 3, 2, 4}));
}

TEST(PackTensorTest, UnfoldCopiesWhatTilesShare) {
  EXPECT_EQ(PackNumbered("unfold(0,3,2)", {5}), (std::vector<float>{1, 2, 3, 3, 4, 5}));
}

TEST(PackTensorTest, TheLastTileOfAnUnfoldMayReachPastTheEnd) {
  EXPECT_EQ(PackNumbered("unfold(0,3,2)", {4}), (std::vector<float>{1, 2, 3, 3, 4, 0}));
}

TEST(PackTensorTest, PadPutsZerosAround) {
  EXPECT_EQ(PackNumbered("pad(1,1,2)", {2, 1}), (std::vector<float>{0, 1, 0, 0, 0, 2, 0, 0}));
}

TEST(PackTensorTest, RandomLayoutsMatchTheOracle) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    base::Random random(seed);
    const Shape shape = RandomShape(random, 4, 7);
    const Layout layout = RandomLayout(random, shape, {});
    absl::StatusOr<BoundLayout> bound = BoundLayout::Create(layout, shape);
    ALT_ASSERT_OK(bound);
    std::vector<float> expected;
    for (int64_t cell : OracleCells(*bound)) expected.push_back(static_cast<float>(cell + 1));
    ASSERT_EQ(PackTensor(*bound, Numbered(shape)), expected)
        << "seed " << seed << ": " << Print(layout) << " on [" << absl::StrJoin(shape, ", ") << "]";
  }
}

TEST(UnpackTensorTest, UndoesRandomLayouts) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    base::Random random(seed);
    const Shape shape = RandomShape(random, 4, 7);
    const Layout layout = RandomLayout(random, shape, {});
    absl::StatusOr<BoundLayout> bound = BoundLayout::Create(layout, shape);
    ALT_ASSERT_OK(bound);
    ASSERT_EQ(UnpackTensor(*bound, PackTensor(*bound, Numbered(shape))), Numbered(shape))
        << "seed " << seed << ": " << Print(layout) << " on [" << absl::StrJoin(shape, ", ") << "]";
  }
}

}  // namespace
}  // namespace alt::layout
