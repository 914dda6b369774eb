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
// What alt-server exits with when somebody else holds the database.
constexpr int kLockedExit = 4;

// The path of a socket has to fit, with its closing zero, into the address.
bool SocketPathFits(const std::string& folder) {
  return folder.size() + 1 + strlen(kSocketName) < sizeof(sockaddr_un::sun_path);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PrivateFolder>> PrivateFolder::Create(const std::string& parent) {
  static constexpr char kTemplate[] = "/alt-XXXXXX";
  std::string path = absl::StrCat(parent.empty() ? "/tmp" : parent, kTemplate);
  if (!SocketPathFits(path)) path = absl::StrCat("/tmp", kTemplate);
  if (mkdtemp(path.data()) == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot make a folder ", path, ": ", strerror(errno)));
  }
  return std::unique_ptr<PrivateFolder>(new PrivateFolder(path));
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;  // nobody is left to tell
  std::filesystem::remove_all(path_, ignored);
}

absl::StatusOr<std::unique_ptr<PrivateProgram>> PrivateProgram::Start(
    const std::vector<std::string>& argv, const std::string& log_file) {
  const base::UniqueFd log(open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) {
    return absl::FailedPreconditionError(absl::StrCat(log_file, ": ", strerror(errno)));
  }
  std::unique_ptr<PrivateProgram> program(new PrivateProgram());
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

absl::StatusOr<std::unique_ptr<PrivateServer>> PrivateServer::Start(const PrivateOptions& options,
                                                                    const std::string& db) {
  std::unique_ptr<PrivateServer> server(new PrivateServer());
  ALT_ASSIGN_OR_RETURN(server->folder_, PrivateFolder::Create(options.temp_dir));
  server->address_ = absl::StrCat("unix:", server->folder_->File(kSocketName));
  ALT_ASSIGN_OR_RETURN(server->program_,
                       PrivateProgram::Start(
                           {absl::StrCat(options.bin_dir, "/alt-server"), absl::StrCat("--db=", db),
                            absl::StrCat("--listen=", server->address_), "--private"},
                           server->folder_->File("server.log")));
  std::unique_ptr<TuningClient> client;
  const absl::Time deadline = absl::Now() + kStartTimeout;
  while (true) {
    // Connecting before the socket is there would cost a backoff.
    if (client == nullptr && access(server->folder_->File(kSocketName).c_str(), F_OK) == 0) {
      client = TuningClient::Connect(server->address_);
    }
    if (client == nullptr) {
      absl::SleepFor(absl::Milliseconds(1));
    } else if (client->WaitUntilServing(absl::Milliseconds(50)).ok()) {
      return server;
    }
    if (const auto exit = server->program_->Exited()) {
      const std::string message = absl::StrCat("alt-server ended at once with ", exit->ToString(),
                                               ": ", server->program_->LogTail());
      if (!exit->signaled && exit->code == kLockedExit) return absl::AbortedError(message);
      if (!exit->signaled && exit->code == 2) return absl::InvalidArgumentError(message);
      return absl::FailedPreconditionError(message);
    }
    if (absl::Now() > deadline) {
      return absl::UnavailableError(absl::StrCat("alt-server does not answer after ",
                                                 absl::FormatDuration(kStartTimeout), ": ",
                                                 server->program_->LogTail()));
    }
  }
}

absl::StatusOr<std::unique_ptr<PrivateProgram>> PrivateServer::StartWorker(
    const PrivateOptions& options, const std::string& server_address, const PrivateFolder& folder) {
  return PrivateProgram::Start(
      {absl::StrCat(options.bin_dir, "/alt-worker"), absl::StrCat("--server=", server_address),
       "--device=cpu:0", absl::StrCat("--state-dir=", options.state_dir),
       // Of two commands on one database each may start one: neither is to take the other's place.
       absl::StrCat("--name=", base::HostName(), "/cpu:0-private-", getpid())},
      folder.File("worker.log"));
}

PrivateServer::~PrivateServer() = default;

}  // namespace alt::client
