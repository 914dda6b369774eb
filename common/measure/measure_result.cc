#include "common/measure/measure_result.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace alt::measure {
namespace {

// In the order of Outcome.
constexpr absl::string_view kNames[] = {
    "OK",          "REJECTED",    "COMPILE_ERROR", "COMPILE_TIMEOUT", "RUN_TIMEOUT",
    "CRASHED",     "OOM_HOST",    "OOM_DEVICE",    "SANDBOX_DENIED",  "WRONG_RESULT",
    "IMPLAUSIBLE", "DEVICE_LOST", "WORKER_LOST",   "CANCELLED",
};
constexpr size_t kCount = sizeof(kNames) / sizeof(kNames[0]);
static_assert(kCount == static_cast<size_t>(Outcome::kCancelled) + 1);

}  // namespace

double PlusMinusNs(const Latency& latency) {
  // A MAD is .6745 standard deviations of normal noise, and the median's own deviation 1.2533 of
  // these over sqrt(n). Both stay near it for the skewed noise that timing has.
  constexpr double kDeviations = 1.96 * 1.2533 / .6745;
  return kDeviations * latency.mad_ns /
         std::sqrt(static_cast<double>(std::max<int64_t>(1, latency.n)));
}

absl::string_view OutcomeName(Outcome outcome) {
  const auto index = static_cast<size_t>(outcome);
  return index < kCount ? kNames[index] : "UNKNOWN";
}

std::optional<Outcome> ParseOutcome(absl::string_view name) {
  for (size_t i = 0; i < kCount; ++i) {
    if (kNames[i] == name) return static_cast<Outcome>(i);
  }
  return std::nullopt;
}

}  // namespace alt::measure
