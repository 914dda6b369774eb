#include "common/base/check.h"

#include <gtest/gtest.h>

#include "absl/status/statusor.h"

namespace alt::base {
namespace {

TEST(CheckDeathTest, FailureNamesFileConditionAndMessage) {
  const int extent = 0;
  EXPECT_DEATH(ALT_CHECK(extent > 0) << "axis h",
               "check_test.cc:[0-9]+ Check failed: extent > 0 axis h");
}

TEST(CheckDeathTest, ComparisonPrintsBothOperands) {
  EXPECT_DEATH(ALT_CHECK_EQ(1 + 1, 3) << "sum", "1 \\+ 1 == 3 \\(2 vs. 3\\) sum");
  EXPECT_DEATH(ALT_CHECK_LT(2, 2), "2 < 2 \\(2 vs. 2\\)");
}

TEST(CheckDeathTest, CheckOkPrintsTheStatus) {
  EXPECT_DEATH(ALT_CHECK_OK(absl::NotFoundError("no such record")), "no such record");
  EXPECT_DEATH(ALT_CHECK_OK(absl::StatusOr<int>(absl::NotFoundError("none"))), "none");
}

TEST(CheckTest, OperandsAreEvaluatedOnce) {
  int calls = 0;
  ALT_CHECK_EQ(++calls, 1) << "never printed";
  EXPECT_EQ(calls, 1);
}

TEST(CheckTest, MessageIsNotEvaluatedWhenTheCheckHolds) {
  int calls = 0;
  ALT_CHECK(true) << ++calls;
  ALT_CHECK_LE(1, 1) << ++calls;
  EXPECT_EQ(calls, 0);
}

TEST(CheckTest, ElseAfterACheckBelongsToTheCaller) {
  bool reached = false;
  if (reached)
    ALT_CHECK_EQ(1, 1);
  else
    reached = true;
  EXPECT_TRUE(reached);
}

}  // namespace
}  // namespace alt::base
