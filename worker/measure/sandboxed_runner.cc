#include "worker/measure/sandboxed_runner.h"

#include <signal.h>
#include <string.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"
#include "common/runtime/cpu/cpu_list.h"

namespace alt::worker {
namespace {

using measure::Outcome;
using sandbox::Command;
using sandbox::Reply;
using sandbox::ReplyStatus;
using sandbox::Request;
using sandbox::RunnerEnd;

// Operands of earlier candidates stay attached, as the next ones often want them again: at most so
// many, and at most this share of the runner's memory limit.
constexpr size_t kMostAttached = 64;
constexpr int64_t kMostAttachedShare = 4;
// For what runs no kernel: attaching, loading.
constexpr absl::Duration kHousekeepingTimeout = absl::Seconds(20);
constexpr absl::Duration kPeakTimeout = absl::Seconds(60);

std::string SignalText(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? absl::StrCat("signal ", signal) : absl::StrCat("SIG", name);
}

// CPU time for `timeout` of wall time on `threads` threads, and then some.
int32_t CpuSeconds(absl::Duration timeout, int threads) {
  const double seconds = absl::ToDoubleSeconds(timeout) * threads + 5;
  return static_cast<int32_t>(std::min(seconds, 1e6));
}

}  // namespace

SandboxedRunner::SandboxedRunner(sandbox::Spawner* spawner, Options options)
    : spawner_(spawner), options_(std::move(options)) {
  runner_options_.path = options_.path;
  runner_options_.cpus = runtime::ChooseCpus(runtime::AllowedCpus(), options_.threads);
}

void SandboxedRunner::SetMemoryLimit(int64_t bytes) {
  if (runner_options_.limits.address_space_bytes == bytes) return;
  runner_options_.limits.address_space_bytes = bytes;
  process_.reset();
}

void SandboxedRunner::SetKernels(std::vector<KernelImage> kernels) {
  ALT_CHECK_LE(kernels.size(), static_cast<size_t>(sandbox::kMaxKernels));
  // Workspaces of kernels that are gone would count against the limit of those to come.
  for (const int place : loaded_) Unload(place);
  kernels_ = std::move(kernels);
  loaded_.clear();
  ++kernels_set_;
  for (const KernelImage& kernel : kernels_) {
    for (const KernelImage::Param& param : kernel.params) {
      const auto found = attached_.find(param.buffer->id());
      if (found != attached_.end()) found->second.last_used = kernels_set_;
    }
  }
  DropOldOperands();
}

void SandboxedRunner::DropOldOperands() {
  const int64_t most_bytes = runner_options_.limits.address_space_bytes / kMostAttachedShare;
  while (attached_.size() > kMostAttached || attached_bytes_ > most_bytes) {
    const auto oldest = std::min_element(
        attached_.begin(), attached_.end(),
        [](const auto& a, const auto& b) { return a.second.last_used < b.second.last_used; });
    if (oldest == attached_.end() || oldest->second.last_used == kernels_set_) return;
    Request request = {.command = Command::kDetach};
    request.detach = {.buffer = oldest->first};
    Tell(request);
    attached_bytes_ -= oldest->second.bytes;
    attached_.erase(oldest);
  }
}

void SandboxedRunner::Unload(int kernel) {
  Request request = {.command = Command::kUnload};
  request.kernel = {.kernel = kernel};
  Tell(request);
}

void SandboxedRunner::Tell(Request request) {
  if (process_ == nullptr || !process_->alive()) return;
  request.cpu_seconds = CpuSeconds(kHousekeepingTimeout, 1);
  Ask(request, -1, kHousekeepingTimeout);
}

absl::Status SandboxedRunner::EnsureProcess() {
  if (process_ != nullptr && process_->alive()) return absl::OkStatus();
  loaded_.clear();
  attached_.clear();
  attached_bytes_ = 0;
  ALT_ASSIGN_OR_RETURN(process_, sandbox::RunnerProcess::Start(*spawner_, runner_options_,
                                                               [this] { return Cancelled(); }));
  return absl::OkStatus();
}

bool SandboxedRunner::Cancelled() const { return cancelled_ && cancelled_(); }

SandboxedRunner::Answer SandboxedRunner::Ask(const Request& request, int fd,
                                             absl::Duration timeout) {
  const std::variant<Reply, RunnerEnd> answer =
      process_->Call(request, fd, timeout, [this] { return Cancelled(); });
  if (const auto* end = std::get_if<RunnerEnd>(&answer)) {
    last_running_ = end->running;
    return FailureOf(*end, timeout);
  }
  const Reply& reply = std::get<Reply>(answer);
  switch (reply.status) {
    case ReplyStatus::kDone:
      return reply;
    case ReplyStatus::kOutOfMemory:
      return Failure{Outcome::kOomHost, reply.message};
    case ReplyStatus::kDamage:
      return Failure{Outcome::kWrongResult, reply.message};
    case ReplyStatus::kBadKernel:
      return Failure{Outcome::kCompileError, reply.message};
    default:
      return Failure{Outcome::kWorkerLost, absl::StrCat("alt-runner: ", reply.message)};
  }
}

Failure SandboxedRunner::FailureOf(const RunnerEnd& end, absl::Duration timeout) const {
  if (end.cancelled) return {Outcome::kCancelled, "cancelled"};
  const bool out_of_time = end.timed_out || (end.exit.signaled && end.exit.signal == SIGXCPU);
  if (out_of_time && end.running < 0) {  // copying operands, loading: a host that hardly moves
    return {Outcome::kWorkerLost, absl::StrCat("alt-runner, which called no kernel, did not answer "
                                               "within ",
                                               absl::FormatDuration(timeout))};
  }
  if (end.timed_out) {
    return {Outcome::kRunTimeout, absl::StrCat("no end within ", absl::FormatDuration(timeout))};
  }
  if (!end.exit.signaled) {
    return {Outcome::kCrashed, absl::StrCat("exited with code ", end.exit.code)};
  }
  const std::string signal = SignalText(end.exit.signal);
  switch (end.exit.signal) {
    case SIGXCPU:
      return {Outcome::kRunTimeout, absl::StrCat("used up its CPU time (", signal, ")")};
    case SIGSYS:
      return {Outcome::kSandboxDenied, "a system call that is not allowed (SIGSYS)"};
    case SIGTERM:
    case SIGINT:
    case SIGHUP:
      return {Outcome::kWorkerLost, absl::StrCat("somebody ended alt-runner with ", signal)};
    case SIGKILL:
      // Not by us: the host's memory ran out, and the runner is the first to go.
      return {Outcome::kOomHost, "killed (SIGKILL), probably because the host ran out of memory"};
    default:
      break;
  }
  if (!end.fault) return {Outcome::kCrashed, signal};
  if (end.fault->out_of_memory) {
    return {Outcome::kOomHost,
            absl::StrCat(signal, " after using up its memory limit of ",
                         runner_options_.limits.address_space_bytes >> 20, " MiB")};
  }
  return {Outcome::kCrashed, absl::StrCat(signal, CrashMessage(*end.fault))};
}

std::string SandboxedRunner::CrashMessage(const sandbox::FaultReply& fault) const {
  if (fault.stack_overflow) return ": stack overflow";
  if (fault.buffer >= 0) {
    const auto found = attached_.find(fault.buffer);
    const std::string name = found == attached_.end() ? "an operand" : found->second.name;
    return absl::StrCat(": store to ", name, ", which is read-only");
  }
  if (fault.signal == SIGSEGV || fault.signal == SIGBUS) {
    return absl::StrCat(" at address 0x", absl::Hex(static_cast<uint64_t>(fault.address)));
  }
  return "";
}

std::optional<Failure> SandboxedRunner::Attach(const KernelImage::Param& param) {
  const GuardedBuffer& buffer = *param.buffer;
  if (attached_.count(buffer.id()) > 0) return std::nullopt;
  Request request = {.command = Command::kAttach,
                     .cpu_seconds = CpuSeconds(kHousekeepingTimeout, 1)};
  request.attach = {
      .buffer = buffer.id(), .bytes = buffer.memory_bytes(), .writable = param.writable};
  const Answer answer = Ask(request, buffer.fd(), kHousekeepingTimeout);
  if (const auto* failure = std::get_if<Failure>(&answer)) return *failure;
  attached_[buffer.id()] = {
      .name = buffer.name(), .bytes = buffer.memory_bytes(), .last_used = kernels_set_};
  attached_bytes_ += buffer.memory_bytes();
  return std::nullopt;
}

std::optional<Failure> SandboxedRunner::EnsureLoaded(int kernel) {
  const absl::Status started = EnsureProcess();
  if (absl::IsCancelled(started)) return Failure{Outcome::kCancelled, "cancelled"};
  if (!started.ok()) {
    return Failure{Outcome::kWorkerLost, absl::StrCat("no runner: ", started.message())};
  }
  if (loaded_.count(kernel) > 0) return std::nullopt;
  const KernelImage& image = kernels_.at(static_cast<size_t>(kernel));
  Request request = {.command = Command::kLoad, .cpu_seconds = CpuSeconds(kHousekeepingTimeout, 1)};
  sandbox::LoadRequest& load = request.load;
  load = {.kernel = kernel,
          .num_params = static_cast<int32_t>(image.params.size()),
          .workspace_bytes = image.workspace_bytes};
  if (image.params.size() > sandbox::kMaxParams || image.symbol.size() >= sizeof(load.symbol)) {
    return Failure{Outcome::kCompileError, "too many parameters, or too long a name"};
  }
  for (size_t i = 0; i < image.params.size(); ++i) {
    const GuardedBuffer& buffer = *image.params[i].buffer;
    if (auto failure = Attach(image.params[i])) return failure;
    load.params[i] = {.buffer = buffer.id(), .offset = buffer.offset(), .bytes = buffer.bytes()};
  }
  memcpy(load.symbol, image.symbol.c_str(), image.symbol.size() + 1);
  const Answer answer = Ask(request, image.object_fd, kHousekeepingTimeout);
  if (const auto* failure = std::get_if<Failure>(&answer)) return *failure;
  loaded_.insert(kernel);
  return std::nullopt;
}

std::optional<Failure> SandboxedRunner::Run(int kernel, absl::Duration timeout, Call* call) {
  if (auto failure = EnsureLoaded(kernel)) return failure;
  Request request = {.command = Command::kRun,
                     .cpu_seconds = CpuSeconds(timeout, options_.threads)};
  request.kernel = {.kernel = kernel};
  const Answer answer = Ask(request, -1, timeout);
  if (const auto* failure = std::get_if<Failure>(&answer)) return *failure;
  const Reply& reply = std::get<Reply>(answer);
  if (call != nullptr) *call = {.ns = reply.run_ns, .disturbed = reply.disturbed};
  return std::nullopt;
}

std::variant<SandboxedRunner::Timing, Failure> SandboxedRunner::TimeAlone(
    int kernel, const sandbox::TimingPolicy& policy, absl::Duration timeout) {
  if (auto failure = EnsureLoaded(kernel)) return *failure;
  Request request = {.command = Command::kTime,
                     .cpu_seconds = CpuSeconds(timeout, options_.threads)};
  request.time = {.num_kernels = 1, .kernels = {kernel}, .anchor = true, .policy = policy};
  const Answer answer = Ask(request, -1, timeout);
  if (const auto* failure = std::get_if<Failure>(&answer)) return *failure;
  const auto stop = static_cast<sandbox::StopReason>(std::get<Reply>(answer).stop);
  return Timing{.samples = process_->TakeSamples(),
                .censored = stop == sandbox::StopReason::kCensored};
}

std::optional<std::pair<size_t, Failure>> SandboxedRunner::TryInTurns(
    const std::vector<int>& kernels, const sandbox::TimingPolicy& policy, absl::Duration timeout,
    std::vector<std::vector<sandbox::Sample>>& samples) {
  Request request = {.command = Command::kTime,
                     .cpu_seconds = CpuSeconds(timeout, options_.threads)};
  request.time = {
      .num_kernels = static_cast<int32_t>(kernels.size()), .anchor = true, .policy = policy};
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (auto failure = EnsureLoaded(kernels[i])) return std::make_pair(i, *failure);
    request.time.kernels[i] = kernels[i];
  }
  const Answer answer = Ask(request, -1, timeout);
  if (const auto* failure = std::get_if<Failure>(&answer)) {
    const auto guilty = std::find(kernels.begin(), kernels.end(), last_running_);
    // Between two kernels nobody was running: then the first one stands for all.
    const size_t which = guilty == kernels.end() ? 0 : guilty - kernels.begin();
    return std::make_pair(which, *failure);
  }
  samples = SamplesByKernel(process_->TakeSamples(), kernels);
  return std::nullopt;
}

