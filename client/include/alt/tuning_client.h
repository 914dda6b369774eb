// The library behind `alt`: submits jobs to an alt-server, follows them, and asks for the best
// candidate of a workload.
//
//   auto client = alt::client::TuningClient::Connect("127.0.0.1:7440");
//   ALT_ASSIGN_OR_RETURN(job::Answer answer, client->Query({.workload = workload, .target =
//   target}));
#ifndef CLIENT_INCLUDE_ALT_TUNING_CLIENT_H_
#define CLIENT_INCLUDE_ALT_TUNING_CLIENT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/job/answer.h"
#include "common/job/job.h"
#include "common/measure/tuning_record.h"

namespace alt::client {

// Errors of all calls have the codes of tuning_service.proto, and
//   Unavailable   the server was away for longer than the patience, or refused the first contact
//   Cancelled     Interrupt was called
// Safe from every thread.
class TuningClient {
 public:
  // address: HOST:PORT or unix:PATH. Connects on first use, and again whenever needed.
  static std::unique_ptr<TuningClient> Connect(const std::string& address);
  virtual ~TuningClient() = default;

  // How long a call goes on trying to reach a server that was lost.
  virtual void SetPatience(absl::Duration patience) = 0;
  // Ends every call that is under way, and those to come, until ClearInterrupt.
  virtual void Interrupt() = 0;
  virtual void ClearInterrupt() = 0;

  // By the health service. Unavailable at once when the server refuses, with the reason;
  // DeadlineExceeded when it does not serve within `timeout`.
  virtual absl::Status WaitUntilServing(absl::Duration timeout) = 0;

  // request_id: the same never makes a second job; see NewRequestId.
  virtual absl::StatusOr<job::Job> CreateJob(const job::JobSpec& spec,
                                             const std::string& request_id) = 0;
  // Calls on_state at every change, at least every 2 s, until the job rests; returns it then. Goes
  // on where it was when the server comes back.
  virtual absl::StatusOr<job::Job> WatchJob(const std::string& job,
                                            absl::FunctionRef<void(const job::Job&)> on_state) = 0;
  virtual absl::StatusOr<job::Job> CancelJob(const std::string& job) = 0;
  virtual absl::StatusOr<job::Job> ResumeJob(const std::string& job) = 0;
  virtual absl::StatusOr<std::vector<job::Job>> ListJobs(int64_t limit) = 0;
  virtual absl::StatusOr<job::Answer> Query(const job::QuerySpec& spec) = 0;
  virtual absl::StatusOr<measure::TuningRecord> GetRecord(const std::string& id_or_prefix) = 0;
  virtual absl::StatusOr<std::vector<measure::TuningRecord>> ListRecords(
      const job::RecordQuery& query) = 0;
  virtual absl::StatusOr<std::vector<job::WorkerStatus>> ListWorkers() = 0;
  virtual absl::StatusOr<job::Stats> GetStats() = 0;
  virtual absl::StatusOr<job::VerifyReport> Verify() = 0;
  // Answers that the workers of their targets do not vouch for.
  virtual absl::StatusOr<job::StaleReport> ListStale() = 0;
  // Takes a record out of every later answer; gives its whole id.
  virtual absl::StatusOr<std::string> DeleteRecord(const std::string& id_or_prefix) = 0;
  // What became of a tuning job's trials, in order.
  virtual absl::StatusOr<std::vector<job::Trial>> ListTrials(const std::string& job) = 0;
  virtual absl::StatusOr<job::ReplayReport> Replay(const std::string& job) = 0;
  // Writes a copy of the database to a new file. AlreadyExists.
  virtual absl::Status Backup(const std::string& path) = 0;
};

// Random, for CreateJob.
std::string NewRequestId();

}  // namespace alt::client

#endif  // CLIENT_INCLUDE_ALT_TUNING_CLIENT_H_
