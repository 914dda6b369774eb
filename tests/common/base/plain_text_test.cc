#include "common/base/plain_text.h"

#include <gtest/gtest.h>

namespace alt::base {
namespace {

TEST(PlainTextTest, TextStaysAsItIs) {
  const std::string text = "Größe 1 µs, 你好, 🙂\nnext line\t!";
  EXPECT_EQ(PlainText(text, 1000), text);
  EXPECT_EQ(PlainText("", 10), "");
}

TEST(PlainTextTest, WhatIsNoCharacterIsReplaced) {
  EXPECT_EQ(PlainText(std::string("a\0b", 3), 10), "a?b");
  EXPECT_EQ(PlainText("caf\xe9.alt", 100), "caf?.alt") << "Latin-1";
  EXPECT_EQ(PlainText("\xc0\xaf", 100), "??") << "longer than needed";
  EXPECT_EQ(PlainText("\xe0\x80\xaf", 100), "???");
  EXPECT_EQ(PlainText("\xed\xa0\x80", 100), "???") << "a surrogate";
  EXPECT_EQ(PlainText("\xf4\x90\x80\x80", 100), "????") << "beyond Unicode";
  EXPECT_EQ(PlainText("\xff\xfe", 100), "??");
  EXPECT_EQ(PlainText("a\xe4\xbd", 100), "a??") << "ends in the middle";
}

TEST(PlainTextTest, ItIsCutBetweenCharacters) {
  EXPECT_EQ(PlainText("abcdef", 4), "abcd");
  EXPECT_EQ(PlainText("ab\xc3\xa4", 3), "ab");
  EXPECT_EQ(PlainText("ab\xc3\xa4", 4), "ab\xc3\xa4");
  EXPECT_EQ(PlainText("\xf0\x9f\x99\x82", 3), "");
}

TEST(PlainTextTest, OneLineCannotMoveTheCursor) {
  EXPECT_EQ(OneLine("a\nb\x1b[2J\x7f", 100), "a\\nb\\x1b[2J\\x7f");
  EXPECT_EQ(OneLine("\xc2\x9b"
                    "2J",
                    100),
            "\\xc2\\x9b"
            "2J")
      << "the same in one character";
  EXPECT_EQ(OneLine("Größe 1 µs, caf\xe9", 100), "Größe 1 µs, caf?");
  EXPECT_EQ(OneLine("abcdef", 4), "abcd");
}

}  // namespace
}  // namespace alt::base
