// One alt-runner process, seen from the worker.
#ifndef WORKER_SANDBOX_RUNNER_PROCESS_H_
#define WORKER_SANDBOX_RUNNER_PROCESS_H_

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "worker/sandbox/child_channel.h"
#include "worker/sandbox/frame.h"
#include "worker/sandbox/limits.h"
#include "worker/sandbox/shared_memory.h"

namespace alt::sandbox {

struct RunnerOptions {
  std::string path;       // of the program
  std::vector<int> cpus;  // one for each thread of kernels
  ProcessLimits limits;
};

// How a runner ended in the middle of a request.
struct RunnerEnd : ChildEnd {
  std::optional<FaultReply> fault;  // what its signal handler said last
  int running = -1;                 // the kernel that was being called, if any
};

// A running alt-runner. One thread at a time. The process ends with this object, with the worker,
// or when it crashes; after that, every Call fails.
class RunnerProcess {
 public:
  // `spawner` outlives the process.
  // Cancelled once `cancelled`, which is polled, says true.
  static absl::StatusOr<std::unique_ptr<RunnerProcess>> Start(
      Spawner& spawner, const RunnerOptions& options,
      absl::FunctionRef<bool()> cancelled = [] { return false; });

  // A reply that is not kFault, or how the runner ended instead: also when there is
  // no reply within `timeout`, or none before `cancelled`, which is polled, says true. `fd` is a
  // descriptor to pass along, or -1.
  std::variant<Reply, RunnerEnd> Call(
      const Request& request, int fd, absl::Duration timeout,
      absl::FunctionRef<bool()> cancelled = [] { return false; });

  // False once it has ended, whether by a call or by itself.
  bool alive() { return channel_->alive(); }

  // Samples of the last kTime, in the order of timing.
  std::vector<Sample> TakeSamples() const;

 private:
  RunnerProcess(std::unique_ptr<ChildChannel> channel, SharedMemory board)
      : channel_(std::move(channel)), board_(std::move(board)) {}
  Board& board() const { return *reinterpret_cast<Board*>(board_.data()); }
  absl::Status Hello(const RunnerOptions& options, absl::FunctionRef<bool()> cancelled);
  RunnerEnd End();

  const std::unique_ptr<ChildChannel> channel_;
  SharedMemory board_;
};

}  // namespace alt::sandbox

#endif  // WORKER_SANDBOX_RUNNER_PROCESS_H_
