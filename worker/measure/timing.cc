#include "worker/measure/timing.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "common/base/check.h"

namespace alt::worker {
namespace {

using sandbox::Sample;

// With fewer undisturbed batches than this, disturbed ones count too.
constexpr size_t kEnoughSamples = 3;

std::vector<Sample> Undisturbed(const std::vector<Sample>& samples) {
  std::vector<Sample> clean;
  for (const Sample& sample : samples) {
    if (!sample.disturbed) clean.push_back(sample);
  }
  return clean.size() >= kEnoughSamples ? clean : samples;
}

}  // namespace

double Median(std::vector<double> values) {
  ALT_CHECK(!values.empty());
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double MedianAbsoluteDeviation(const std::vector<double>& values) {
  const double median = Median(values);
  std::vector<double> distances;
  for (double value : values) distances.push_back(std::abs(value - median));
  return Median(std::move(distances));
}

measure::Latency Summarize(const std::vector<Sample>& samples) {
  ALT_CHECK(!samples.empty());
  measure::Latency latency;
  latency.min_ns = samples[0].ns;
  for (const Sample& sample : samples) latency.min_ns = std::min(latency.min_ns, sample.ns);
  std::vector<double> times;
  for (const Sample& sample : Undisturbed(samples)) times.push_back(sample.ns);
  latency.median_ns = Median(times);
  latency.mad_ns = MedianAbsoluteDeviation(times);
  latency.n = static_cast<int64_t>(times.size());
  return latency;
}

bool IsDisturbed(const std::vector<Sample>& samples) {
  constexpr double kUncertain = 0.03;
  constexpr double kSlowAnchor = 0.9;
  const auto clean = std::count_if(samples.begin(), samples.end(),
                                   [](const Sample& sample) { return !sample.disturbed; });
  if (clean < static_cast<ptrdiff_t>(std::min(samples.size(), kEnoughSamples))) return true;
  const measure::Latency latency = Summarize(samples);
  if (measure::PlusMinusNs(latency) > kUncertain * latency.median_ns) return true;
  std::vector<double> anchors;
  for (const Sample& sample : samples) anchors.push_back(sample.anchor_gflops);
  return Median(anchors) < kSlowAnchor * *std::max_element(anchors.begin(), anchors.end());
}

std::optional<double> PeakNextTo(const std::vector<Sample>& samples) {
  std::vector<double> times, possible;  // ns; FLOPs that the machine could have done meanwhile
  for (const Sample& sample : Undisturbed(samples)) {
    if (sample.anchor_gflops <= 0) continue;
    times.push_back(sample.ns);
    possible.push_back(sample.ns * sample.anchor_gflops);
  }
  if (times.empty()) return std::nullopt;
  return Median(possible) / Median(times);
}

std::vector<std::vector<Sample>> SamplesByKernel(const std::vector<Sample>& samples,
                                                 const std::vector<int>& kernels) {
  std::vector<std::vector<Sample>> by_kernel(kernels.size());
  for (const Sample& sample : samples) {
    const auto found = std::find(kernels.begin(), kernels.end(), sample.kernel);
    if (found != kernels.end()) by_kernel[found - kernels.begin()].push_back(sample);
  }
  return by_kernel;
}

sandbox::TimingPolicy SearchPolicy(std::optional<double> incumbent_ns) {
  return {.min_batch_ns = 2e5,
          .cap_ns = 4e7,
          .stable_batches = 5,
          .stable_share = 0.005,
          .incumbent_ns = incumbent_ns.value_or(0),
          .rounds = 0};
}

sandbox::TimingPolicy ComparePolicy() {
  return {.min_batch_ns = 5e5, .cap_ns = 4e8, .incumbent_ns = 0, .rounds = 21, .most_rounds = 150};
}

void SetCaches(measure::CacheState state, const CacheSizes& sizes, sandbox::TimingPolicy& policy) {
  const int64_t l2 = sizes.l2 > 0 ? sizes.l2 : 1 << 20;
  const int64_t l3 = sizes.l3 > 0 ? sizes.l3 : 32 << 20;
  switch (state) {
    case measure::CacheState::kWarm:
      policy.caches = sandbox::Caches::kWarm;
      break;
    case measure::CacheState::kRotate:
      // Twice the cache: what a set of operands left is gone before its turn comes again.
      policy.caches = sandbox::Caches::kRotate;
      policy.rotate_bytes = 2 * l2;
      break;
    case measure::CacheState::kCold:
      policy.caches = sandbox::Caches::kCold;
      policy.flush_bytes = 2 * std::max(l2, l3);
      break;
  }
}

}  // namespace alt::worker
