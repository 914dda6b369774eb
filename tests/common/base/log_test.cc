#include "common/base/log.h"

#include <gtest/gtest.h>

#include <string>

namespace alt::base {
namespace {

// Restores what the programs' main would have set.
class LogTest : public ::testing::Test {
 protected:
  void TearDown() override {
    SetMinLogLevel(LogLevel::kInfo);
    SetLogFormat(LogFormat::kText);
  }
};

TEST_F(LogTest, TextLineHasLevelPlaceAndMessage) {
  ::testing::internal::CaptureStderr();
  ALT_LOG(WARNING) << "disk is " << 97 << "% full {}";
  const std::string out = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(out.find(" W log_test.cc:"), std::string::npos) << out;
  EXPECT_NE(out.find("] disk is 97% full {}\n"), std::string::npos) << out;
}

TEST_F(LogTest, JsonEscapesQuotesAndControlCharacters) {
  SetLogFormat(LogFormat::kJson);
  ::testing::internal::CaptureStderr();
  ALT_LOG(ERROR) << "a \"b\"\n\\";
  const std::string out = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(out.find("\"level\": \"error\""), std::string::npos) << out;
  EXPECT_NE(out.find("\"message\": \"a \\\"b\\\"\\u000a\\\\\"}"), std::string::npos) << out;
}

TEST_F(LogTest, LevelsBelowTheMinimumAreNotEvaluated) {
  SetMinLogLevel(LogLevel::kError);
  int calls = 0;
  ::testing::internal::CaptureStderr();
  ALT_LOG(INFO) << ++calls;
  ALT_LOG(WARNING) << ++calls;
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace alt::base