std::vector<std::variant<SandboxedRunner::Timing, Failure>> SandboxedRunner::TimeInTurns(
    const std::vector<int>& kernels, const sandbox::TimingPolicy& policy, absl::Duration timeout) {
  std::vector<std::variant<Timing, Failure>> answers(kernels.size());
  std::vector<int> left = kernels;
  std::vector<size_t> places(kernels.size());  // of left's kernels among the answers
  for (size_t i = 0; i < places.size(); ++i) places[i] = i;
  while (!left.empty()) {
    std::vector<std::vector<sandbox::Sample>> samples;
    const auto blamed = TryInTurns(left, policy, timeout, samples);
    if (!blamed) {
      for (size_t i = 0; i < left.size(); ++i) answers[places[i]] = Timing{std::move(samples[i])};
      break;
    }
    answers[places[blamed->first]] = blamed->second;
    left.erase(left.begin() + static_cast<ptrdiff_t>(blamed->first));
    places.erase(places.begin() + static_cast<ptrdiff_t>(blamed->first));
  }
  return answers;
}

absl::StatusOr<sandbox::PeakReply> SandboxedRunner::MeasurePeak() { return AskPeak({}); }

absl::StatusOr<sandbox::PeakReply> SandboxedRunner::MeasurePeak(const CacheSizes& caches) {
  return AskPeak({.memory = true, .cache_bytes = {caches.l1, caches.l2, caches.l3}});
}

absl::StatusOr<sandbox::PeakReply> SandboxedRunner::AskPeak(const sandbox::PeakRequest& peak) {
  ALT_RETURN_IF_ERROR(EnsureProcess());
  Request request = {.command = Command::kPeak,
                     .cpu_seconds = CpuSeconds(kPeakTimeout, options_.threads)};
  request.peak = peak;
  const Answer answer = Ask(request, -1, kPeakTimeout);
  if (const auto* failure = std::get_if<Failure>(&answer)) {
    if (failure->outcome == Outcome::kCancelled) return absl::CancelledError("cancelled");
    return absl::UnavailableError(absl::StrCat("measure the peak: ", failure->message));
  }
  return std::get<Reply>(answer).peak;
}

}  // namespace alt::worker
