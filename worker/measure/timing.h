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

// Whether others used the CPUs so much that the latency may be too long: hardly a batch that no
// other process disturbed, an uncertain median, or an FMA loop that is slow half of the time (of a
// virtual machine, or a core's other hardware thread, no process here tells).
bool IsDisturbed(const std::vector<sandbox::Sample>& samples);

// GFLOP/s of the FMA loop next to the kernel. Each batch is compared with the loops before and
// after it, so a clock that drifts drops out: flops / median_ns / peak is the median over batches
// of the share of the peak. None without anchors.
std::optional<double> PeakNextTo(const std::vector<sandbox::Sample>& samples);

// The samples of each of `kernels`, in order.
std::vector<std::vector<sandbox::Sample>> SamplesByKernel(
    const std::vector<sandbox::Sample>& samples, const std::vector<int>& kernels);

// How long a search and a comparison time (docs/measurement.md#how-fast-is-it).
sandbox::TimingPolicy SearchPolicy(std::optional<double> incumbent_ns);
sandbox::TimingPolicy ComparePolicy();

// Sizes of the host's data caches in bytes; 0: there is none, or it is not known.
struct CacheSizes {
  int64_t l1 = 0;
  int64_t l2 = 0;  // the last private one
  int64_t l3 = 0;
};
// For states of the cache other than warm; as if caches were usual where they are not known.
void SetCaches(measure::CacheState state, const CacheSizes& sizes, sandbox::TimingPolicy& policy);

}  // namespace alt::worker

#endif  // WORKER_MEASURE_TIMING_H_
