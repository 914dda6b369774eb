#include "worker/measure/compiler.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "common/lower/lower.h"
#include "worker/builder/build_frame.h"

namespace alt::worker {
namespace {

using builder::BuildReply;
using builder::BuildRequest;
using builder::BuildStep;
using measure::Outcome;

// A kernel that needs as much to be compiled never wins. Objects are memory files, which count as
// files.
constexpr sandbox::ProcessLimits kLimits = {.address_space_bytes = int64_t{4} << 30,
                                            .file_size_bytes = int64_t{1} << 30};
constexpr size_t kMostObjectBytes = size_t{1} << 30;

// A candidate that does not apply was a mistake of whoever proposed it; everything else is ours.
Failure LoweringFailure(const absl::Status& status) {
  const bool refused = absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status);
  return {refused ? Outcome::kRejected : Outcome::kCompileError, std::string(status.message())};
}

Failure FaultOfHost(const absl::Status& status) {
  return {Outcome::kWorkerLost, absl::StrCat("alt-builder: ", status.message())};
}

Failure FailureOfEnd(const sandbox::ChildEnd& end, absl::Duration limit) {
  if (end.cancelled) return {Outcome::kCancelled, "cancelled"};
  if (end.timed_out) {
    return {Outcome::kCompileTimeout,
            absl::StrCat("not compiled within ", absl::FormatDuration(limit))};
  }
  switch (end.exit.signaled ? end.exit.signal : 0) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGABRT:
    case SIGTRAP:
      return {Outcome::kCompileError,
              absl::StrCat("the compiler ended with ", end.exit.ToString(), "; it may use ",
                           kLimits.address_space_bytes >> 20, " MiB")};
    default:  // the memory of the host ran out, or somebody ended it
      return FaultOfHost(absl::UnavailableError(end.exit.ToString()));
  }
}

absl::StatusOr<std::string> ReadObject(int fd) {
  if (fd < 0) return absl::UnavailableError("no descriptor left for the object");
  if (lseek(fd, 0, SEEK_SET) != 0) return absl::ErrnoToStatus(errno, "rewind the object");
  return base::ReadAll(fd, kMostObjectBytes);
}

std::variant<runtime::Artifact, Failure> Read(BuildReply& reply, int object) {
  reply.message[sizeof(reply.message) - 1] = reply.name[sizeof(reply.name) - 1] = '\0';
  const absl::Status status(static_cast<absl::StatusCode>(reply.code), reply.message);
  if (!status.ok()) {
    switch (reply.step) {
      case BuildStep::kHost:
        return FaultOfHost(status);
      case BuildStep::kLower:
        return LoweringFailure(status);
      case BuildStep::kCompile:
        return FailureOf(status);
    }
  }
  absl::StatusOr<std::string> bytes = ReadObject(object);
  if (!bytes.ok()) return FaultOfHost(bytes.status());
  return runtime::Artifact{.object = *std::move(bytes),
                           .name = reply.name,
                           .workspace_bytes = reply.workspace_bytes,
                           .facts = reply.facts};
}

}  // namespace

std::variant<runtime::Artifact, Failure> InProcessCompiler::Compile(
    const workload::CandidateFile& file, const target::Target& target, absl::Duration,
    absl::FunctionRef<bool()>) {
  absl::StatusOr<lower::Kernel> lowered = lower::Lower(file.workload, file.candidate, target);
  if (!lowered.ok()) return LoweringFailure(lowered.status());
  absl::StatusOr<runtime::Artifact> artifact = codegen_->Compile(lowered->module);
  if (!artifact.ok()) return FailureOf(artifact.status());
  return *std::move(artifact);
}

absl::Status ProcessCompiler::EnsureProcess() {
  if (process_ != nullptr && process_->alive()) return absl::OkStatus();
  process_.reset();
  ALT_ASSIGN_OR_RETURN(process_, sandbox::ChildChannel::Start(*spawner_, path_, kLimits));
  return absl::OkStatus();
}

std::variant<runtime::Artifact, Failure> ProcessCompiler::Compile(
    const workload::CandidateFile& file, const target::Target& target, absl::Duration limit,
    absl::FunctionRef<bool()> cancelled) {
  const absl::StatusOr<base::UniqueFd> text = base::MemoryFile(
      "candidate", absl::StrCat(target::PrintTarget(target), "\n", workload::Print(file)));
  if (!text.ok()) return FaultOfHost(text.status());
  // A process that has grown ends after its reply, which may be seen only by the next request.
  for (const bool last : {false, true}) {
    if (const absl::Status started = EnsureProcess(); !started.ok()) return FaultOfHost(started);
    BuildReply reply;
    const auto received = process_->Call(BuildRequest{}, text->get(), limit, cancelled, &reply);
    if (received && received->bytes == sizeof(reply)) return Read(reply, received->fd.get());
    const sandbox::ChildEnd end = process_->End();
    const bool by_itself = !end.cancelled && !end.timed_out && end.exit.ok();
    if (!by_itself || last) return FailureOfEnd(end, limit);
  }
  return Failure{Outcome::kWorkerLost, "alt-builder ends by itself"};
}

}  // namespace alt::worker
