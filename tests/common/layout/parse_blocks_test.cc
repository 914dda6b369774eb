#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/layout/layout.h"
#include "tests/common/layout/layout_testing.h"
#include "tests/testing/status_matchers.h"

namespace alt::layout {
namespace {

using testing::StatusIs;
using Names = std::vector<std::string>;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
const Names& Nchw() {
  static const auto& names = *new Names{"n", "c", "h", "w"};
  return names;
}

std::string Parsed(absl::string_view text, const Names& names = Nchw()) {
  const absl::StatusOr<Layout> layout = ParseBlocks(text, names);
  return layout.ok() ? Print(*layout) : layout.status().ToString();
}

TEST(ParseBlocksTest, ThePlainOrderIsThePlainLayout) { EXPECT_EQ(Parsed("N C H W"), ""); }

TEST(ParseBlocksTest, AnotherOrderIsAReorder) {
  EXPECT_EQ(Parsed("N H W C"), "reorder(0,2,3,1)");
  EXPECT_EQ(Parsed("NHWC"), "reorder(0,2,3,1)");
  EXPECT_EQ(Parsed(" N  HW C "), "reorder(0,2,3,1)");
}

TEST(ParseBlocksTest, BlocksAreSplits) {
  EXPECT_EQ(Parsed("N C/8 H W 8c"), "split(1,8) reorder(0,1,3,4,2)");
  EXPECT_EQ(Parsed("NCHW16c"), "split(1,16) reorder(0,1,3,4,2)");
  EXPECT_EQ(Parsed("NC/16HW16c"), "split(1,16) reorder(0,1,3,4,2)");
  EXPECT_EQ(Parsed("O/32 KH KW I 32o", {"o", "i", "kh", "kw"}), "split(0,32) reorder(0,3,4,2,1)");
  EXPECT_EQ(Parsed("N H/4 W/14 O/32 4h 14w 32o", {"n", "o", "h", "w"}),
            "split(1,32) split(3,4) split(5,14) reorder(0,3,5,1,4,6,2)");
}

TEST(ParseBlocksTest, SeveralBlocksNestInTheirOrder) {
  EXPECT_EQ(Parsed("M/32 K 2m 16m", {"m", "k"}), "split(0,2,16) reorder(0,3,1,2)");
  EXPECT_EQ(Parsed("M 2m K 16m", {"m", "k"}), "split(0,2,16) reorder(0,1,3,2)");
}

TEST(ParseBlocksTest, FusedDimensionsAreFuses) {
  EXPECT_EQ(Parsed("N C (H*W)"), "fuse(2,3)");
  EXPECT_EQ(Parsed("(N*C/8) (H*W) 8c"), "split(1,8) reorder(0,1,3,4,2) fuse(0,1) fuse(1,2)");
}

TEST(ParseBlocksTest, WhatIsNoBlockFormIsRefusedWithWhatWasExpected) {
  EXPECT_TRUE(StatusIs(ParseBlocks("N H W X", Nchw()), kInvalid,
                       "'X': expected a dimension out of N C H W, such as N/8, or a block such as "
                       "8n"));
  EXPECT_TRUE(StatusIs(ParseBlocks("n h w c", Nchw()), kInvalid, "'n h w c': expected"));
  EXPECT_TRUE(StatusIs(ParseBlocks("N C H", Nchw()), kInvalid, "dimension W is missing"));
  EXPECT_TRUE(StatusIs(ParseBlocks("N C H W C", Nchw()), kInvalid, "dimension C is twice"));
  EXPECT_TRUE(StatusIs(ParseBlocks("N C/ H W", Nchw()), kInvalid, "expected a block size"));
  EXPECT_TRUE(StatusIs(ParseBlocks("N C H W 0c", Nchw()), kInvalid, "expected a block size"));
  EXPECT_TRUE(StatusIs(ParseBlocks("N C/8 H W 4c", Nchw()), kInvalid,
                       "C/8 has blocks of 4 below it; tiles that overlap are written as unfold"));
  EXPECT_TRUE(StatusIs(ParseBlocks("N C/8 H W", Nchw()), kInvalid, "C/8 has blocks of 1"));
  EXPECT_TRUE(StatusIs(ParseBlocks("N (C*H", Nchw()), kInvalid, "expected '*' or ')'"));
  EXPECT_TRUE(
      StatusIs(ParseBlocks("(N*C)/8 H W 8(N*C)", Nchw()), kInvalid, "write fuse and split"));
  EXPECT_TRUE(
      StatusIs(ParseBlocks("N C H W 2147483647c 2147483647c", Nchw()), kInvalid, "too large"));
}

TEST(ParseBlocksTest, TextsAreBounded) {
  std::string text = "N C H W";
  for (int i = 0; i < 40; ++i) text += " 1c";
  EXPECT_TRUE(StatusIs(ParseBlocks(text, Nchw()), kInvalid, "at most 32 dimensions"));
  EXPECT_TRUE(StatusIs(ParseBlocks(std::string(10000, ' '), Nchw()), kInvalid, "bytes"));
}

// What the block form shows of splits, reorders and a last fuse is the layout itself: every cell
// lies where it did.
TEST(ParseBlocksTest, WhatIsDisplayedParsesToTheSamePlaces) {
  int fused = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    base::Random random(seed);
    const Shape shape = RandomShape(random, 4, 6);
    const Names names(Nchw().begin(), Nchw().begin() + static_cast<std::ptrdiff_t>(shape.size()));
    Layout layout;
    Shape reached = shape;
    const auto add = [&](Primitive p) {
      const Shape after = *ApplyToShape(p, reached);
      if (after.size() > 8 || NumCells(after) > 3000) return;
      reached = after;
      layout.primitives.push_back(std::move(p));
    };
    std::vector<size_t> parts(shape.size(), 1);  // of each dimension
    for (int d = static_cast<int>(shape.size()); d-- > 0;) {
      if (random.Bernoulli(0.5)) continue;
      Split split{d, {random.UniformInt(1, 4)}};
      if (random.Bernoulli(0.3)) split.factors.push_back(random.UniformInt(1, 3));
      const size_t rank = reached.size();
      add(split);
      parts[d] += reached.size() - rank;
    }
    if (random.Bernoulli(0.7)) {
      // Any order in which blocks of one dimension stay in the order of their nesting.
      std::vector<size_t> dim_of;
      for (size_t d = 0; d < shape.size(); ++d) dim_of.resize(dim_of.size() + parts[d], d);
      std::vector<size_t> order = dim_of;
      random.Shuffle(order);
      Reorder reorder;
      std::vector<int> used(shape.size(), 0);
      for (size_t d : order) {
        const auto first = std::find(dim_of.begin(), dim_of.end(), d) - dim_of.begin();
        reorder.perm.push_back(static_cast<int>(first) + used[d]++);
      }
      add(reorder);
    }
    if (reached.size() > 1 && random.Bernoulli(0.5)) {
      const int first = static_cast<int>(random.Uniform(reached.size() - 1));
      add(Fuse{first, static_cast<int>(random.UniformInt(first + 1, reached.size() - 1))});
      ++fused;
    }
    const std::string shown = PrintBlocks(layout, shape, names);
    SCOPED_TRACE(absl::StrCat("seed ", seed, ": ", Print(layout), " shown as ", shown));
    ALT_ASSERT_OK_AND_ASSIGN(const Layout parsed, ParseBlocks(shown, names));
    ALT_ASSERT_OK_AND_ASSIGN(const BoundLayout want, BoundLayout::Create(layout, shape));
    ALT_ASSERT_OK_AND_ASSIGN(const BoundLayout have, BoundLayout::Create(parsed, shape));
    ASSERT_EQ(have.physical_shape(), want.physical_shape());
    ASSERT_EQ(OracleCells(have), OracleCells(want));
  }
  EXPECT_GT(fused, 50);
}

}  // namespace
}  // namespace alt::layout
