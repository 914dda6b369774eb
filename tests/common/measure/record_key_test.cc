#include "common/measure/record_key.h"

#include <gtest/gtest.h>

namespace alt::measure {
namespace {

TEST(RecordKeyTest, IsSixteenHexDigitsThatNeverChange) {
  // printf 'matmul:m=1\ncpu:x\nalgorithm direct\n' | sha256sum
  EXPECT_EQ(RecordIdOfTexts("matmul:m=1", "cpu:x", "algorithm direct\n"), "e8da32e3c197bb68");
}

TEST(RecordKeyTest, EveryPartCounts) {
  const std::string id = RecordIdOfTexts("w", "t", "c");
  EXPECT_NE(RecordIdOfTexts("v", "t", "c"), id);
  EXPECT_NE(RecordIdOfTexts("w", "s", "c"), id);
  EXPECT_NE(RecordIdOfTexts("w", "t", "d"), id);
  EXPECT_NE(RecordIdOfTexts("wt", "", "c"), id);
}

}  // namespace
}  // namespace alt::measure
