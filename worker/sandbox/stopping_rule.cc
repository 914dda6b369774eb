#include "worker/sandbox/stopping_rule.h"

#include <algorithm>
#include <cmath>

namespace alt::sandbox {

StopReason StoppingRule::Add(double batch_ns, bool disturbed, double elapsed_ns) {
  ++batches_;
  if (!disturbed) ++clean_batches_;
  min_ns_ = batches_ == 1 ? batch_ns : std::min(min_ns_, batch_ns);
  if (batches_ == 1 || min_ns_ < settled_ns_ * (1 - policy_.stable_share)) {
    settled_ns_ = min_ns_;
    since_sunk_ = 0;
  } else if (!disturbed || batch_ns <= settled_ns_ * (1 + policy_.stable_share)) {
    ++since_sunk_;
  }
  if (ClearlySlower()) return StopReason::kCensored;
  if (since_sunk_ >= policy_.stable_batches) return StopReason::kStable;
  if (elapsed_ns >= policy_.cap_ns) return StopReason::kCap;
  return StopReason::kGoOn;
}

bool StoppingRule::ClearlySlower() const {
  if (policy_.incumbent_ns <= 0) return false;
  if (clean_batches_ == 0) return false;
  const double factor = clean_batches_ >= 3 ? 1.25 : clean_batches_ == 2 ? 2 : 5;
  return min_ns_ > factor * policy_.incumbent_ns;
}

int64_t RunsForBatch(double run_ns, double min_batch_ns) {
  constexpr double kMost = 1e7;  // below a nanosecond a run: the call itself
  return static_cast<int64_t>(
      std::clamp(std::ceil(min_batch_ns / std::max(run_ns, 0.1)), 1.0, kMost));
}

}  // namespace alt::sandbox
