#ifndef COMMON_MEASURE_MODES_H_
#define COMMON_MEASURE_MODES_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace alt::measure {

// State of the caches before a timed run: what the run before left; operands that rotate through
// more than the last private cache; flushed.
enum class CacheState : uint8_t { kWarm, kRotate, kCold };
absl::string_view CacheStateName(CacheState state);  // "warm", "rotate", "cold"
std::optional<CacheState> ParseCacheState(absl::string_view name);

// kSearch: each candidate is built, checked and timed with racing against the incumbent.
// kCompare: finalists; all that check are timed in turns (ABAB), with the FMA loop in turns too,
//           so that their latencies and peak_gflops compare; nothing is censored.
enum class MeasureMode : uint8_t { kSearch, kCompare };
absl::string_view MeasureModeName(MeasureMode mode);  // "search", "compare"
std::optional<MeasureMode> ParseMeasureMode(absl::string_view name);

}  // namespace alt::measure

#endif  // COMMON_MEASURE_MODES_H_
