#include "common/job/job_spec.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "common/job/answer.h"
#include "tests/testing/status_matchers.h"

namespace alt::job {
namespace {

using testing::StatusIs;

TEST(FixedLayoutsTest, TheTextReadsBack) {
  for (const char* text : {"", "x=plain", "a=plain,c=reorder(1,0)",
                           "w=split(1,16) reorder(0,2,1),x=plain,y=unfold(1,6,4)"}) {
    ALT_ASSERT_OK_AND_ASSIGN(const FixedLayouts layouts, ParseFixedLayouts(text));
    EXPECT_EQ(PrintFixedLayouts(layouts), text);
  }
}

TEST(FixedLayoutsTest, TensorsAreInOrderAndAnEmptyLayoutIsPlain) {
  ALT_ASSERT_OK_AND_ASSIGN(const FixedLayouts layouts, ParseFixedLayouts("y=split(1, 4),x="));
  EXPECT_EQ(PrintFixedLayouts(layouts), "x=plain,y=split(1,4)");
}

TEST(FixedLayoutsTest, WhatIsNoneIsRefusedByName) {
  const auto bad = absl::StatusCode::kInvalidArgument;
  EXPECT_TRUE(StatusIs(ParseFixedLayouts("x"), bad, "'x' is not TENSOR=LAYOUT"));
  EXPECT_TRUE(StatusIs(ParseFixedLayouts("=plain"), bad, "TENSOR=LAYOUT"));
  EXPECT_TRUE(StatusIs(ParseFixedLayouts("a b=plain"), bad, "TENSOR=LAYOUT"));
  EXPECT_TRUE(StatusIs(ParseFixedLayouts("x=plain,,y=plain"), bad, "'' is not"));
  EXPECT_TRUE(StatusIs(ParseFixedLayouts("x=splat(1)"), bad, "layout of x"));
  EXPECT_FALSE(ParseFixedLayouts(std::string(1000, 'x') + "=plain").ok());
  std::string many;
  for (int i = 0; i < 65; ++i) absl::StrAppend(&many, i == 0 ? "" : ",", "t", i, "=plain");
  EXPECT_TRUE(StatusIs(ParseFixedLayouts(many), bad, "64"));
}

TEST(JobSpecTest, KindsHaveNames) {
  EXPECT_EQ(KindName(TuneSpec()), "tune");
  EXPECT_EQ(KindName(BenchSpec()), "bench");
  EXPECT_EQ(KindName(PeakSpec()), "peak");
}

TEST(AnswerTest, NamesOfSourcesParseBack) {
  for (const auto source : {AnswerSource::kExact, AnswerSource::kNearest, AnswerSource::kDefault,
                            AnswerSource::kGiven}) {
    EXPECT_EQ(ParseAnswerSource(AnswerSourceName(source)), source);
  }
  EXPECT_EQ(ParseAnswerSource("guessed"), std::nullopt);
}

}  // namespace
}  // namespace alt::job
