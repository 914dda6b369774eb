#include "client/cli/cli_error.h"

#include <gtest/gtest.h>

namespace alt::cli {
namespace {

TEST(CliErrorTest, SaysWhatWhyAndFix) {
  EXPECT_EQ(FormatError(CliError(ExitCode::kLocked, "what", "why", "fix")),
            "alt: what\nwhy: why\nfix: fix\n");
  EXPECT_EQ(FormatError(CliError(ExitCode::kFailed, "what")), "alt: what\n");
}

TEST(CliErrorTest, WhatWasTypedCannotMoveTheCursor) {
  EXPECT_EQ(FormatError(CliError(ExitCode::kUsage, "no 'a\x1b[2J\nb'", "caf\xe9\r", "a\nb")),
            "alt: no 'a\\x1b[2J\\nb'\nwhy: caf?\\r\nfix: a\\nb\n");
}

TEST(CliErrorTest, CarriesItsExitCode) {
  for (const ExitCode code :
       {ExitCode::kFailed, ExitCode::kUsage, ExitCode::kUnreachable, ExitCode::kLocked,
        ExitCode::kDenied, ExitCode::kIncompatible, ExitCode::kInterrupted}) {
    EXPECT_EQ(ExitCodeOf(CliError(code, "x")), code);
  }
  EXPECT_EQ(ExitCodeOf(absl::OkStatus()), ExitCode::kDone);
}

TEST(CliErrorTest, StatusesOfOthersHaveExitCodesToo) {
  EXPECT_EQ(ExitCodeOf(absl::InvalidArgumentError("")), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeOf(absl::UnavailableError("")), ExitCode::kUnreachable);
  EXPECT_EQ(ExitCodeOf(absl::DeadlineExceededError("")), ExitCode::kUnreachable);
  EXPECT_EQ(ExitCodeOf(absl::PermissionDeniedError("")), ExitCode::kDenied);
  EXPECT_EQ(ExitCodeOf(absl::UnauthenticatedError("")), ExitCode::kDenied);
  EXPECT_EQ(ExitCodeOf(absl::UnimplementedError("")), ExitCode::kIncompatible);
  EXPECT_EQ(ExitCodeOf(absl::CancelledError("")), ExitCode::kInterrupted);
  EXPECT_EQ(ExitCodeOf(absl::NotFoundError("")), ExitCode::kFailed);
}

TEST(CliErrorTest, ExplainPutsTheCauseBehind) {
  const absl::Status explained =
      Explain(absl::NotFoundError("no record 12"), "cannot show 12", "try another");
  EXPECT_EQ(FormatError(explained), "alt: cannot show 12\nwhy: no record 12\nfix: try another\n");
  EXPECT_EQ(ExitCodeOf(explained), ExitCode::kFailed);
  // Advice that is closer to the cause stays.
  EXPECT_EQ(FormatError(Explain(UsageError("inner", "because", "do this"), "outer", "do that")),
            "alt: outer\nwhy: inner: because\nfix: do this\n");
  EXPECT_TRUE(Explain(absl::OkStatus(), "x").ok());
}

}  // namespace
}  // namespace alt::cli
