#include "worker/sandbox/runner_process.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"

namespace alt::sandbox {
namespace {

// A runner starts in about a millisecond; a loaded machine may take a thousand times as long.
constexpr absl::Duration kStartTimeout = absl::Seconds(20);
// How long a runner has to end by itself after its last words.
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

absl::StatusOr<std::unique_ptr<RunnerProcess>> RunnerProcess::Start(Spawner& spawner,
                                                                    const RunnerOptions& options) {
  if (options.cpus.empty() || options.cpus.size() > kMaxThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("start alt-runner: ", options.cpus.size(), " threads"));
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "socketpair");
  }
  base::UniqueFd ours(ends[0]), theirs(ends[1]);
  ALT_ASSIGN_OR_RETURN(SharedMemory board, SharedMemory::Create("alt-board", sizeof(Board)));
  std::unique_ptr<RunnerProcess> runner(new RunnerProcess(std::move(ours), std::move(board)));
  const ProcessLimits limits = options.limits;
  ALT_ASSIGN_OR_RETURN(runner->child_,
                       spawner.Spawn({.argv = {options.path},
                                      .env = std::vector<std::string>{},
                                      .fds = {{theirs.get(), kRunnerSocket}},
                                      .before_exec = [limits] { return ApplyLimits(limits); }}));
  theirs.Reset();
  ALT_RETURN_IF_ERROR(base::Annotate(runner->Hello(options), absl::StrCat("start ", options.path)));
  return runner;
}

absl::Status RunnerProcess::Hello(const RunnerOptions& options) {
  Request request = {.command = Command::kHello, .cpu_seconds = 10};
  request.hello = {.version = kProtocolVersion,
                   .threads = static_cast<int32_t>(options.cpus.size())};
  std::copy(options.cpus.begin(), options.cpus.end(), request.hello.cpus);
  const std::variant<Reply, RunnerEnd> answer = Call(request, board_.fd(), kStartTimeout);
  if (const auto* end = std::get_if<RunnerEnd>(&answer)) {
    return absl::UnavailableError(end->timed_out ? "no answer" : end->exit.ToString());
  }
  const Reply& reply = std::get<Reply>(answer);
  if (reply.status == ReplyStatus::kDone) return absl::OkStatus();
  return absl::FailedPreconditionError(reply.message);
}

std::variant<Reply, RunnerEnd> RunnerProcess::Call(const Request& request, int fd,
                                                   absl::Duration timeout,
                                                   absl::FunctionRef<bool()> cancelled) {
  if (exit_) return End(false, nullptr);
  board().num_samples = 0;
  board().running = -1;
  if (!SendFrame(socket_.get(), &request, sizeof(request), &fd, fd >= 0 ? 1 : 0)) {
    return End(false, nullptr);
  }
  for (absl::Duration left = timeout; !WaitReadable(socket_.get(), std::min(left, kPoll));) {
    left -= kPoll;
    const bool give_up = cancelled();
    if (!give_up && left > absl::ZeroDuration()) continue;
    RunnerEnd end = End(true, nullptr);
    end.timed_out = !give_up;
    end.cancelled = give_up;
    return end;
  }
  Reply reply;
  int unwanted;
  const ssize_t got = ReceiveFrame(socket_.get(), &reply, sizeof(reply), &unwanted);
  base::UniqueFd dropped(unwanted);
  if (got != sizeof(reply)) return End(false, nullptr);
  if (reply.status == ReplyStatus::kFault) return End(false, &reply);
  reply.message[sizeof(reply.message) - 1] = '\0';
  return reply;
}

RunnerEnd RunnerProcess::End(bool timed_out, const Reply* last_words) {
  RunnerEnd end{.timed_out = timed_out, .running = board().running};
  if (last_words != nullptr) end.fault = last_words->fault;
  if (!exit_) {
    if (!timed_out) exit_ = child_->WaitFor(kEndTimeout);
    if (!exit_) {
      child_->Kill();
      exit_ = child_->Wait();
    }
  }
  end.exit = *exit_;
  return end;
}

bool RunnerProcess::alive() {
  if (!exit_) exit_ = child_->WaitFor(absl::ZeroDuration());
  return !exit_;
}

std::vector<Sample> RunnerProcess::TakeSamples() const {
  const int count = std::clamp<int>(board().num_samples, 0, kMaxSamples);
  return std::vector<Sample>(board().samples, board().samples + count);
}

}  // namespace alt::sandbox
