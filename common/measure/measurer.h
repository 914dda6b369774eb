#ifndef COMMON_MEASURE_MEASURER_H_
#define COMMON_MEASURE_MEASURER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/measure/measure_result.h"
#include "common/target/target.h"
#include "common/workload/candidate.h"

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

struct MeasureLimits {
  absl::Duration compile = absl::Seconds(20);
  absl::Duration run = absl::Seconds(10);  // one candidate: check and timing
  int64_t memory_bytes = int64_t{4} << 30;
};

// One piece of work: candidates of one workload on one target.
struct MeasureRequest {
  workload::Workload workload;
  target::Target target;
  std::vector<workload::Candidate> candidates;
  MeasureMode mode = MeasureMode::kSearch;
  CacheState cache = CacheState::kWarm;
  std::optional<double> incumbent_ns;  // racing stops what is clearly slower
  MeasureLimits limits;
};

// Measures on one device. Failures of candidates are results; a Status is for our own faults.
class Measurer {
 public:
  virtual ~Measurer() = default;
  // One result for each candidate, in order. `cancelled` is polled between steps, from the calling
  // thread; once it says true the rest come back kCancelled.
  virtual std::vector<MeasureResult> Measure(const MeasureRequest& request,
                                             absl::FunctionRef<bool()> cancelled) = 0;
};

}  // namespace alt::measure

#endif  // COMMON_MEASURE_MEASURER_H_
