#include "common/base/parse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace alt::base {
namespace {

using ::alt::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(ParseTest, IntegersUpToTheirLimits) {
  EXPECT_EQ(*ParseInt64("0"), 0);
  EXPECT_EQ(*ParseInt64("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(*ParseInt64("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(*ParseUint64("18446744073709551615"), UINT64_MAX);
}

TEST(ParseTest, OverflowIsAnError) {
  EXPECT_TRUE(StatusIs(ParseInt64("9223372036854775808"), kInvalid, "64 bits"));
  EXPECT_TRUE(StatusIs(ParseInt64("-9223372036854775809"), kInvalid, "64 bits"));
  EXPECT_TRUE(StatusIs(ParseUint64("18446744073709551616"), kInvalid, "64 bits"));
}

TEST(ParseTest, NothingIsSkippedOrGuessed) {
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x10", "1.0", "-", "--1", "1e3", "١"}) {
    EXPECT_TRUE(StatusIs(ParseInt64(text), kInvalid, "is not an integer")) << text;
  }
  EXPECT_TRUE(StatusIs(ParseUint64("-1"), kInvalid));
}

TEST(ParseTest, ARangeNamesTheValueAndTheBounds) {
  EXPECT_EQ(*ParseIntInRange("threads", "8", 1, 8), 8);
  EXPECT_TRUE(
      StatusIs(ParseIntInRange("threads", "0", 1, 8), kInvalid, "threads=0 is not within [1, 8]"));
  EXPECT_TRUE(StatusIs(ParseIntInRange("threads", "9", 1, 8), kInvalid));
  EXPECT_TRUE(StatusIs(ParseIntInRange("threads", "x", 1, 8), kInvalid,
                       "threads=x: 'x' is not an integer"));
}

TEST(ParseTest, DoublesAreFinite) {
  EXPECT_EQ(*ParseDouble("0.5"), 0.5);
  EXPECT_EQ(*ParseDouble("-1e-3"), -1e-3);
  for (const char* text : {"", "inf", "nan", "1e999", "1.0f", " 1"}) {
    EXPECT_TRUE(StatusIs(ParseDouble(text), kInvalid)) << text;
  }
}

TEST(EditDistanceTest, CountsTheFourEdits) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("abc", ""), 3);
  EXPECT_EQ(EditDistance("stride", "strid"), 1);
  EXPECT_EQ(EditDistance("stride", "stribe"), 1);
  EXPECT_EQ(EditDistance("stride", "stirde"), 1) << "neighbours swapped";
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
}

TEST(ClosestMatchTest, FindsASlip) {
  const std::vector<std::string> words = {"stride", "pad", "dilation", "groups"};
  EXPECT_EQ(ClosestMatch("strides", words), "stride");
  EXPECT_EQ(ClosestMatch("PAD", words), "pad");
  EXPECT_EQ(ClosestMatch("dialtion", words), "dilation");
  EXPECT_EQ(DidYouMean("paad", words), "; did you mean 'pad'?");
}

TEST(ClosestMatchTest, DoesNotGuessWildly) {
  const std::vector<std::string> words = {"stride", "pad", "n"};
  EXPECT_EQ(ClosestMatch("kernel", words), std::nullopt);
  EXPECT_EQ(ClosestMatch("m", words), std::nullopt) << "another letter is another word";
  EXPECT_EQ(ClosestMatch("x", {}), std::nullopt);
  EXPECT_EQ(DidYouMean("kernel", words), "");
}

TEST(ClosestMatchTest, ALongTextIsNoSlip) {
  const std::string sixty(60, 'a');
  EXPECT_EQ(ClosestMatch(sixty + "b", {sixty}), sixty);
  EXPECT_EQ(ClosestMatch(std::string(1 << 20, 'a'), {sixty}), std::nullopt);
}

TEST(ClosestMatchTest, TheFirstOfEqualsWins) {
  const std::vector<std::string> words = {"conv1d", "conv2d", "conv3d"};
  EXPECT_EQ(ClosestMatch("convd", words), "conv1d");
}

TEST(QuotedTest, TextIsPrintableAndShort) {
  EXPECT_EQ(Quoted("a\x1b[31m\n"), "'a\\x1b[31m\\n'");
  EXPECT_EQ(Quoted(std::string(1000, 'a')).size(), 65u);
}

}  // namespace
}  // namespace alt::base
