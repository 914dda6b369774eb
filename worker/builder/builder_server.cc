#include "worker/builder/builder_server.h"

#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "common/base/file.h"
#include "common/base/plain_text.h"
#include "common/base/status_macros.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/lower/lower.h"
#include "worker/sandbox/frame.h"

namespace alt::builder {
namespace {

constexpr size_t kMostTextBytes = size_t{16} << 20;
constexpr int64_t kGrownBytes = int64_t{512} << 20;

// Not by getrusage, whose maximum begins with what the parent had.
bool HasGrown() {
  const std::string statm = base::ReadFile("/proc/self/statm").value_or("");
  const std::vector<absl::string_view> pages = absl::StrSplit(statm, ' ');  // all, resident, ...
  int64_t resident = 0;
  return pages.size() > 1 && absl::SimpleAtoi(pages[1], &resident) &&
         resident * sysconf(_SC_PAGESIZE) > kGrownBytes;
}

BuildReply Failed(BuildStep step, const absl::Status& why) {
  BuildReply reply = {};
  reply.code = static_cast<int32_t>(why.code());
  reply.step = step;
  const std::string message = base::PlainText(why.message(), sizeof(reply.message) - 1);
  memcpy(reply.message, message.c_str(), message.size() + 1);
  return reply;
}

absl::StatusOr<std::string> ReadText(int fd) {
  if (fd < 0) return absl::UnavailableError("no descriptor for the candidate came along");
  if (lseek(fd, 0, SEEK_SET) != 0) return absl::UnavailableError("rewind the candidate");
  return base::ReadAll(fd, kMostTextBytes);
}

}  // namespace

int BuilderServer::Serve() {
  while (true) {
    BuildRequest request;
    int received = -1;
    const ssize_t got = sandbox::ReceiveFrame(socket_, &request, sizeof(request), &received);
    const base::UniqueFd fd(received);
    if (got == 0) return 0;  // the worker is done with us
    if (got != sizeof(request) || request.version != kBuildVersion) return 1;
    base::UniqueFd object;
    const BuildReply reply = Answer(fd.get(), &object);
    const int out = object.get();
    if (!sandbox::SendFrame(socket_, &reply, sizeof(reply), &out, object.valid() ? 1 : 0)) return 1;
    if (HasGrown()) return 0;
  }
}

BuildReply BuilderServer::Answer(int text_fd, base::UniqueFd* object) {
  const absl::StatusOr<std::string> text = ReadText(text_fd);
  if (!text.ok()) return Failed(BuildStep::kHost, text.status());
  BuildStep step = BuildStep::kHost;
  const absl::StatusOr<runtime::Artifact> artifact = Compile(*text, &step);
  if (!artifact.ok()) return Failed(step, artifact.status());
  absl::StatusOr<base::UniqueFd> file = base::MemoryFile(artifact->name, artifact->object);
  if (!file.ok()) return Failed(BuildStep::kHost, file.status());
  *object = *std::move(file);
  BuildReply reply = {};
  strncpy(reply.name, artifact->name.c_str(), sizeof(reply.name) - 1);
  reply.workspace_bytes = artifact->workspace_bytes;
  reply.facts = artifact->facts;
  return reply;
}

absl::StatusOr<runtime::Artifact> BuilderServer::Compile(absl::string_view text, BuildStep* step) {
  *step = BuildStep::kHost;
  const absl::string_view target_text = text.substr(0, text.find('\n'));
  ALT_ASSIGN_OR_RETURN(codegen::Codegen * codegen, CodegenOf(target_text));
  ALT_ASSIGN_OR_RETURN(const target::Target target, target::ParseTarget(target_text));
  *step = BuildStep::kLower;
  ALT_ASSIGN_OR_RETURN(
      const workload::CandidateFile file,
      workload::ParseCandidateFile(text.substr(std::min(text.size(), target_text.size() + 1))));
  ALT_ASSIGN_OR_RETURN(const lower::Kernel lowered,
                       lower::Lower(file.workload, file.candidate, target));
  *step = BuildStep::kCompile;
  return codegen->Compile(lowered.module);
}

absl::StatusOr<codegen::Codegen*> BuilderServer::CodegenOf(absl::string_view target) {
  const auto found = codegens_.find(target);
  if (found != codegens_.end()) return found->second.get();
  ALT_ASSIGN_OR_RETURN(const target::Target parsed, target::ParseTarget(target));
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<codegen::Codegen> codegen,
                       codegen::CreateLlvmCodegen(parsed));
  return (codegens_[std::string(target)] = std::move(codegen)).get();
}

}  // namespace alt::builder
