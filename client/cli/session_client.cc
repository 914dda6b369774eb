#include "client/cli/session_client.h"

#include <utility>

namespace alt::cli {
namespace {

using job::Job;

const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& value) {
  return value.status();
}

class SessionClient : public client::TuningClient {
 private:
  template <typename F>
  auto Call(F call) {
    while (true) {
      auto result = call(current_());
      if (!absl::IsUnavailable(StatusOf(result)) || !reopen_(StatusOf(result)).ok()) return result;
    }
  }

 public:
  SessionClient(std::function<client::TuningClient&()> current,
                std::function<absl::Status(const absl::Status&)> reopen)
      : current_(std::move(current)), reopen_(std::move(reopen)) {}

  void SetPatience(absl::Duration patience) override { current_().SetPatience(patience); }
  void Interrupt() override { current_().Interrupt(); }
  void ClearInterrupt() override { current_().ClearInterrupt(); }
  absl::Status WaitUntilServing(absl::Duration timeout) override {
    return current_().WaitUntilServing(timeout);
  }

  absl::StatusOr<Job> CreateJob(const job::JobSpec& spec, const std::string& request_id) override {
    return Call([&](auto& c) { return c.CreateJob(spec, request_id); });
  }
  absl::StatusOr<Job> WatchJob(const std::string& job,
                               absl::FunctionRef<void(const Job&)> on_state) override {
    return current_().WatchJob(job, on_state);
  }
  absl::StatusOr<Job> CancelJob(const std::string& job) override {
    return Call([&](auto& c) { return c.CancelJob(job); });
  }
  absl::StatusOr<Job> ResumeJob(const std::string& job) override {
    return Call([&](auto& c) { return c.ResumeJob(job); });
  }
  absl::StatusOr<std::vector<Job>> ListJobs(int64_t limit) override {
    return Call([&](auto& c) { return c.ListJobs(limit); });
  }
  absl::StatusOr<job::Answer> Query(const job::QuerySpec& spec) override {
    return Call([&](auto& c) { return c.Query(spec); });
  }
  absl::StatusOr<measure::TuningRecord> GetRecord(const std::string& id_or_prefix) override {
    return Call([&](auto& c) { return c.GetRecord(id_or_prefix); });
  }
  absl::StatusOr<std::vector<measure::TuningRecord>> ListRecords(
      const job::RecordQuery& query) override {
    return Call([&](auto& c) { return c.ListRecords(query); });
  }
  absl::StatusOr<job::StaleReport> ListStale() override {
    return Call([](auto& c) { return c.ListStale(); });
  }
  absl::StatusOr<std::vector<job::WorkerStatus>> ListWorkers() override {
    return Call([](auto& c) { return c.ListWorkers(); });
  }
  absl::StatusOr<job::Stats> GetStats() override {
    return Call([](auto& c) { return c.GetStats(); });
  }
  absl::StatusOr<job::VerifyReport> Verify() override {
    return Call([](auto& c) { return c.Verify(); });
  }
  absl::StatusOr<std::string> DeleteRecord(const std::string& id_or_prefix) override {
    return Call([&](auto& c) { return c.DeleteRecord(id_or_prefix); });
  }
  absl::StatusOr<std::vector<job::Trial>> ListTrials(const std::string& job) override {
    return Call([&](auto& c) { return c.ListTrials(job); });
  }
  absl::StatusOr<job::ReplayReport> Replay(const std::string& job) override {
    return Call([&](auto& c) { return c.Replay(job); });
  }
  absl::Status Backup(const std::string& path) override {
    return Call([&](auto& c) { return c.Backup(path); });
  }

 private:
  const std::function<client::TuningClient&()> current_;
  const std::function<absl::Status(const absl::Status&)> reopen_;
};

}  // namespace

std::unique_ptr<client::TuningClient> MakeSessionClient(
    std::function<client::TuningClient&()> current,
    std::function<absl::Status(const absl::Status&)> reopen) {
  return std::make_unique<SessionClient>(std::move(current), std::move(reopen));
}

}  // namespace alt::cli
