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

std::vector<float> Pack(const BoundLayout& layout, const std::vector<float>& logical) {
  std::vector<float> physical(static_cast<size_t>(NumCells(layout.physical_shape())), -1);
  PackTensor(layout, logical, absl::MakeSpan(physical));
  return physical;
}

std::vector<float> Unpack(const BoundLayout& layout, const std::vector<float>& physical) {
  std::vector<float> logical(static_cast<size_t>(NumCells(layout.logical_shape())), -1);
  UnpackTensor(layout, physical, absl::MakeSpan(logical));
  return logical;
}

std::vector<float> PackNumbered(absl::string_view layout, const Shape& shape) {
  return Pack(BindOrDie(layout, shape), Numbered(shape));
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
    ASSERT_EQ(Pack(*bound, Numbered(shape)), expected)
        << "seed " << seed << ": " << Print(layout) << " on [" << absl::StrJoin(shape, ", ") << "]";
  }
}

TEST(PackTensorTest, LargeTensorsToo) {
  // Above the size from which intermediate copies lie on huge pages.
  const Shape shape = {3, 1000, 401};
  const BoundLayout bound = BindOrDie("split(2,32) pad(1,0,24) reorder(1,2,0,3)", shape);
  const std::vector<float> packed = Pack(bound, Numbered(shape));
  EXPECT_EQ(packed.size(), 1024U * 13 * 3 * 32);
  // Cell [2, 7, 400]: the first of its block of 32, the last row of the three.
  EXPECT_EQ(packed[((7 * 13 + 12) * 3 + 2) * 32 + 16], (2 * 1000 + 7) * 401 + 400 + 1);
  EXPECT_EQ(packed[((7 * 13 + 12) * 3 + 2) * 32 + 17], 0);
  EXPECT_EQ(Unpack(bound, packed), Numbered(shape));
}

TEST(UnpackTensorTest, UndoesRandomLayouts) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    base::Random random(seed);
    const Shape shape = RandomShape(random, 4, 7);
    const Layout layout = RandomLayout(random, shape, {});
    absl::StatusOr<BoundLayout> bound = BoundLayout::Create(layout, shape);
    ALT_ASSERT_OK(bound);
    ASSERT_EQ(Unpack(*bound, Pack(*bound, Numbered(shape))), Numbered(shape))
        << "seed " << seed << ": " << Print(layout) << " on [" << absl::StrJoin(shape, ", ") << "]";
  }
}

}  // namespace
}  // namespace alt::layout
