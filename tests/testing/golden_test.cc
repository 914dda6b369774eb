#include "tests/testing/golden.h"

#include <gtest/gtest.h>

#include <string>

#include "common/base/file.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::testing {
namespace {

// The message of a failed assertion; the assertion must have failed.
std::string MessageOf(const ::testing::AssertionResult& result) {
  EXPECT_FALSE(result);
  return result.message();
}

TEST(GoldenTest, WhatWasUpdatedMatches) {
  TempDir dir;
  EXPECT_TRUE(MatchesGoldenIn(dir.path(), true, "suite", "name", "a\nb"));
  EXPECT_TRUE(MatchesGoldenIn(dir.path(), false, "suite", "name", "a\nb"));
  EXPECT_TRUE(MatchesGoldenIn(dir.path(), false, "suite", "name", "a\nb\n"));
  ALT_ASSERT_OK_AND_ASSIGN(const std::string text, base::ReadFile(dir.File("suite/name.txt")));
  EXPECT_EQ(text, "a\nb\n");
}

TEST(GoldenTest, ADifferenceShowsItsFirstLine) {
  TempDir dir;
  EXPECT_TRUE(MatchesGoldenIn(dir.path(), true, "suite", "name", "a\nb\nc\n"));
  const std::string message =
      MessageOf(MatchesGoldenIn(dir.path(), false, "suite", "name", "a\nB\nc\n"));
  EXPECT_NE(message.find("line 2:\n- b\n+ B"), std::string::npos) << message;
}

TEST(GoldenTest, AMissingLastLineIsADifference) {
  TempDir dir;
  EXPECT_TRUE(MatchesGoldenIn(dir.path(), true, "suite", "name", "a\nb\n"));
  EXPECT_FALSE(MatchesGoldenIn(dir.path(), false, "suite", "name", "a\n"));
}

TEST(GoldenTest, AMissingFileSaysHowToWriteIt) {
  TempDir dir;
  const std::string message = MessageOf(MatchesGoldenIn(dir.path(), false, "suite", "none", "a"));
  EXPECT_NE(message.find("ALT_UPDATE_GOLDEN=1"), std::string::npos) << message;
}

}  // namespace
}  // namespace alt::testing
