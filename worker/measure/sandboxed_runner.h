// Runs and times compiled kernels in alt-runner processes.
#ifndef WORKER_MEASURE_SANDBOXED_RUNNER_H_
#define WORKER_MEASURE_SANDBOXED_RUNNER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/unique_fd.h"
#include "worker/measure/failure.h"
#include "worker/measure/guarded_buffer.h"
#include "worker/measure/timing.h"
#include "worker/sandbox/frame.h"
#include "worker/sandbox/runner_process.h"
#include "worker/sandbox/stopping_rule.h"

namespace alt::worker {

// A compiled kernel and what it is called with.
struct KernelImage {
  int object_fd = -1;  // a shared object; borrowed
  std::string symbol;  // of an alt_kernel
  struct Param {
    const GuardedBuffer* buffer;  // borrowed
    bool writable;                // a store to others is a crash
  };
  std::vector<Param> params;
  int64_t workspace_bytes = 0;  // for each thread
};

// Starts a runner when one is needed and a fresh one after a crash or a timeout; otherwise one
// process serves many candidates (starting it takes 1 to 2 ms). What happens to a kernel is a
// Failure of that kernel and leaves no trace for the next one. One thread at a time.
class SandboxedRunner {
 public:
  struct Options {
    std::string path;  // of alt-runner
    int threads = 1;   // of a kernel
  };
  // `spawner` outlives it.
  SandboxedRunner(sandbox::Spawner* spawner, Options options);

  // For runners started from now on; a running one with another limit ends.
  void SetMemoryLimit(int64_t bytes);

  // The next call gets a fresh process: for after a kernel that may have written anywhere.
  void Restart() { process_.reset(); }

  // Asked while a runner starts or works, until the next call of this; what it says true to is
  // kCancelled, and its process ends. Null: never.
  void SetCancelled(std::function<bool()> cancelled) { cancelled_ = std::move(cancelled); }

  // Puts kernels into places 0, 1, ... in place of what was there. What they refer to stays alive
  // until the next SetKernels. Nothing runs yet: a kernel is loaded before its first call, and
  // again in a fresh runner.
  void SetKernels(std::vector<KernelImage> kernels);

  // Calls a kernel once; `call` is filled in unless it fails.
  struct Call {
    double ns = 0;
    bool disturbed = false;  // another process had one of its CPUs meanwhile
  };
  std::optional<Failure> Run(int kernel, absl::Duration timeout, Call* call = nullptr);

  // Times one kernel by policy.
  struct Timing {
    std::vector<sandbox::Sample> samples;
    bool censored = false;
  };
  std::variant<Timing, Failure> TimeAlone(int kernel, const sandbox::TimingPolicy& policy,
                                          absl::Duration timeout);

  // Times several in turns, with the FMA loop in turns too. A kernel that fails meanwhile is taken
  // out, and the others begin again. One answer for each of `kernels`.
  std::vector<std::variant<Timing, Failure>> TimeInTurns(const std::vector<int>& kernels,
                                                         const sandbox::TimingPolicy& policy,
                                                         absl::Duration timeout);

  // How fast the machine is with this number of threads. With the sizes of its caches (frame.h)
  // also read_gbs and theirs, which takes a second.
  absl::StatusOr<sandbox::PeakReply> MeasurePeak();
  absl::StatusOr<sandbox::PeakReply> MeasurePeak(const CacheSizes& caches);

 private:
  // A reply of the runner, or how the kernel that it is about failed.
  using Answer = std::variant<sandbox::Reply, Failure>;

  absl::Status EnsureProcess();
  bool Cancelled() const;
  std::optional<Failure> EnsureLoaded(int kernel);
  void Unload(int kernel);
  std::optional<Failure> Attach(const KernelImage::Param& param);
  // Detaches what was used longest ago, though nothing that `kernels_` need.
  void DropOldOperands();
  // A request without a kernel; a runner that ends of it is replaced.
  void Tell(sandbox::Request request);
  Answer Ask(const sandbox::Request& request, int fd, absl::Duration timeout);
  Failure FailureOf(const sandbox::RunnerEnd& end, absl::Duration timeout) const;
  std::string CrashMessage(const sandbox::FaultReply& fault) const;
  absl::StatusOr<sandbox::PeakReply> AskPeak(const sandbox::PeakRequest& peak);
  // Times in turns and blames one kernel at most.
  std::optional<std::pair<size_t, Failure>> TryInTurns(
      const std::vector<int>& kernels, const sandbox::TimingPolicy& policy, absl::Duration timeout,
      std::vector<std::vector<sandbox::Sample>>& samples);

  sandbox::Spawner* const spawner_;
  const Options options_;
  sandbox::RunnerOptions runner_options_;
  std::function<bool()> cancelled_;
  std::vector<KernelImage> kernels_;

  std::unique_ptr<sandbox::RunnerProcess> process_;  // null: none runs
  // What the process has.
  std::set<int> loaded_;
  struct Attached {
    std::string name;
    int64_t bytes = 0;
    int64_t last_used = 0;  // by the kernels of this SetKernels, counted
  };
  std::map<int64_t, Attached> attached_;  // by id
  int64_t attached_bytes_ = 0;
  int64_t kernels_set_ = 0;
  int last_running_ = -1;  // the kernel that was called when the last process ended
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_SANDBOXED_RUNNER_H_
