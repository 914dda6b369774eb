#include "common/base/state_dir.h"

#include <gtest/gtest.h>

namespace alt::base {
namespace {

TEST(StateDirTest, TheVariableGoesBeforeTheHomeFolder) {
  EXPECT_EQ(StateDir("/s", "/h", "/u"), "/s/alt");
  EXPECT_EQ(StateDir("", "/h", "/u"), "/h/.local/state/alt");
}

TEST(StateDirTest, ARelativePathCountsAsNotSet) {
  EXPECT_EQ(StateDir("s", "/h", "/u"), "/h/.local/state/alt");
  EXPECT_EQ(StateDir("./s", "h", "/u"), "/u/.local/state/alt");
}

TEST(StateDirTest, WithoutAHomeThereIsNone) {
  EXPECT_EQ(StateDir("", "", "/u"), "/u/.local/state/alt");
  EXPECT_EQ(StateDir("", "", ""), "");
  EXPECT_EQ(StateDir("s", "~", "u"), "");
}

}  // namespace
}  // namespace alt::base
