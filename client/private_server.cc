#include "client/private_server.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "client/include/alt/tuning_client.h"
#include "common/base/file.h"
#include "common/base/host_name.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"

namespace alt::client {
namespace {

// SQLite may have a long log to replay.
constexpr absl::Duration kStartTimeout = absl::Seconds(30);
constexpr absl::Duration kStopGrace = absl::Seconds(10);
constexpr char kSocketName[] = "s";

// By the exit codes that all programs share.
absl::StatusCode CodeOf(const base::ExitStatus& exit) {
  switch (exit.signaled ? 1 : exit.code) {
    case 2:
      return absl::StatusCode::kInvalidArgument;
    case 4:
      return absl::StatusCode::kAborted;
    case 5:
      return absl::StatusCode::kPermissionDenied;
    case 6:
      return absl::StatusCode::kUnimplemented;
    default:
      return absl::StatusCode::kFailedPrecondition;
  }
}

constexpr absl::string_view kFolderPrefix = "alt-client-";

// Whether the path of a socket, with its closing zero, fits into an address.
bool SocketPathFits(const std::string& parent) {
  constexpr size_t kRandom = 6;
  return parent.size() + 1 + kFolderPrefix.size() + kRandom + 1 + strlen(kSocketName) <
         sizeof(sockaddr_un::sun_path);
}

}  // namespace

absl::StatusOr<std::unique_ptr<base::ScratchFolder>> MakePrivateFolder(
    const std::string& temp_dir) {
  const std::string parent = SocketPathFits(temp_dir) ? temp_dir : "/tmp";
  base::SweepScratchFolders(parent, kFolderPrefix);
  return base::ScratchFolder::Create(parent, kFolderPrefix);
}

absl::StatusOr<std::unique_ptr<PrivateProgram>> PrivateProgram::Start(
    const std::vector<std::string>& argv, const std::string& log_file) {
  const base::UniqueFd log(open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) {
    return absl::FailedPreconditionError(absl::StrCat(log_file, ": ", strerror(errno)));
  }
  std::unique_ptr<PrivateProgram> program(new PrivateProgram());
  program->name_ = std::filesystem::path(argv[0]).filename().string();
  program->log_file_ = log_file;
  ALT_ASSIGN_OR_RETURN(
      program->child_,
      base::ChildProcess::Spawn({.argv = argv, .fds = {{log.get(), 1}, {log.get(), 2}}}));
  return program;
}

PrivateProgram::~PrivateProgram() { Stop(kStopGrace); }

void PrivateProgram::Stop(absl::Duration grace) {
  if (child_ == nullptr) return;
  child_->Kill(SIGTERM);
  if (!child_->WaitFor(grace)) child_->Kill(SIGKILL);
  child_->Wait();
}

std::string PrivateProgram::LogTail() const {
  const std::string log = base::ReadFile(log_file_).value_or("");
  std::vector<absl::string_view> lines = absl::StrSplit(log, '\n', absl::SkipEmpty());
  if (lines.size() > 5) lines.erase(lines.begin(), lines.end() - 5);
  return absl::StrJoin(lines, "; ");
}

absl::Status PrivateProgram::Explain(const base::ExitStatus& exit) const {
  const std::string tail = LogTail(), own = name_ + ": ";
  // An error that it reports itself stands last, after its name.
  const size_t error = tail.rfind(own);
  if (!exit.signaled && error != std::string::npos) {
    return absl::Status(CodeOf(exit), tail.substr(error + own.size()));
  }
  return absl::Status(CodeOf(exit),
                      absl::StrCat(name_, " ended with ", exit.ToString(),
                                   tail.empty() ? "" : ", its last words were: ", tail));
}

absl::StatusOr<std::unique_ptr<PrivateServer>> PrivateServer::Start(
    const PrivateOptions& options, std::unique_ptr<base::ScratchFolder> folder,
    const std::string& db, absl::FunctionRef<bool()> cancelled) {
  std::unique_ptr<PrivateServer> server(new PrivateServer());
  server->folder_ = std::move(folder);
  server->address_ = absl::StrCat("unix:", server->folder_->File(kSocketName));
  ALT_ASSIGN_OR_RETURN(server->program_,
                       PrivateProgram::Start(
                           {absl::StrCat(options.bin_dir, "/alt-server"), absl::StrCat("--db=", db),
                            absl::StrCat("--listen=", server->address_), "--private"},
                           server->folder_->File("server.log")));
  std::unique_ptr<TuningClient> client;
  const absl::Time deadline = absl::Now() + kStartTimeout;
  while (absl::Now() < deadline) {
    // Connecting before the socket is there would cost a backoff.
    if (client == nullptr && access(server->folder_->File(kSocketName).c_str(), F_OK) == 0) {
      client = TuningClient::Connect(server->address_);
    }
    if (client != nullptr && client->WaitUntilServing(absl::Milliseconds(50)).ok()) return server;
    if (const auto exit = server->program_->Exited()) return server->program_->Explain(*exit);
    if (cancelled()) return absl::CancelledError("interrupted");
    absl::SleepFor(absl::Milliseconds(1));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("alt-server started and does not answer, its last words were: ",
                   server->program_->LogTail()));
}

absl::StatusOr<std::unique_ptr<PrivateProgram>> PrivateServer::StartWorker(
    const PrivateOptions& options, const std::string& server_address,
    const base::ScratchFolder& folder) {
  return PrivateProgram::Start(
      {absl::StrCat(options.bin_dir, "/alt-worker"), absl::StrCat("--server=", server_address),
       "--device=cpu:0", absl::StrCat("--state-dir=", options.state_dir),
       // Of two commands on one database each may start one: neither is to take the other's place.
       absl::StrCat("--name=", base::HostName(), "/cpu:0-private-", getpid())},
      folder.File("worker.log"));
}

PrivateServer::~PrivateServer() = default;

}  // namespace alt::client
