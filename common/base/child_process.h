// Child processes: started from an argument vector (never a shell), with exactly the descriptors
// that they are given, in a process group of their own, and gone when we are gone.
//
//   ALT_ASSIGN_OR_RETURN(auto child, ChildProcess::Spawn({
//       .argv = {"/usr/bin/alt-runner", "--fd=3"}, .fds = {{socket.get(), 3}}}));
//   std::optional<ExitStatus> exit = child->WaitFor(absl::Seconds(5));
//   if (!exit) child->Kill();
#ifndef COMMON_BASE_CHILD_PROCESS_H_
#define COMMON_BASE_CHILD_PROCESS_H_

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/base/unique_fd.h"

namespace alt::base {

// How a child ended, and what it used.
struct ExitStatus {
  bool signaled = false;
  int code = 0;    // exit code, when it was not signaled
  int signal = 0;  // when it was signaled
  absl::Duration user_time;
  absl::Duration system_time;
  // Linux counts what the parent had at the moment of exec: no less than our own size then.
  int64_t max_rss_bytes = 0;

  bool ok() const { return !signaled && code == 0; }
  // "exit code 3", "signal 11 (Segmentation fault)"
  std::string ToString() const;
};

struct ChildOptions {
  // The program's path (PATH is not searched) and its arguments.
  std::vector<std::string> argv;

  // "NAME=value" each; none: the parent's environment.
  std::optional<std::vector<std::string>> env;

  // Empty: the parent's.
  std::string working_directory;

  // Descriptor `parent` (borrowed, may be close-on-exec) becomes descriptor `child`. Numbers may
  // overlap in any way. What is not named here is closed, except that an unnamed 0 is /dev/null and
  // unnamed 1 and 2 are the parent's.
  struct Fd {
    int parent;
    int child;
  };
  std::vector<Fd> fds;

  // Killed when the THREAD that spawned it ends (that is the kernel's rule), hence also with the
  // process. False for a server that outlives us.
  bool dies_with_parent = true;

  // Runs in the child right before exec, to set limits. Returns 0 or an errno, which fails Spawn.
  // The child shares our memory at that point: only async-signal-safe calls, no allocation.
  std::function<int()> before_exec;
};

// One child. WaitFor, Wait and Kill may be called from any thread, together.
class ChildProcess {
 public:
  // Fails when the program cannot be started: NotFound or PermissionDenied for the path.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Spawn(const ChildOptions& options);

  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  // Kills the group and reaps, unless it has been waited for or released.
  ~ChildProcess();

  pid_t pid() const { return pid_; }

  // Readable (by poll) once the child has ended.
  int pidfd() const { return pidfd_.get(); }

  // None when the child still runs after `timeout`. When it has ended, what it left in its group is
  // killed. May be called again: the answer stays.
  std::optional<ExitStatus> WaitFor(absl::Duration timeout);
  ExitStatus Wait();

  // Sends a signal to the whole group; nothing happens once the child has been waited for.
  void Kill(int signal = SIGKILL);

  // Lets the child go on without us: the destructor leaves it alone. It has to have been spawned
  // with dies_with_parent = false.
  void Release() { released_ = true; }

 private:
  ChildProcess(pid_t pid, UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
  // For a child that has ended.
  ExitStatus Reap();

  const pid_t pid_;  // also its process group
  const UniqueFd pidfd_;
  std::atomic<bool> released_{false};
  absl::Mutex mutex_;  // between reaping and a kill: a reaped pid may belong to somebody else
  std::optional<ExitStatus> exit_ ABSL_GUARDED_BY(mutex_);  // set once it has been reaped
};

struct CommandResult {
  ExitStatus exit;
  std::string output;  // stdout and stderr together
};

// Runs a program to its end with no input and no descriptors but the output's. DeadlineExceeded
// after `timeout`, OutOfRange past `output_limit_bytes` of output; the program is killed in both
// cases.
absl::StatusOr<CommandResult> RunCommand(ChildOptions options, absl::Duration timeout,
                                         size_t output_limit_bytes = size_t{1} << 20);
inline absl::StatusOr<CommandResult> RunCommand(std::vector<std::string> argv,
                                                absl::Duration timeout,
                                                size_t output_limit_bytes = size_t{1} << 20) {
  return RunCommand(ChildOptions{.argv = std::move(argv)}, timeout, output_limit_bytes);
}

}  // namespace alt::base

#endif  // COMMON_BASE_CHILD_PROCESS_H_
