#include "client/cli/session.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cli/cli_error.h"
#include "client/cli/session_client.h"
#include "client/database_copy.h"
#include "common/base/lock_file.h"
#include "common/base/status_macros.h"
#include "common/wire/connection_text.h"

namespace alt::cli {
namespace {

// For a server that somebody is starting right now.
constexpr absl::Duration kFirstPatience = absl::Seconds(5);
constexpr absl::Duration kPatience = absl::Seconds(60);
// For a private server, ours or another command's: it does not come back, we start one.
constexpr absl::Duration kPrivatePatience = absl::Seconds(1);
// Two processes that want the same database settle it within this.
constexpr absl::Duration kLockTimeout = absl::Seconds(20);
constexpr int kMostReopened = 3;  // without progress in between
constexpr int kMostWorkers = 4;

// "Permission denied, it belongs to root"
absl::Status Denied(const std::string& path, int error) {
  std::string why = absl::StrCat(path, ": ", strerror(error));
  struct stat info = {};
  const passwd* owner = stat(path.c_str(), &info) == 0 && info.st_uid != geteuid()
                            ? getpwuid(info.st_uid)  // this process has one thread that asks
                            : nullptr;
  if (owner != nullptr) absl::StrAppend(&why, ", it belongs to ", owner->pw_name);
  return absl::PermissionDeniedError(why);
}

// Whether a server could open the database: file, lock and folder are written.
absl::Status CheckWritable(const std::string& db) {
  const std::string folder = std::filesystem::path(db).parent_path().string(), lock = db + ".lock";
  for (const std::string& path : {db, lock}) {
    if (access(path.c_str(), R_OK | W_OK) != 0 && errno != ENOENT) return Denied(path, errno);
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) return Denied(folder, errno);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> DatabasePath(const Context& context) {
  std::filesystem::path path = context.options.db;
  std::error_code error;
  if (path.empty()) {
    if (context.environment.state_dir.empty()) {
      return UsageError("cannot choose a database",
                        "neither XDG_STATE_HOME nor HOME names a folder, and the user has no home",
                        "name a database with --db=FILE, or set XDG_STATE_HOME");
    }
    path = std::filesystem::path(context.environment.state_dir) / "alt.db";
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) {
      return CliError(ExitCode::kDenied,
                      absl::StrCat("cannot make the state folder ", path.parent_path().string()),
                      error.message(), "name a database with --db=FILE, or set XDG_STATE_HOME");
    }
  }
  path = std::filesystem::absolute(path, error);
  const std::string what = absl::StrCat("cannot use the database ", path.string());
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) {
    return UsageError(what, "it is a folder",
                      absl::StrCat("name a file in it: --db=",
                                   ShellWord((path / "alt.db").lexically_normal().string())));
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return UsageError(what, "it is a device, a pipe or a socket",
                      "name an ordinary file, or a new one, with --db=FILE");
  }
  if (!std::filesystem::is_directory(path.parent_path(), error)) {
    return UsageError(what, absl::StrCat("there is no folder ", path.parent_path().string()),
                      "make the folder, or name another file with --db=FILE");
  }
  return path.string();
}

absl::StatusOr<std::unique_ptr<Session>> Session::Open(Context& context, Access access) {
  // From now on there is something to clean up.
  context.interrupts.SetHandler([] {});
  std::unique_ptr<Session> session(new Session(context, access));
  ALT_RETURN_IF_ERROR(session->is_local() ? session->OpenLocal() : session->OpenNamed());
  return session;
}

Session::Session(Context& context, Access access)
    : context_(context),
      access_(access),
      session_client_(
          MakeSessionClient([this]() -> client::TuningClient& { return *client_; },
                            [this](const absl::Status& lost) { return Reopen(lost); })) {}

Session::~Session() {
  Close();
  context_.interrupts.SetHandler(nullptr);
}

void Session::Close() {
  context_.interrupts.SetHandler([] {});
  client_.reset();
  // The worker hands back its lease while its server still listens.
  worker_.reset();
  server_.reset();
  worker_folder_.reset();
  copy_folder_.reset();
}

std::string Session::CommandLine(absl::string_view command) const {
  const SharedOptions& options = context_.options;
  std::string out = absl::StrCat(ShellWord(context_.environment.program), " ", command);
  if (!options.server.empty()) absl::StrAppend(&out, " --server=", ShellWord(options.server));
  if (!options.db.empty()) absl::StrAppend(&out, " --db=", ShellWord(options.db));
  return out;
}

absl::Status Session::Connect(const std::string& address, absl::Duration patience) {
  client_ = client::TuningClient::Connect(address);
  context_.interrupts.SetHandler([this] { client_->Interrupt(); });
  ALT_RETURN_IF_ERROR(client_->WaitUntilServing(patience));
  const bool is_private = is_local() && absl::StartsWith(address, "unix:");
  client_->SetPatience(is_private ? kPrivatePatience : kPatience);
  return absl::OkStatus();
}

absl::Status Session::OpenNamed() {
  const std::string& address = context_.options.server;
  if (!absl::StartsWith(address, "unix:") && !absl::StrContains(address, ':')) {
    return UsageError(absl::StrCat("cannot use --server=", address), "it names no port",
                      "--server=HOST:PORT, such as 127.0.0.1:7440, or --server=unix:PATH");
  }
  const absl::Status status = Connect(address, kFirstPatience);
  if (status.ok() || absl::IsCancelled(status)) return status;
  return CliError(ExitCode::kUnreachable, absl::StrCat("no alt-server at ", address),
                  wire::ConnectionReason(status),
                  "start one with alt-server, or leave out --server");
}

absl::Status Session::TryHolder(const std::string& db, bool& held) {
  const absl::StatusOr<base::LockHolder> holder = base::ReadLockHolder(db + ".lock");
  held = !absl::IsNotFound(holder.status());
  ALT_RETURN_IF_ERROR(holder.status());
  if (holder->address.empty()) {
    return absl::UnavailableError(absl::StrCat(holder->ToString(), " is starting"));
  }
  return base::Annotate(Connect(holder->address, absl::Seconds(2)), holder->ToString());
}

absl::Status Session::StartServer(const std::string& db) {
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<base::ScratchFolder> folder, MakeFolder());
  ALT_ASSIGN_OR_RETURN(
      server_, client::PrivateServer::Start(Options(), std::move(folder), db,
                                            [this] { return context_.interrupts.interrupted(); }));
  return Connect(server_->address(), kFirstPatience);
}

