// When kernels have been timed enough, alone or in turns.
#ifndef WORKER_SANDBOX_STOPPING_RULE_H_
#define WORKER_SANDBOX_STOPPING_RULE_H_

#include <cstdint>
#include <vector>

#include "worker/sandbox/frame.h"

namespace alt::sandbox {

enum class StopReason : int32_t {
  kGoOn,
  kStable,   // the minimum has settled
  kCap,      // time is up
  kCensored  // clearly slower than the incumbent
};

// Delays only ever add time, so the smallest batch mean is the estimate, and it is good once it
// stops sinking. Batches that another process disturbed may lower the minimum, but are no sign that
// it has settled, unless they come near it all the same.
//
// Racing compares the minimum so far, which only sinks, with the incumbent: the fewer runs behind
// it, the larger the factor that it must be slower by. Only undisturbed batches count: one slice of
// another process makes any kernel look hopeless.
//   1 batch: 5 times     2 batches: 2 times     3 batches or more: 1.25 times
class StoppingRule {
 public:
  explicit StoppingRule(const TimingPolicy& policy) : policy_(policy) {}

  // After each batch: its mean, whether it was disturbed, and how long timing has taken in all.
  StopReason Add(double batch_ns, bool disturbed, double elapsed_ns);

  double min_ns() const { return min_ns_; }

 private:
  bool ClearlySlower() const;

  const TimingPolicy policy_;
  double min_ns_ = 0;
  double settled_ns_ = 0;  // the minimum when it last sank noticeably
  int32_t batches_ = 0;
  int32_t clean_batches_ = 0;  // undisturbed ones
  int32_t since_sunk_ = 0;     // batches since then that count
};

// A 95 % confidence interval of the median, whatever the distribution: two of the values. All of
// them for fewer than six, which is less sure.
struct Interval {
  double low, high;
};
Interval MedianInterval(std::vector<double> values);

// Kernels timed in turns have been timed enough when it is known how they compare: for each one the
// interval of its ratio to the fastest, batch by batch in the same undisturbed rounds, lies above 1
// or within kEqual of it. For a kernel alone: when the interval of its time is as narrow.
class ComparisonRule {
 public:
  static constexpr double kEqual = 0.005;

  // The policy's cap is for each kernel.
  ComparisonRule(const TimingPolicy& policy, size_t kernels) : policy_(policy), times_(kernels) {}

  // After each round: the means of the batches in the order of the kernels, whether others
  // disturbed one of them, and how long timing has taken in all. True: enough.
  bool Add(const std::vector<double>& ns, bool disturbed, double elapsed_ns);

 private:
  bool IsKnown() const;

  const TimingPolicy policy_;
  std::vector<std::vector<double>> times_;  // by kernel, of undisturbed rounds
  int32_t rounds_ = 0;                      // all
};

// How many runs make a batch of at least min_batch_ns, given what one took.
int64_t RunsForBatch(double run_ns, double min_batch_ns);

}  // namespace alt::sandbox

#endif  // WORKER_SANDBOX_STOPPING_RULE_H_
