#include "common/workload/algorithm.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/testing/status_matchers.h"

namespace alt::workload {
namespace {

using ::alt::testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(AlgorithmTest, TextsParseToWhatTheyPrint) {
  for (const std::string text : {"direct", "winograd(4,4)", "winograd(2,6)", "winograd(1,99)"}) {
    ALT_ASSERT_OK_AND_ASSIGN(const Algorithm algorithm, ParseAlgorithm(text));
    EXPECT_EQ(Print(algorithm), text);
  }
}

TEST(AlgorithmTest, SpacesAreFree) {
  ALT_ASSERT_OK_AND_ASSIGN(const Algorithm algorithm, ParseAlgorithm(" winograd( 4 , 2 ) "));
  EXPECT_EQ(algorithm, Algorithm(Winograd{4, 2}));
}

TEST(AlgorithmTest, AnUnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_TRUE(StatusIs(ParseAlgorithm("winogard(4,4)"), kInvalid, "did you mean 'winograd'?"));
  EXPECT_TRUE(StatusIs(ParseAlgorithm("fft"), kInvalid, "There are direct and winograd(mh,mw)"));
  EXPECT_TRUE(StatusIs(ParseAlgorithm(""), kInvalid, "unknown algorithm ''"));
}

TEST(AlgorithmTest, WinogradTakesTwoSaneTileSizes) {
  for (const char* text :
       {"winograd()", "winograd(4)", "winograd(4,4,4)", "winograd(0,4)", "winograd(4,-1)",
        "winograd(4,100)", "winograd(a,4)", "winograd(4,)", "winograd(99999999999999999999,4)"}) {
    EXPECT_TRUE(StatusIs(ParseAlgorithm(text), kInvalid, "two tile sizes from 1 to 99")) << text;
  }
  EXPECT_TRUE(StatusIs(ParseAlgorithm("winograd(4,4"), kInvalid, "unknown algorithm"));
  EXPECT_TRUE(StatusIs(ParseAlgorithm("winograd"), kInvalid, "unknown algorithm"));
}

}  // namespace
}  // namespace alt::workload