absl::Status Session::OpenCopy(const std::string& db, const absl::Status& why) {
  if (access_ != Access::kRead || !std::filesystem::exists(db)) {
    return CliError(ExitCode::kDenied, absl::StrCat("cannot write to the database ", db),
                    why.message(), "name a database of your own with --db=FILE");
  }
  ALT_ASSIGN_OR_RETURN(copy_folder_, MakeFolder());
  const std::string copy = copy_folder_->File("copy.db");
  if (const absl::Status status = client::CopyDatabase(db, copy); !status.ok()) {
    return CliError(absl::IsPermissionDenied(status) ? ExitCode::kDenied : ExitCode::kFailed,
                    absl::StrCat("cannot read the database ", db), status.message(),
                    "ask its owner to let you read it, or name another --db=FILE");
  }
  Note(absl::StrCat("reading a copy of ", db, ", which you may not write\n"));
  return Explain(StartServer(copy), absl::StrCat("cannot open the database ", db));
}

absl::Status Session::OpenLocal() {
  ALT_ASSIGN_OR_RETURN(const std::string db, DatabasePath(context_));
  const absl::Status writable = CheckWritable(db);
  const absl::Time deadline = absl::Now() + kLockTimeout;
  absl::Status status;
  while (absl::Now() < deadline && !context_.interrupts.interrupted()) {
    bool held = false;
    status = TryHolder(db, held);
    if (status.ok()) status = StartWorkerIfNeeded(/*own_server=*/false);
    if (status.ok() || absl::IsCancelled(status)) return status;
    if (!writable.ok()) return OpenCopy(db, writable);
    if (held) {  // starting, stopping or stuck
      absl::SleepFor(absl::Milliseconds(20));
      continue;
    }
    status = StartServer(db);
    if (status.ok()) return StartWorkerIfNeeded(/*own_server=*/true);
    if (absl::IsCancelled(status)) return status;
    if (!absl::IsAborted(status)) {  // not a race for the database
      return Explain(status, absl::StrCat("cannot open the database ", db));
    }
  }
  if (context_.interrupts.interrupted()) return absl::CancelledError("interrupted");
  return CliError(ExitCode::kLocked, absl::StrCat("the database ", db, " is in use"),
                  status.message(), "wait for that process to end, or name another --db=FILE");
}

absl::Status Session::StartWorkerIfNeeded(bool own_server) {
  if (access_ != Access::kMeasure) return absl::OkStatus();
  if (own_server) {
    worker_server_ = server_->address();
    return StartWorker();
  }
  // Somebody else's server: it may be private to a command that does not measure.
  ALT_ASSIGN_OR_RETURN(const std::vector<job::WorkerStatus> workers, client_->ListWorkers());
  if (!workers.empty()) return absl::OkStatus();
  ALT_ASSIGN_OR_RETURN(const std::string db, DatabasePath(context_));
  ALT_ASSIGN_OR_RETURN(const base::LockHolder holder, base::ReadLockHolder(db + ".lock"));
  if (!absl::StartsWith(holder.address, "unix:")) return absl::OkStatus();
  worker_server_ = holder.address;
  return StartWorker();
}

client::PrivateOptions Session::Options() const {
  return {.bin_dir = context_.environment.bin_dir, .state_dir = context_.environment.state_dir};
}

absl::StatusOr<std::unique_ptr<base::ScratchFolder>> Session::MakeFolder() const {
  auto folder = client::MakePrivateFolder(context_.environment.temp_dir);
  if (folder.ok()) return folder;
  return CliError(ExitCodeOf(folder.status()), "no folder for temporary files",
                  folder.status().message(),
                  "set TMPDIR to a folder that exists and that you may write to");
}

absl::Status Session::StartWorker() {
  ++workers_started_;
  ALT_ASSIGN_OR_RETURN(worker_folder_, MakeFolder());
  ALT_ASSIGN_OR_RETURN(
      worker_, client::PrivateServer::StartWorker(Options(), worker_server_, *worker_folder_));
  return absl::OkStatus();
}

absl::Status Session::KeepWorker() {
  if (worker_ == nullptr) return absl::OkStatus();
  const std::optional<base::ExitStatus> exit = worker_->Exited();
  if (!exit) return absl::OkStatus();
  if (exit->signaled && workers_started_ < kMostWorkers) {
    Note(absl::StrCat("the worker ended with ", exit->ToString(), "; starting another one\n"));
    worker_.reset();
    return StartWorker();
  }
  return Explain(worker_->Explain(*exit), "there is no worker any more");
}

absl::Status Session::Reopen(const absl::Status& lost) {
  // A server with a name comes back or doesn't; the client has waited for it.
  if (!is_local() || !absl::IsUnavailable(lost) || reopened_++ >= kMostReopened) return lost;
  // Its server is gone: there is nobody that it could hand its lease to.
  if (worker_ != nullptr) worker_->Stop(absl::Milliseconds(200));
  Close();
  return OpenLocal();
}

}  // namespace alt::cli
