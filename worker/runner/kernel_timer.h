// Times kernels, alone or in turns.
#ifndef WORKER_RUNNER_KERNEL_TIMER_H_
#define WORKER_RUNNER_KERNEL_TIMER_H_

#include <memory>
#include <optional>
#include <vector>

#include "common/runtime/cpu/fma_anchor.h"
#include "common/runtime/cpu/huge_buffer.h"
#include "common/runtime/cpu/pinned_pool.h"
#include "worker/runner/loaded_kernel.h"
#include "worker/runner/problem.h"
#include "worker/sandbox/frame.h"
#include "worker/sandbox/stopping_rule.h"

namespace alt::runner {

// How often somebody else took a CPU from one of this process's threads, so far.
int64_t InvoluntarySwitches();

// Samples go to the board as they come, and the board says which kernel is being called.
class KernelTimer {
 public:
  // All three outlive it. The anchor is needed for policies with `anchor` only.
  KernelTimer(runtime::PinnedPool* pool, sandbox::Board* board) : pool_(pool), board_(board) {}

  // Nothing, or why not. `kernels[i]` is what request.kernels[i] names.
  std::optional<Problem> Time(const sandbox::TimeRequest& request,
                              const std::vector<LoadedKernel*>& kernels,
                              sandbox::StopReason* reason);

  // The loop that peaks are measured with, made at first use.
  runtime::FmaAnchor& anchor();

 private:
  struct Subject {
    LoadedKernel* kernel;
    int32_t number;
    int64_t runs = 1;  // a batch
  };

  std::optional<Problem> Prepare(const sandbox::TimingPolicy& policy,
                                 std::vector<Subject>& subjects);
  sandbox::StopReason TimeAlone(Subject& subject, bool anchor, const sandbox::TimingPolicy& policy);
  sandbox::StopReason TimeUntilStopped(Subject& subject, const sandbox::TimingPolicy& policy);
  double AnchorGflops();
  // One batch of each, the FMA loop in between; others disturbed all or none.
  std::vector<sandbox::Sample> RunRound(const std::vector<Subject*>& subjects, bool anchor,
                                        const sandbox::TimingPolicy& policy);
  void TimeInTurns(std::vector<Subject>& subjects, bool anchor,
                   const sandbox::TimingPolicy& policy);
  // Runs until a batch is long enough.
  void ChooseRuns(Subject& subject, const sandbox::TimingPolicy& policy);
  sandbox::Sample RunBatch(const Subject& subject, const sandbox::TimingPolicy& policy);
  bool Record(const sandbox::Sample& sample);  // false when the board is full
  void FlushCaches();

  runtime::PinnedPool* const pool_;
  sandbox::Board* const board_;
  std::unique_ptr<runtime::FmaAnchor> anchor_;
  runtime::HugeBuffer flush_;
};

}  // namespace alt::runner

#endif  // WORKER_RUNNER_KERNEL_TIMER_H_
