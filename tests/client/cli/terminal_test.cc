#include "client/cli/terminal.h"

#include <gtest/gtest.h>

namespace alt::cli {
namespace {

TEST(TerminalTest, ALineThatIsTooLongIsCutBetweenTwoWords) {
  EXPECT_EQ(FitLine("trial 1/2  best", 0), "trial 1/2  best");
  EXPECT_EQ(FitLine("trial 1/2  best", 16), "trial 1/2  best");
  EXPECT_EQ(FitLine("trial 1/2  best", 15), "trial 1/2...");
  EXPECT_EQ(FitLine("waiting: cpu:0 is held by pid 12", 25), "waiting: cpu:0 is...");
  EXPECT_EQ(FitLine("waiting: cpu:0 is held", 21), "waiting: cpu:0 is...");
  EXPECT_EQ(FitLine("trial 1/2  best", 2), "t");
}

TEST(TerminalTest, AWordLongerThanHalfALineIsCutInside) {
  EXPECT_EQ(FitLine("of conv2d:n=1,ic=64,ih=56", 16), "of conv2d:n=...");
}

TEST(TerminalTest, ACharacterIsOneColumnHoweverManyBytesItHas) {
  EXPECT_EQ(TextColumns("±0.2%"), 5u);
  EXPECT_EQ(FitLine("±±±±", 5), "±±±±");
  EXPECT_EQ(FitLine("±±±±±", 5), "±...");
}

TEST(TerminalTest, TheBarIsAsLongAsTheShare) {
  EXPECT_EQ(ProgressBar(0, 12), "[>         ]");
  EXPECT_EQ(ProgressBar(0.5, 12), "[=====>    ]");
  EXPECT_EQ(ProgressBar(1, 12), "[==========]");
  EXPECT_EQ(ProgressBar(7, 4), "[==]");
}

TEST(TerminalTest, ColoursAreOnlyWhereTheyAreOn) {
  EXPECT_EQ(Colored("x", Color::kGreen, true), "\x1b[32mx\x1b[0m");
  EXPECT_EQ(Colored("x", Color::kGreen, false), "x");
  EXPECT_EQ(Colored("x", Color::kNone, true), "x");
}

}  // namespace
}  // namespace alt::cli
