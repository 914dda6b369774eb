#include "common/base/call_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace alt::base {
namespace {

using ::alt::testing::StatusIs;
using Args = std::vector<absl::string_view>;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(CallTextTest, CallsAreCutOffOneByOne) {
  absl::string_view text = "  split( 1 ,16 )phases\n reorder (conv: a b) ";
  ALT_ASSERT_OK_AND_ASSIGN(const CallText split, TakeCall(&text, "f(1)"));
  EXPECT_EQ(split.text, "split( 1 ,16 )");
  EXPECT_EQ(split.name, "split");
  EXPECT_EQ(split.args, (Args{"1", "16"}));
  ALT_ASSERT_OK_AND_ASSIGN(const CallText phases, TakeCall(&text, "f(1)"));
  EXPECT_EQ(phases.text, "phases");
  EXPECT_EQ(phases.args, Args{});
  ALT_ASSERT_OK_AND_ASSIGN(const CallText reorder, TakeCall(&text, "f(1)"));
  EXPECT_EQ(reorder.args, Args{"conv: a b"});
  EXPECT_EQ(text, "");
}

TEST(CallTextTest, NoArgumentIsNotAnEmptyOne) {
  absl::string_view text = "f() g( ) h(,)";
  EXPECT_EQ(TakeCall(&text, "f(1)")->args, Args{});
  EXPECT_EQ(TakeCall(&text, "f(1)")->args, Args{});
  EXPECT_EQ(TakeCall(&text, "f(1)")->args, (Args{"", ""}));
}

TEST(CallTextTest, WhatIsNoCallIsQuotedWithWhatWasExpected) {
  const auto take = [](absl::string_view text) { return TakeCall(&text, "split(1,16)"); };
  EXPECT_TRUE(StatusIs(take("(1,2)"), kInvalid, "'(1,2)': expected a name, as in split(1,16)"));
  EXPECT_TRUE(StatusIs(take("split(1,16"), kInvalid, "'split(1,16': expected ')'"));
  EXPECT_TRUE(StatusIs(take("split(1, fuse(2,3)"), kInvalid, "expected ')'"));
  EXPECT_TRUE(StatusIs(take(std::string("\x1b[31m")), kInvalid, "'\\x1b[31m': expected a name"));
}

TEST(CallTextTest, AnErrorStartsWithTheCall) {
  absl::string_view text = "reorder(0,0) fuse(0,1)";
  ALT_ASSERT_OK_AND_ASSIGN(const CallText call, TakeCall(&text, ""));
  EXPECT_TRUE(StatusIs(BadCall(call, "why"), kInvalid, "reorder(0,0): why"));
}

TEST(CallTextTest, NamesAreLettersDigitsUnderscoresAndDots) {
  for (const char* name : {"conv", "n_h.0.1", "a1"}) EXPECT_TRUE(IsName(name)) << name;
  for (const char* text : {"", "a b", "a\nb", "a#", "a:b", "\xff"})
    EXPECT_FALSE(IsName(text)) << text;
}

TEST(CallTextTest, OverlongTextsAreRefused) {
  ALT_EXPECT_OK(CheckLength("layout", "1234", 4));
  EXPECT_TRUE(StatusIs(CheckLength("layout", "12345", 4), kInvalid,
                       "the layout has 5 bytes, the most is 4"));
}

}  // namespace
}  // namespace alt::base
