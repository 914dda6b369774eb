// From the samples of a runner to what a record says.
#ifndef WORKER_MEASURE_TIMING_H_
#define WORKER_MEASURE_TIMING_H_

#include <optional>
#include <vector>

#include "common/measure/measure_result.h"
#include "common/measure/measurer.h"
#include "worker/sandbox/frame.h"

namespace alt::worker {

// Of an unsorted, not empty list; of two middle values the mean.
double Median(std::vector<double> values);
// The median of the distances from the median.
double MedianAbsoluteDeviation(const std::vector<double>& values);

// Samples of one kernel, at least one. The minimum is over all of them: a delay only adds. Median
// and MAD are over batches that no other process disturbed as long as there are enough of those.
measure::Latency Summarize(const std::vector<sandbox::Sample>& samples);

// GFLOP/s of the FMA loop next to the kernel. Each batch is compared with the loops before and
// after it, so a clock that drifts drops out: flops / median_ns / peak is the median over batches
// of the share of the peak. None without anchors.
std::optional<double> PeakNextTo(const std::vector<sandbox::Sample>& samples);

// The samples of each of `kernels`, in order.
std::vector<std::vector<sandbox::Sample>> SamplesByKernel(
    const std::vector<sandbox::Sample>& samples, const std::vector<int>& kernels);

// How long a search and a comparison time (technique.md 6).
sandbox::TimingPolicy SearchPolicy(std::optional<double> incumbent_ns);
sandbox::TimingPolicy ComparePolicy();

// Sizes of the host's caches in bytes, for states of the cache other than warm.
struct CacheSizes {
  int64_t l2 = 1 << 20;  // the last private one
  int64_t l3 = 32 << 20;
};
void SetCaches(measure::CacheState state, const CacheSizes& sizes, sandbox::TimingPolicy& policy);

}  // namespace alt::worker

#endif  // WORKER_MEASURE_TIMING_H_
