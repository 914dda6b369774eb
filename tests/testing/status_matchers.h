// Assertions on absl::Status and absl::StatusOr for plain gtest. Names follow later abseil's
// status_matchers.h; these are predicates rather than gmock matchers.
//
//   EXPECT_TRUE(IsOk(store->Put(record)));
//   ALT_ASSERT_OK(store->Put(record));
//   ALT_ASSERT_OK_AND_ASSIGN(Layout layout, ParseLayout("split(1, 16)"));
//   EXPECT_TRUE(StatusIs(ParseLayout("x"), absl::StatusCode::kInvalidArgument, "split"));
#ifndef TESTS_TESTING_STATUS_MATCHERS_H_
#define TESTS_TESTING_STATUS_MATCHERS_H_

#include <gtest/gtest.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "common/base/status_macros.h"

namespace alt::testing {

inline const absl::Status& GetStatus(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& GetStatus(const absl::StatusOr<T>& value) {
  return value.status();
}

template <typename StatusOrStatusOr>
::testing::AssertionResult IsOk(const StatusOrStatusOr& value) {
  const absl::Status& status = GetStatus(value);
  if (status.ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "status is " << status.ToString();
}

// The status has this code and its message contains `substring`.
template <typename StatusOrStatusOr>
::testing::AssertionResult StatusIs(const StatusOrStatusOr& value, absl::StatusCode code,
                                    absl::string_view substring = "") {
  const absl::Status& status = GetStatus(value);
  if (status.code() == code && absl::StrContains(status.message(), substring)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << "status is " << status.ToString() << ", expected " << absl::StatusCodeToString(code)
         << (substring.empty() ? "" : " with \"") << substring << (substring.empty() ? "" : "\"");
}

}  // namespace alt::testing

#define ALT_ASSERT_OK(expr) ASSERT_TRUE(::alt::testing::IsOk(expr))
#define ALT_EXPECT_OK(expr) EXPECT_TRUE(::alt::testing::IsOk(expr))

// Only in functions that return void; lhs with commas in parentheses.
#define ALT_ASSERT_OK_AND_ASSIGN(lhs, rexpr) \
  ALT_ASSERT_OK_AND_ASSIGN_INNER(ALT_STATUS_CONCAT(alt_status_or_, __LINE__), lhs, rexpr)
#define ALT_ASSERT_OK_AND_ASSIGN_INNER(var, lhs, rexpr) \
  auto var = (rexpr);                                   \
  ALT_ASSERT_OK(var);                                   \
  ALT_STATUS_STRIP(lhs) = *std::move(var)

#endif  // TESTS_TESTING_STATUS_MATCHERS_H_
