#include <gtest/gtest.h>

#include "common/layout/layout.h"
#include "tests/common/layout/layout_testing.h"

namespace alt::layout {
namespace {

std::string Blocks(absl::string_view layout, const Shape& shape,
                   const std::vector<std::string>& names) {
  return PrintBlocks(ParseOrDie(layout), shape, names);
}

TEST(BlocksTest, PlainLayoutIsTheNames) {
  EXPECT_EQ(Blocks("", {1, 64, 56, 56}, {"n", "c", "h", "w"}), "N C H W");
}

TEST(BlocksTest, ChannelsLastIsAPermutation) {
  EXPECT_EQ(Blocks("reorder(0,2,3,1)", {1, 64, 56, 56}, {"n", "c", "h", "w"}), "N H W C");
}

TEST(BlocksTest, Nchw16c) {
  EXPECT_EQ(Blocks("split(1,16) reorder(0,1,3,4,2)", {1, 64, 56, 56}, {"n", "c", "h", "w"}),
            "N C/16 H W 16c");
}

// The example of docs/formats.md#layout.
TEST(BlocksTest, TiledOutputOfAConvolution) {
  EXPECT_EQ(Blocks("split(1,32) split(3,4) split(5,14) reorder(0,3,5,1,4,6,2)", {1, 64, 56, 56},
                   {"n", "o", "h", "w"}),
            "N H/4 W/14 O/32 4h 14w 32o");
}

TEST(BlocksTest, SeveralFactorsNest) {
  EXPECT_EQ(Blocks("split(0,2,16)", {64}, {"o"}), "O/32 2o 16o");
  EXPECT_EQ(Blocks("split(0,16) split(0,2)", {64}, {"o"}), "O/32 2o 16o");
  EXPECT_EQ(Blocks("split(0,16) split(1,4)", {64}, {"o"}), "O/16 4o 4o");
}

TEST(BlocksTest, UnfoldShowsStrideAndSize) {
  EXPECT_EQ(Blocks("unfold(0,16,14)", {58}, {"h"}), "H/14 16h");
  EXPECT_EQ(Blocks("unfold(0,16,14) fold(0,16,14,58)", {58}, {"h"}), "H");
}

TEST(BlocksTest, FusedAndPaddedDimensionsShowWhatTheyAreMadeOf) {
  EXPECT_EQ(Blocks("fuse(0,1)", {4, 6}, {"ty", "tx"}), "(TY*TX)");
  EXPECT_EQ(Blocks("split(0,8) fuse(0,1)", {64}, {"o"}), "(O/8*8o)");
  EXPECT_EQ(Blocks("fuse(0,1) split(0,8)", {4, 6}, {"ty", "tx"}), "(TY*TX)/8 8(TY*TX)");
  EXPECT_EQ(Blocks("pad(0,1,2)", {4, 6}, {"h", "w"}), "(1+H+2) W");
  EXPECT_EQ(Blocks("unpad(1,0,2)", {4, 6}, {"h", "w"}), "H (W-2)");
  EXPECT_EQ(Blocks("split(0,4) pad(1,0,1)", {8}, {"h"}), "H/4 5h");
}

TEST(BlocksTest, ALayoutThatDoesNotApplyShowsItsPrimitives) {
  EXPECT_EQ(Blocks("split(5,4)", {8}, {"h"}), "split(5,4)");
}

}  // namespace
}  // namespace alt::layout
