#include "worker/sandbox/runner_process.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::sandbox {
namespace {

// A runner starts in about a millisecond; a loaded machine may take a thousand times as long.
constexpr absl::Duration kStartTimeout = absl::Seconds(20);

}  // namespace

absl::StatusOr<std::unique_ptr<RunnerProcess>> RunnerProcess::Start(
    Spawner& spawner, const RunnerOptions& options, absl::FunctionRef<bool()> cancelled) {
  if (options.cpus.empty() || options.cpus.size() > kMaxThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("start alt-runner: ", options.cpus.size(), " threads"));
  }
  ALT_ASSIGN_OR_RETURN(SharedMemory board, SharedMemory::Create("alt-board", sizeof(Board)));
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<ChildChannel> channel,
                       ChildChannel::Start(spawner, options.path, options.limits));
  std::unique_ptr<RunnerProcess> runner(new RunnerProcess(std::move(channel), std::move(board)));
  ALT_RETURN_IF_ERROR(
      base::Annotate(runner->Hello(options, cancelled), absl::StrCat("start ", options.path)));
  return runner;
}

absl::Status RunnerProcess::Hello(const RunnerOptions& options,
                                  absl::FunctionRef<bool()> cancelled) {
  Request request = {.command = Command::kHello, .cpu_seconds = 10};
  request.hello = {.version = kProtocolVersion,
                   .threads = static_cast<int32_t>(options.cpus.size())};
  std::copy(options.cpus.begin(), options.cpus.end(), request.hello.cpus);
  const std::variant<Reply, RunnerEnd> answer =
      Call(request, board_.fd(), kStartTimeout, cancelled);
  if (const auto* end = std::get_if<RunnerEnd>(&answer)) {
    if (end->cancelled) return absl::CancelledError("cancelled");
    return absl::UnavailableError(end->timed_out ? "no answer" : end->exit.ToString());
  }
  const Reply& reply = std::get<Reply>(answer);
  if (reply.status == ReplyStatus::kDone) return absl::OkStatus();
  return absl::FailedPreconditionError(reply.message);
}

std::variant<Reply, RunnerEnd> RunnerProcess::Call(const Request& request, int fd,
                                                   absl::Duration timeout,
                                                   absl::FunctionRef<bool()> cancelled) {
  if (!channel_->alive()) return End();
  board().num_samples = 0;
  board().running = -1;
  Reply reply;
  const auto received = channel_->Call(request, fd, timeout, cancelled, &reply);
  if (!received || received->bytes != sizeof(reply)) return End();
  if (reply.status == ReplyStatus::kFault) {
    RunnerEnd end = End();
    end.fault = reply.fault;
    return end;
  }
  reply.message[sizeof(reply.message) - 1] = '\0';
  return reply;
}

RunnerEnd RunnerProcess::End() {
  RunnerEnd end{channel_->End()};
  end.running = board().running;
  return end;
}

std::vector<Sample> RunnerProcess::TakeSamples() const {
  const int count = std::clamp<int>(board().num_samples, 0, kMaxSamples);
  return std::vector<Sample>(board().samples, board().samples + count);
}

}  // namespace alt::sandbox
