// The steps of one request, after which each candidate has its result.
#ifndef WORKER_MEASURE_BATCH_MEASUREMENT_H_
#define WORKER_MEASURE_BATCH_MEASUREMENT_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/measure/measurer.h"
#include "worker/measure/builder.h"
#include "worker/measure/device_lock.h"
#include "worker/measure/operands.h"
#include "worker/measure/plausibility.h"
#include "worker/measure/sandboxed_runner.h"
#include "worker/measure/timing.h"

namespace alt::worker {

// One use: Build, Prepare, then Search or Compare, then TakeResults. Each step skips candidates
// that already have a result. Candidates without one at the end were cancelled.
class BatchMeasurement {
 public:
  struct Tools {  // all borrowed
    Builder* builder;
    SandboxedRunner* runner;
    // Of the request's workload; an error is a fault of this worker.
    absl::FunctionRef<absl::StatusOr<Operands*>()> operands;
    const Evaluator& evaluate;
    HostLoop* loop;
    const DeviceLock* lock;
    MachineSpeed speed;
    CacheSizes caches;
    int64_t memory_bytes;  // most that the operands of a candidate take; 0: any
  };
  BatchMeasurement(const measure::MeasureRequest& request, const Tools& tools,
                   absl::FunctionRef<bool()> cancelled);

  // Machine code, on all cores, under the shared lock.
  void Build();
  // Operands in the layouts that the candidates want; also computes the reference. Under the shared
  // lock.
  void Prepare();
  // Under the exclusive lock: checks and times one after the other, racing the incumbent.
  void Search();
  // Under the exclusive lock: checks all, then times them in turns.
  void Compare();

  std::vector<measure::MeasureResult> TakeResults() { return std::move(results_); }

 private:
  struct Work {
    bool done = false;  // has its result
    std::optional<BuiltKernel> built;
    KernelImage image;
    Operands::Output output{};
    double implausible_below_ns = 0;
    absl::Duration spent;  // of the run limit
  };

  // Ends a candidate.
  void Fail(size_t i, Failure failure);
  void AcceptBuilt(size_t i, BuiltKernel built);
  // Ends all candidates that have no result, by a fault that is not theirs.
  void FailAll(const absl::Status& fault);
  // An error is a fault of this worker.
  absl::StatusOr<std::optional<Failure>> PrepareOne(size_t i, Operands& operands);
  // Calls the kernel that is loaded at `place` and compares. The call counts as seconds.run, the
  // rest as seconds.check.
  std::optional<Failure> Check(size_t i, int place, SandboxedRunner::Call* call = nullptr);
  // The same, then calls it again on the output that it left.
  std::optional<Failure> CheckTwice(size_t i, int place);
  // Compares what its last call left.
  std::optional<Failure> CheckOutput(size_t i) const;
  // After its checking run, which is its first timing and may be the only one.
  void TimeAlone(size_t i, const SandboxedRunner::Call& checked);
  // More often where others disturbed it.
  void TimeInTurns(const std::vector<size_t>& checked);
  void Accept(size_t i, const SandboxedRunner::Timing& timing);
  // What is left of the limit for running candidate i.
  absl::Duration TimeLeft(size_t i) const;
  // False when cancelled. Waiting counts as the candidates' seconds.wait, in equal parts.
  bool TakeLock(DeviceLock::Mode mode, std::optional<DeviceLock::Hold>& hold);
  std::vector<size_t> Unfinished() const;

  const measure::MeasureRequest& request_;
  const Tools tools_;
  const absl::FunctionRef<bool()> cancelled_;
  std::vector<measure::MeasureResult> results_;
  std::vector<Work> work_;
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_BATCH_MEASUREMENT_H_
