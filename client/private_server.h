// An alt-server, and alt-workers, of our own: for one database file, on a socket in a private
// folder, gone when we are gone.
#ifndef CLIENT_PRIVATE_SERVER_H_
#define CLIENT_PRIVATE_SERVER_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/child_process.h"
#include "common/base/scratch_folder.h"

namespace alt::client {

struct PrivateOptions {
  std::string bin_dir;    // where alt-server and alt-worker are
  std::string state_dir;  // where calibrations are kept
};

// A folder for a socket, logs and copies, in `temp_dir`; in /tmp where that is too long for a
// socket's address. Those that a process killed by force has left in
// `temp_dir` are removed first.
absl::StatusOr<std::unique_ptr<base::ScratchFolder>> MakePrivateFolder(const std::string& temp_dir);

// A child program that writes its log into a private folder. Children die with the THREAD that
// started them (ChildProcess), so that thread has to stay.
class PrivateProgram {
 public:
  ~PrivateProgram();

  // None while it runs.
  std::optional<base::ExitStatus> Exited() { return child_->WaitFor(absl::ZeroDuration()); }
  // Why it has ended: what it said last. The code is that of its exit: Aborted when somebody else
  // holds the database, PermissionDenied, Unimplemented, InvalidArgument, else FailedPrecondition.
  absl::Status Explain(const base::ExitStatus& exit) const;
  // SIGTERM, and SIGKILL after `grace`.
  void Stop(absl::Duration grace);

 private:
  friend class PrivateServer;
  PrivateProgram() = default;
  static absl::StatusOr<std::unique_ptr<PrivateProgram>> Start(const std::vector<std::string>& argv,
                                                               const std::string& log_file);

  // The last lines of its log.
  std::string LogTail() const;

  std::string name_;  // "alt-server"
  std::unique_ptr<base::ChildProcess> child_;
  std::string log_file_;
};

class PrivateServer {
 public:
  // Returns once the server answers. Aborted when another process holds the database. `folder` is
  // for its socket and log; `cancelled` is asked while waiting.
  static absl::StatusOr<std::unique_ptr<PrivateServer>> Start(
      const PrivateOptions& options, std::unique_ptr<base::ScratchFolder> folder,
      const std::string& db, absl::FunctionRef<bool()> cancelled);
  // A worker for all cores at any server; the folder holds its log.
  static absl::StatusOr<std::unique_ptr<PrivateProgram>> StartWorker(
      const PrivateOptions& options, const std::string& server_address,
      const base::ScratchFolder& folder);

  ~PrivateServer();

  const std::string& address() const { return address_; }
  const base::ScratchFolder& folder() const { return *folder_; }

 private:
  PrivateServer() = default;

  std::unique_ptr<base::ScratchFolder> folder_;
  std::unique_ptr<PrivateProgram> program_;
  std::string address_;
};

}  // namespace alt::client

#endif  // CLIENT_PRIVATE_SERVER_H_
