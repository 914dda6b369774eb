// When a kernel that is timed alone has been timed enough.
#ifndef WORKER_SANDBOX_STOPPING_RULE_H_
#define WORKER_SANDBOX_STOPPING_RULE_H_

#include <cstdint>

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

// How many runs make a batch of at least min_batch_ns, given what one took.
int64_t RunsForBatch(double run_ns, double min_batch_ns);

}  // namespace alt::sandbox

#endif  // WORKER_SANDBOX_STOPPING_RULE_H_
