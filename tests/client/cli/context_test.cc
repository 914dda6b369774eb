#include "client/cli/context.h"

#include <gtest/gtest.h>

namespace alt::cli {
namespace {

TEST(ShellWordTest, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(ShellWord("build/release/bin/alt"), "build/release/bin/alt");
  EXPECT_EQ(ShellWord("conv2d:n=1,ic=64,pad=1"), "conv2d:n=1,ic=64,pad=1");
}

TEST(ShellWordTest, WhatAShellWouldReadOtherwiseIsQuoted) {
  EXPECT_EQ(ShellWord("my files/a.db"), "'my files/a.db'");
  EXPECT_EQ(ShellWord("it's"), R"('it'\''s')");
  EXPECT_EQ(ShellWord("$HOME;ls"), "'$HOME;ls'");
  EXPECT_EQ(ShellWord(""), "''");
}

}  // namespace
}  // namespace alt::cli
