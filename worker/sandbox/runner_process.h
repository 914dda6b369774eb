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
#include "common/base/child_process.h"
#include "common/base/thread_pool.h"
#include "common/base/unique_fd.h"
#include "worker/sandbox/frame.h"
#include "worker/sandbox/limits.h"
#include "worker/sandbox/shared_memory.h"

namespace alt::sandbox {

// Starts processes on a thread that lives as long as it: the kernel ties a child's parent-death
// signal to the thread that made it, and whoever calls the worker may come from a thread that ends
// earlier. Safe from every thread.
class Spawner {
 public:
  absl::StatusOr<std::unique_ptr<base::ChildProcess>> Spawn(const base::ChildOptions& options);

 private:
  base::ThreadPool thread_{1};
};

struct RunnerOptions {
  std::string path;       // of the program
  std::vector<int> cpus;  // one for each thread of kernels
  ProcessLimits limits;
};

// How a runner ended in the middle of a request.
struct RunnerEnd {
  bool timed_out = false;  // and was killed by us
  bool cancelled = false;  // as was this
  base::ExitStatus exit;
  std::optional<FaultReply> fault;  // what its signal handler said last
  int running = -1;                 // the kernel that was being called, if any
};

// A running alt-runner. One thread at a time. The process ends with this object, with the worker,
// or when it crashes; after that, every Call fails.
class RunnerProcess {
 public:
  // `spawner` outlives the process.
  static absl::StatusOr<std::unique_ptr<RunnerProcess>> Start(Spawner& spawner,
                                                              const RunnerOptions& options);

  // A reply that is not kFault, or how the runner ended instead: also when there is
  // no reply within `timeout`, or none before `cancelled`, which is polled, says true. `fd` is a
  // descriptor to pass along, or -1.
  std::variant<Reply, RunnerEnd> Call(
      const Request& request, int fd, absl::Duration timeout,
      absl::FunctionRef<bool()> cancelled = [] { return false; });

  // False once it has ended, whether by a call or by itself.
  bool alive();

  // Samples of the last kTime, in the order of timing.
  std::vector<Sample> TakeSamples() const;

 private:
  RunnerProcess(base::UniqueFd socket, SharedMemory board)
      : socket_(std::move(socket)), board_(std::move(board)) {}
  Board& board() const { return *reinterpret_cast<Board*>(board_.data()); }
  absl::Status Hello(const RunnerOptions& options);
  // Kills it if it still runs.
  RunnerEnd End(bool timed_out, const Reply* last_words);

  base::UniqueFd socket_;
  SharedMemory board_;
  std::unique_ptr<base::ChildProcess> child_;
  std::optional<base::ExitStatus> exit_;  // once it has ended
};

}  // namespace alt::sandbox

#endif  // WORKER_SANDBOX_RUNNER_PROCESS_H_
