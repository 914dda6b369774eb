#include "common/measure/measurer.h"

#include <gtest/gtest.h>

namespace alt::measure {
namespace {

TEST(CacheStateTest, NamesParseBack) {
  for (const auto state : {CacheState::kWarm, CacheState::kRotate, CacheState::kCold}) {
    EXPECT_EQ(ParseCacheState(CacheStateName(state)), state);
  }
  EXPECT_EQ(CacheStateName(CacheState::kRotate), "rotate");
}

TEST(MeasureModeTest, NamesParseBack) {
  for (const auto mode : {MeasureMode::kSearch, MeasureMode::kCompare}) {
    EXPECT_EQ(ParseMeasureMode(MeasureModeName(mode)), mode);
  }
  EXPECT_EQ(MeasureModeName(MeasureMode::kCompare), "compare");
}

TEST(ModesTest, UnknownNamesDoNotParse) {
  EXPECT_EQ(ParseCacheState("hot"), std::nullopt);
  EXPECT_EQ(ParseMeasureMode(""), std::nullopt);
  EXPECT_EQ(CacheStateName(static_cast<CacheState>(9)), "unknown");
  EXPECT_EQ(MeasureModeName(static_cast<MeasureMode>(9)), "unknown");
}

}  // namespace
}  // namespace alt::measure
