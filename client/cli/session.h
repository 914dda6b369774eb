// The server that a command talks to: the one that was named, the one that holds the database, or a
// private one started for the purpose.
#ifndef CLIENT_CLI_SESSION_H_
#define CLIENT_CLI_SESSION_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/context.h"
#include "client/include/alt/tuning_client.h"
#include "client/private_server.h"
#include "common/target/target.h"

namespace alt::cli {

// One thread: its private programs die with the thread that opened it.
// What a command does with the database.
enum class Access {
  kRead,     // a copy will do for who may not write it
  kWrite,    // changes it
  kMeasure,  // changes it, and needs a worker: a private server gets one
};

class Session {
 public:
  static absl::StatusOr<std::unique_ptr<Session>> Open(Context& context, Access access);
  ~Session();

  // Its calls outlive a private server that ends: they Reopen.
  client::TuningClient& client() { return *session_client_; }
  // Nobody has named a server: this machine measures.
  bool is_local() const { return context_.options.server.empty(); }
  // Server and worker are our own: what this machine cannot measure, nobody will.
  bool only_this_machine() const { return server_ != nullptr && worker_ != nullptr; }
  // "alt show r1 --db=F": the command line that brings a command here again.
  std::string CommandLine(absl::string_view command) const;

  // After the server was lost: a private one is started anew. What the server did for jobs is over;
  // they can be resumed. The status is the reason when there is nothing more to try.
  absl::Status Reopen(const absl::Status& lost);
  // What was lost is made up for: Reopen and KeepWorker have all their attempts again.
  void NoteProgress() { reopened_ = workers_started_ = 0; }

  // Looks after our own worker: one that crashed is started again, a few times. The status says why
  // there is none any more.
  absl::Status KeepWorker();

 private:
  Session(Context& context, Access access);
  absl::Status Connect(const std::string& address, absl::Duration patience);
  absl::Status OpenNamed();
  absl::Status OpenLocal();
  absl::Status TryHolder(const std::string& db, bool& held);
  absl::Status StartServer(const std::string& db);
  // For a database that cannot be written, for the reason given.
  absl::Status OpenCopy(const std::string& db, const absl::Status& why);
  absl::Status StartWorkerIfNeeded(bool own_server);
  absl::Status StartWorker();
  client::PrivateOptions Options() const;
  absl::StatusOr<std::unique_ptr<base::ScratchFolder>> MakeFolder() const;
  void Close();

  Context& context_;
  const Access access_;
  const std::unique_ptr<client::TuningClient> session_client_;
  int reopened_ = 0;
  int workers_started_ = 0;
  std::string worker_server_;  // address that our worker serves
  // In the order of dependence: the worker goes first.
  std::unique_ptr<base::ScratchFolder> copy_folder_;
  std::unique_ptr<client::PrivateServer> server_;
  std::unique_ptr<base::ScratchFolder> worker_folder_;
  std::unique_ptr<client::PrivateProgram> worker_;
  std::unique_ptr<client::TuningClient> client_;
};

// The database that --db names, or the default one; its folder is made. It may be a new file.
absl::StatusOr<std::string> DatabasePath(const Context& context);

}  // namespace alt::cli

#endif  // CLIENT_CLI_SESSION_H_
