#include "common/base/status_macros.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/testing/status_matchers.h"

namespace alt::base {
namespace {

using ::alt::testing::StatusIs;

absl::Status Fail() { return absl::InvalidArgumentError("bad factor"); }
absl::StatusOr<std::pair<int, int>> Pair() { return std::make_pair(1, 2); }
absl::StatusOr<std::unique_ptr<int>> Pointer() { return std::make_unique<int>(7); }

absl::StatusOr<int> ReturnsEarly(absl::Status status) {
  ALT_RETURN_IF_ERROR(status);
  return 1;
}

TEST(StatusMacrosTest, ReturnIfErrorReturnsOnlyErrors) {
  EXPECT_TRUE(StatusIs(ReturnsEarly(Fail()), absl::StatusCode::kInvalidArgument, "bad factor"));
  ALT_ASSERT_OK_AND_ASSIGN(const int value, ReturnsEarly(absl::OkStatus()));
  EXPECT_EQ(value, 1);
}

absl::StatusOr<int> SumOfPair() {
  ALT_ASSIGN_OR_RETURN((auto [a, b]), Pair());
  int sum = 0;
  ALT_ASSIGN_OR_RETURN(sum, absl::StatusOr<int>(a + b));
  return sum;
}

TEST(StatusMacrosTest, AssignAcceptsBindingsAndExistingVariables) {
  ALT_ASSERT_OK_AND_ASSIGN(const int sum, SumOfPair());
  EXPECT_EQ(sum, 3);
}

absl::StatusOr<int> Dereferenced() {
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<int> pointer, Pointer());
  return *pointer;
}

TEST(StatusMacrosTest, AssignMovesMoveOnlyValues) {
  ALT_ASSERT_OK_AND_ASSIGN(const int value, Dereferenced());
  EXPECT_EQ(value, 7);
}

absl::Status WithContext() {
  ALT_ASSIGN_OR_RETURN(int value, absl::StatusOr<int>(Fail()), Annotate(_, "split i by 3"));
  return absl::InternalError(std::to_string(value));
}

TEST(StatusMacrosTest, ThirdArgumentIsReturnedInsteadOfTheStatus) {
  EXPECT_TRUE(
      StatusIs(WithContext(), absl::StatusCode::kInvalidArgument, "split i by 3: bad factor"));
}

TEST(StatusMacrosTest, AnnotateLeavesOkAlone) { ALT_EXPECT_OK(Annotate(absl::OkStatus(), "x")); }

TEST(StatusMatchersTest, StatusIsFailsOnAnotherCodeOrMessage) {
  EXPECT_FALSE(StatusIs(Fail(), absl::StatusCode::kNotFound));
  EXPECT_FALSE(StatusIs(Fail(), absl::StatusCode::kInvalidArgument, "other"));
  EXPECT_FALSE(testing::IsOk(Fail()));
}

}  // namespace
}  // namespace alt::base
