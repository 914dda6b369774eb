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

Interval MedianInterval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  // The median is below the k-th smallest with a chance of 2.5 % (the normal approximation of the
  // binomial distribution).
  const auto k = static_cast<size_t>(std::max(1.0, std::floor((n - 1.96 * std::sqrt(n)) / 2)));
  return {values[k - 1], values[values.size() - k]};
}

bool ComparisonRule::Add(const std::vector<double>& ns, bool disturbed, double elapsed_ns) {
  // Long kernels get a few rounds past the cap: one round compares nothing.
  constexpr int32_t kFewRounds = 5;
  ++rounds_;
  if (!disturbed) {
    for (size_t i = 0; i < times_.size(); ++i) times_[i].push_back(ns[i]);
  }
  const auto clean = static_cast<int32_t>(times_[0].size());
  if (clean >= std::max(policy_.rounds, policy_.most_rounds)) return true;
  if (clean >= policy_.rounds && IsKnown()) return true;
  const double cap_ns = policy_.cap_ns * static_cast<double>(times_.size());
  return elapsed_ns >= cap_ns && (rounds_ >= kFewRounds || elapsed_ns >= kFewRounds * cap_ns);
}

bool ComparisonRule::IsKnown() const {
  size_t fastest = 0;
  std::vector<Interval> intervals;
  for (const std::vector<double>& times : times_) {
    intervals.push_back(MedianInterval(times));
    const Interval &here = intervals.back(), &best = intervals[fastest];
    if (here.low + here.high < best.low + best.high) fastest = intervals.size() - 1;
  }
  if (times_.size() == 1) {
    return intervals[0].high - intervals[0].low <= 2 * kEqual * intervals[0].low;
  }
  for (size_t i = 0; i < times_.size(); ++i) {
    if (i == fastest) continue;
    std::vector<double> ratios;
    for (size_t r = 0; r < times_[i].size(); ++r) {
      ratios.push_back(times_[i][r] / times_[fastest][r]);
    }
    const Interval ratio = MedianInterval(std::move(ratios));
    const bool slower = ratio.low > 1;
    const bool equal = ratio.low >= 1 - kEqual && ratio.high <= 1 + kEqual;
    if (!slower && !equal) return false;
  }
  return true;
}

int64_t RunsForBatch(double run_ns, double min_batch_ns) {
  constexpr double kMost = 1e7;  // below a nanosecond a run: the call itself
  return static_cast<int64_t>(
      std::clamp(std::ceil(min_batch_ns / std::max(run_ns, 0.1)), 1.0, kMost));
}

}  // namespace alt::sandbox
