// Measures candidates on this machine's CPU.
#ifndef WORKER_MEASURE_LOCAL_MEASURER_H_
#define WORKER_MEASURE_LOCAL_MEASURER_H_

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/codegen/link.h"
#include "common/measure/environment.h"
#include "common/measure/measurer.h"
#include "worker/measure/activity.h"
#include "worker/measure/builder.h"
#include "worker/measure/device_lock.h"
#include "worker/measure/operands.h"
#include "worker/measure/plausibility.h"
#include "worker/measure/sandboxed_runner.h"
#include "worker/measure/timing.h"
#include "worker/sandbox/runner_process.h"

namespace alt::worker {

// A candidate is lowered, compiled and linked here (a batch on all cores), then called in
// alt-runner:
//
//   build  ->  check  ->  time  ->  check again
//
// The check compares its output with a reference, bit for bit where the algorithm allows; inputs
// cannot be written to, memory around the output is guarded. Whatever a candidate does wrong is its
// result. Building holds the device's lock shared, timing exclusively.
//
// Safe from every thread; one request at a time, others wait.
class LocalMeasurer : public measure::Measurer {
 public:
  struct Options {
    CodegenFactory codegen;    // one generator a target is made and kept, for references
    std::string builder_path;  // of alt-builder; empty: candidates are compiled here, by `codegen`
    codegen::LinkOptions link;
    std::string runner_path;       // of alt-runner
    std::string lock_path;         // shared by all workers of the device (DeviceLockPath)
    Activity* activity = nullptr;  // told what takes long; outlives the measurer. Null: nobody
    int max_threads = 1;           // of a kernel
    int build_threads = 1;
    CacheSizes caches;
    int64_t operand_bytes = int64_t{1} << 30;  // of operands and references that are kept
    int64_t memory_bytes = 0;                  // most that a workload's operands take; 0: any
  };
  static absl::StatusOr<std::unique_ptr<LocalMeasurer>> Create(Options options);

  std::vector<measure::MeasureResult> Measure(const measure::MeasureRequest& request,
                                              absl::FunctionRef<bool()> cancelled) override;

  // How fast this machine is, about a second. For facts and `alt peak`; callers keep it.
  // Cancelled once `cancelled` says true while another worker measures.
  absl::StatusOr<measure::Peak> MeasurePeak(int threads, absl::FunctionRef<bool()> cancelled);

 private:
  // What measuring for one target takes.
  struct Backend {
    std::shared_ptr<codegen::Codegen> codegen;
    std::unique_ptr<Builder> builder;
    std::unique_ptr<SandboxedRunner> runner;
    std::optional<MachineSpeed> speed;  // once measured
  };
  // Inputs of a workload that were used lately.
  struct KeptOperands {
    std::string key;
    std::unique_ptr<Operands> operands;
  };

  LocalMeasurer(Options options, std::unique_ptr<DeviceLock> lock)
      : options_(std::move(options)),
        lock_(std::move(lock)),
        reference_runner_(&spawner_, {options_.runner_path, options_.build_threads}) {}

  // The result of all candidates when the operands have no room.
  std::optional<measure::MeasureResult> RefuseSize(const workload::Workload& workload) const;
  absl::StatusOr<Backend*> BackendOf(const target::Target& target,
                                     absl::FunctionRef<bool()> cancelled)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Operands*> OperandsOf(const measure::MeasureRequest& request, HostLoop& loop)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<std::vector<measure::MeasureResult>> TryMeasure(
      const measure::MeasureRequest& request, absl::FunctionRef<bool()> cancelled)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  const std::unique_ptr<DeviceLock> lock_;
  sandbox::Spawner spawner_;
  absl::Mutex mutex_;
  std::map<std::string, Backend> backends_ ABSL_GUARDED_BY(mutex_);  // by target text
  std::list<KeptOperands> operands_ ABSL_GUARDED_BY(mutex_);         // latest first
  SandboxedRunner reference_runner_ ABSL_GUARDED_BY(mutex_);         // on all build threads
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_LOCAL_MEASURER_H_
