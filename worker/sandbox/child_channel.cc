#include "worker/sandbox/child_channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "absl/synchronization/notification.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"
#include "worker/sandbox/frame.h"

namespace alt::sandbox {
namespace {

// How long a child has to end by itself after its last words.
constexpr absl::Duration kEndTimeout = absl::Seconds(2);

// How soon a caller's change of mind is noticed.
constexpr absl::Duration kPoll = absl::Milliseconds(50);

// True when a message or the end of the stream can be read before the deadline.
bool WaitReadable(int fd, absl::Duration timeout) {
  const base::RealClock clock;
  const absl::Duration deadline = clock.SteadyNow() + timeout;
  pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
  while (true) {
    const absl::Duration left = std::max(deadline - clock.SteadyNow(), absl::ZeroDuration());
    const timespec wait = absl::ToTimespec(left);
    const int ready = ppoll(&entry, 1, &wait, nullptr);
    if (ready > 0) return true;
    if (ready == 0 && left == absl::ZeroDuration()) return false;
    if (ready < 0 && errno != EINTR) return false;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<base::ChildProcess>> Spawner::Spawn(
    const base::ChildOptions& options) {
  absl::StatusOr<std::unique_ptr<base::ChildProcess>> child = absl::UnknownError("not started yet");
  absl::Notification done;
  thread_.Schedule([&] {
    child = base::ChildProcess::Spawn(options);
    done.Notify();
  });
  done.WaitForNotification();
  return child;
}

absl::StatusOr<std::unique_ptr<ChildChannel>> ChildChannel::Start(Spawner& spawner,
                                                                  const std::string& path,
                                                                  const ProcessLimits& limits) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "socketpair");
  }
  std::unique_ptr<ChildChannel> channel(new ChildChannel(base::UniqueFd(ends[0])));
  const base::UniqueFd theirs(ends[1]);
  ALT_ASSIGN_OR_RETURN(channel->child_,
                       spawner.Spawn({.argv = {path},
                                      .env = std::vector<std::string>{},
                                      .fds = {{theirs.get(), kChildSocket}},
                                      .before_exec = [limits] { return ApplyLimits(limits); }}));
  return channel;
}

std::optional<ChildChannel::Received> ChildChannel::Call(const void* request, size_t request_bytes,
                                                         int fd, absl::Duration timeout,
                                                         absl::FunctionRef<bool()> cancelled,
                                                         void* reply, size_t reply_bytes) {
  if (ended_) return std::nullopt;
  if (!SendFrame(socket_.get(), request, request_bytes, &fd, fd >= 0 ? 1 : 0)) {
    End();
    return std::nullopt;
  }
  for (absl::Duration left = timeout; !WaitReadable(socket_.get(), std::min(left, kPoll));) {
    left -= kPoll;
    end_.cancelled = cancelled();
    end_.timed_out = !end_.cancelled && left <= absl::ZeroDuration();
    if (!end_.cancelled && !end_.timed_out) continue;
    Kill();
    return std::nullopt;
  }
  int received = -1;
  const ssize_t got = ReceiveFrame(socket_.get(), reply, reply_bytes, &received);
  base::UniqueFd descriptor(received);
  if (got <= 0) {
    End();
    return std::nullopt;
  }
  return Received{static_cast<size_t>(got), std::move(descriptor)};
}

bool ChildChannel::alive() {
  if (ended_) return false;
  const std::optional<base::ExitStatus> exit = child_->WaitFor(absl::ZeroDuration());
  if (!exit) return true;
  end_.exit = *exit;
  ended_ = true;
  return false;
}

const ChildEnd& ChildChannel::End() {
  if (ended_) return end_;
  if (const std::optional<base::ExitStatus> exit = child_->WaitFor(kEndTimeout)) {
    end_.exit = *exit;
    ended_ = true;
  } else {
    Kill();
  }
  return end_;
}

void ChildChannel::Kill() {
  child_->Kill();
  end_.exit = child_->Wait();
  ended_ = true;
}

}  // namespace alt::sandbox
