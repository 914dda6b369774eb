// A child process that answers requests over a socket, seen from the worker: alt-runner,
// alt-builder.
#ifndef WORKER_SANDBOX_CHILD_CHANNEL_H_
#define WORKER_SANDBOX_CHILD_CHANNEL_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/child_process.h"
#include "common/base/thread_pool.h"
#include "common/base/unique_fd.h"
#include "worker/sandbox/limits.h"

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

// How a child ended in the middle of a request.
struct ChildEnd {
  bool timed_out = false;  // and was killed by us
  bool cancelled = false;  // as was this
  base::ExitStatus exit;
};

// One thread at a time. The process ends with this object, with the worker, or by itself; after
// that, every Call fails.
class ChildChannel {
 public:
  // `spawner` outlives the process, whose descriptor kChildSocket (frame.h) is the socket.
  static absl::StatusOr<std::unique_ptr<ChildChannel>> Start(Spawner& spawner,
                                                             const std::string& path,
                                                             const ProcessLimits& limits);

  struct Received {
    size_t bytes;
    base::UniqueFd fd;  // that came along, if any
  };
  // Sends `request`, with a descriptor unless `fd` is -1, and waits for a frame, which goes to
  // `reply`. None: the child has ended (End says how), also when there was no reply within
  // `timeout`, or none before `cancelled`, which is polled, said true.
  template <typename Request, typename Reply>
  std::optional<Received> Call(const Request& request, int fd, absl::Duration timeout,
                               absl::FunctionRef<bool()> cancelled, Reply* reply) {
    return Call(&request, sizeof(request), fd, timeout, cancelled, reply, sizeof(*reply));
  }

  // False once it has ended, whether by a call or by itself.
  bool alive();
  // Waits a little for the end of a child that has said its last words, then kills it.
  const ChildEnd& End();

 private:
  explicit ChildChannel(base::UniqueFd socket) : socket_(std::move(socket)) {}
  std::optional<Received> Call(const void* request, size_t request_bytes, int fd,
                               absl::Duration timeout, absl::FunctionRef<bool()> cancelled,
                               void* reply, size_t reply_bytes);
  void Kill();

  base::UniqueFd socket_;
  std::unique_ptr<base::ChildProcess> child_;
  bool ended_ = false;
  ChildEnd end_;  // once it has ended
};

}  // namespace alt::sandbox

#endif  // WORKER_SANDBOX_CHILD_CHANNEL_H_
