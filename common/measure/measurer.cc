#include "common/measure/measurer.h"

namespace alt::measure {

absl::string_view CacheStateName(CacheState state) {
  switch (state) {
    case CacheState::kWarm:
      return "warm";
    case CacheState::kRotate:
      return "rotate";
    case CacheState::kCold:
      return "cold";
  }
  return "unknown";
}

std::optional<CacheState> ParseCacheState(absl::string_view name) {
  for (const auto state : {CacheState::kWarm, CacheState::kRotate, CacheState::kCold}) {
    if (CacheStateName(state) == name) return state;
  }
  return std::nullopt;
}

absl::string_view MeasureModeName(MeasureMode mode) {
  switch (mode) {
    case MeasureMode::kSearch:
      return "search";
    case MeasureMode::kCompare:
      return "compare";
  }
  return "unknown";
}

std::optional<MeasureMode> ParseMeasureMode(absl::string_view name) {
  for (const auto mode : {MeasureMode::kSearch, MeasureMode::kCompare}) {
    if (MeasureModeName(mode) == name) return mode;
  }
  return std::nullopt;
}

}  // namespace alt::measure
