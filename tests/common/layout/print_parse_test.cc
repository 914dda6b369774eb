#include <gtest/gtest.h>

#include "common/layout/layout.h"
#include "tests/common/layout/layout_testing.h"
#include "tests/testing/status_matchers.h"

namespace alt::layout {
namespace {

using testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// One of each alternative, in the order of the variant.
const std::vector<std::pair<Primitive, std::string>>& Examples() {
  static const auto& examples = *new std::vector<std::pair<Primitive, std::string>>{
      {Split{2, {4, 8}}, "split(2,4,8)"}, {Reorder{{0, 2, 1}}, "reorder(0,2,1)"},
      {Fuse{1, 2}, "fuse(1,2)"},          {Unfold{2, 6, 4}, "unfold(2,6,4)"},
      {Pad{3, 0, 16}, "pad(3,0,16)"},     {Fold{2, 6, 4, 56}, "fold(2,6,4,56)"},
      {Unpad{3, 0, 16}, "unpad(3,0,16)"},
  };
  return examples;
}

TEST(PrintTest, EveryPrimitiveHasItsText) {
  ASSERT_EQ(Examples().size(), std::variant_size_v<Primitive>);
  for (size_t i = 0; i < Examples().size(); ++i) {
    EXPECT_EQ(Examples()[i].first.index(), i);
    EXPECT_EQ(Print(Examples()[i].first), Examples()[i].second);
  }
}

TEST(PrintTest, LayoutIsItsPrimitives) {
  EXPECT_EQ(Print(Layout{}), "");
  EXPECT_EQ(Print(Layout{{Split{1, {16}}, Reorder{{0, 1, 3, 4, 2}}}}),
            "split(1,16) reorder(0,1,3,4,2)");
}

TEST(ParseTest, EveryPrimitiveComesBack) {
  for (const auto& [primitive, text] : Examples()) {
    ALT_ASSERT_OK_AND_ASSIGN(Layout layout, Parse(text));
    EXPECT_EQ(layout, (Layout{{primitive}}));
  }
}

TEST(ParseTest, WhiteSpaceIsFree) {
  ALT_ASSERT_OK_AND_ASSIGN(Layout layout, Parse("  split ( 1 , 16 )reorder(0,1,\t3,2)\n"));
  EXPECT_EQ(Print(layout), "split(1,16) reorder(0,1,3,2)");
  ALT_ASSERT_OK_AND_ASSIGN(layout, Parse(" \n"));
  EXPECT_EQ(layout, Layout{});
}

TEST(ParseTest, RandomLayoutsComeBack) {
  base::Random random(7);
  for (int i = 0; i < 500; ++i) {
    const Layout layout = RandomLayout(random, RandomShape(random, 4, 9), {});
    const std::string text = Print(layout);
    ALT_ASSERT_OK_AND_ASSIGN(Layout parsed, Parse(text));
    ASSERT_EQ(parsed, layout) << text;
    ASSERT_EQ(Print(parsed), text);
  }
}

TEST(ParseTest, NamesTheCallAndTheReason) {
  EXPECT_TRUE(StatusIs(
      Parse("splt(1,16)"), kInvalid,
      "splt(1,16): unknown primitive 'splt'; did you mean 'split'?; known are split, reorder"));
  EXPECT_TRUE(StatusIs(Parse("fuse(0,1) split(1,x)"), kInvalid,
                       "split(1,x): 'x' is no number from 0 to 2147483647"));
  EXPECT_TRUE(StatusIs(Parse("split(1)"), kInvalid,
                       "split(1): expected split(dim,factor,..) with 2 to 17 numbers, got 1"));
  EXPECT_TRUE(StatusIs(Parse("fuse(1)"), kInvalid, "expected fuse(first,last)"));
  EXPECT_TRUE(StatusIs(Parse("unfold(1,2)"), kInvalid, "expected unfold(dim,size,stride)"));
  EXPECT_TRUE(StatusIs(Parse("pad(1,2)"), kInvalid, "expected pad(dim,before,after)"));
  EXPECT_TRUE(StatusIs(Parse("fold(1,2,3)"), kInvalid, "expected fold(dim,size,stride,extent)"));
  EXPECT_TRUE(StatusIs(Parse("unpad(1,2,3,4)"), kInvalid, "expected unpad(dim,before,after)"));
  EXPECT_TRUE(StatusIs(Parse("reorder()"), kInvalid, "expected reorder(dim,dim,..)"));
  EXPECT_TRUE(StatusIs(Parse("reorder(0,)"), kInvalid, "'' is no number"));
  EXPECT_TRUE(StatusIs(Parse("split(-1,4)"), kInvalid, "'-1' is no number from 0"));
  EXPECT_TRUE(StatusIs(Parse("split(1,99999999999)"), kInvalid, "is no number from 0"));
}

TEST(ParseTest, RefusesWhatNoLayoutNeeds) {
  const auto repeat = [](const std::string& part, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += part;
    return out;
  };
  const std::string last = " fuse(0,1)";
  ALT_EXPECT_OK(Parse(repeat(last, 64)).status());
  EXPECT_TRUE(StatusIs(Parse(repeat(last, 65)), kInvalid, "at most 64 primitives"));
  ALT_EXPECT_OK(Parse("split(0" + repeat(",1", 16) + ")").status());
  EXPECT_TRUE(
      StatusIs(Parse("split(0" + repeat(",1", 17) + ")"), kInvalid, "2 to 17 numbers, got 18"));
  EXPECT_TRUE(
      StatusIs(Parse("reorder(0" + repeat(",1", 32) + ")"), kInvalid, "1 to 32 numbers, got 33"));
}

TEST(ParseTest, RefusesTextThatIsNoCall) {
  EXPECT_TRUE(StatusIs(Parse("NCHW16c"), kInvalid, "NCHW16c: unknown primitive 'NCHW16c'"));
  EXPECT_TRUE(StatusIs(Parse("split"), kInvalid, "split: expected split(dim,factor,..)"));
  EXPECT_TRUE(StatusIs(Parse("split("), kInvalid, "'split(': expected ')', as in split(1,16)"));
  EXPECT_TRUE(StatusIs(Parse("split(1,16"), kInvalid, "'split(1,16': expected ')'"));
  EXPECT_TRUE(StatusIs(Parse("fuse(0,1) x"), kInvalid, "x: unknown primitive 'x'"));
  EXPECT_TRUE(StatusIs(Parse("fuse(0,1) )("), kInvalid, "')(': expected a name"));
  EXPECT_TRUE(StatusIs(Parse(std::string(40000, ' ')), kInvalid, "the layout has 40000 bytes"));
}

}  // namespace
}  // namespace alt::layout
