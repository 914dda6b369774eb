#include "common/codegen/llvm/llvm_status.h"

#include <gtest/gtest.h>
#include <llvm/Support/ErrorHandling.h>

#include <thread>

#include "tests/testing/status_matchers.h"

namespace alt::codegen {
namespace {

using testing::IsOk;
using testing::StatusIs;

TEST(LlvmStatusTest, FatalErrorBecomesAStatus) {
  InitializeLlvm();
  bool fatal = false;
  const absl::Status status = CatchFatalErrors(
      []() -> absl::Status { llvm::report_fatal_error("cannot select", false); }, &fatal);
  EXPECT_TRUE(StatusIs(status, absl::StatusCode::kInternal, "LLVM: cannot select"));
  EXPECT_TRUE(fatal);
}

TEST(LlvmStatusTest, OtherResultsPassThrough) {
  InitializeLlvm();
  bool fatal = true;
  ALT_EXPECT_OK(CatchFatalErrors([] { return absl::OkStatus(); }, &fatal));
  EXPECT_FALSE(fatal);
  EXPECT_TRUE(StatusIs(CatchFatalErrors([] { return absl::NotFoundError("x"); }, &fatal),
                       absl::StatusCode::kNotFound));
  EXPECT_FALSE(fatal);
}

TEST(LlvmStatusDeathTest, FatalErrorElsewhereStillEndsTheProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        InitializeLlvm();
        llvm::report_fatal_error("nobody listens", false);
      },
      "nobody listens");
}

}  // namespace
}  // namespace alt::codegen
