#include "client/include/alt/tuning_client.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "alt/v1/tuning_service.grpc.pb.h"
#include "client/grpc_connection.h"
#include "common/base/file.h"
#include "common/base/host_name.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"
#include "common/wire/job_wire.h"
#include "common/wire/record_wire.h"

namespace alt::client {
namespace {

// Calls that the server answers from memory, after one write at most.
constexpr absl::Duration kShort = absl::Seconds(15);
// Calls that read the whole database or run a whole search.
constexpr absl::Duration kLong = absl::Minutes(30);

// Who shares workers with others: a user of a machine, with whatever number of processes.
std::string ClientId() { return absl::StrCat(getuid(), "@", base::HostName().substr(0, 64)); }

class GrpcTuningClient : public TuningClient {
 public:
  explicit GrpcTuningClient(const std::string& address)
      : connection_(address), stub_(v1::TuningService::NewStub(connection_.channel())) {}

  void SetPatience(absl::Duration patience) override { connection_.SetPatience(patience); }
  void Interrupt() override { connection_.Interrupt(); }
  void ClearInterrupt() override { connection_.ClearInterrupt(); }

  absl::Status WaitUntilServing(absl::Duration timeout) override {
    const absl::Time deadline = absl::Now() + timeout;
    while (true) {
      const absl::Status status =
          CheckHealth(connection_, std::max(deadline - absl::Now(), absl::Milliseconds(20)));
      if (!absl::IsFailedPrecondition(status) || absl::Now() >= deadline) return status;
      absl::SleepFor(absl::Milliseconds(5));
    }
  }

  absl::StatusOr<job::Job> CreateJob(const job::JobSpec& spec,
                                     const std::string& request_id) override {
    v1::CreateJobRequest request;
    request.set_request_id(request_id);
    request.set_client_id(ClientId());
    *request.mutable_spec() = wire::ToProto(spec);
    v1::CreateJobResponse response;
    ALT_RETURN_IF_ERROR(Unary(kShort, &v1::TuningService::Stub::CreateJob, request, response));
    return wire::FromProto(response.job());
  }

  absl::StatusOr<job::Job> WatchJob(const std::string& job,
                                    absl::FunctionRef<void(const job::Job&)> on_state) override;

  absl::StatusOr<job::Job> CancelJob(const std::string& job) override {
    v1::CancelJobRequest request;
    request.set_job_id(job);
    v1::CancelJobResponse response;
    ALT_RETURN_IF_ERROR(Unary(kShort, &v1::TuningService::Stub::CancelJob, request, response));
    return wire::FromProto(response.job());
  }

  absl::StatusOr<job::Job> ResumeJob(const std::string& job) override {
    v1::ResumeJobRequest request;
    request.set_job_id(job);
    v1::ResumeJobResponse response;
    ALT_RETURN_IF_ERROR(Unary(kShort, &v1::TuningService::Stub::ResumeJob, request, response));
    return wire::FromProto(response.job());
  }

  absl::StatusOr<std::vector<job::Job>> ListJobs(int64_t limit) override;

  absl::StatusOr<job::Answer> Query(const job::QuerySpec& spec) override {
    v1::QueryResponse response;
    ALT_RETURN_IF_ERROR(
        Unary(kShort, &v1::TuningService::Stub::Query, wire::ToProto(spec), response));
    return wire::FromProto(response.answer());
  }

  absl::StatusOr<measure::TuningRecord> GetRecord(const std::string& id_or_prefix) override {
    v1::GetRecordRequest request;
    request.set_record_id(id_or_prefix);
    v1::GetRecordResponse response;
    ALT_RETURN_IF_ERROR(Unary(kShort, &v1::TuningService::Stub::GetRecord, request, response));
    return wire::FromProto(response.record());
  }

  absl::StatusOr<std::vector<measure::TuningRecord>> ListRecords(
      const job::RecordQuery& query) override;

  absl::StatusOr<std::vector<job::WorkerStatus>> ListWorkers() override {
    v1::ListWorkersResponse response;
    ALT_RETURN_IF_ERROR(
        Unary(kShort, &v1::TuningService::Stub::ListWorkers, v1::ListWorkersRequest(), response));
    std::vector<job::WorkerStatus> out;
    for (const v1::WorkerStatus& worker : response.workers()) {
      ALT_ASSIGN_OR_RETURN(job::WorkerStatus status, wire::FromProto(worker));
      out.push_back(std::move(status));
    }
    return out;
  }

  absl::StatusOr<job::Stats> GetStats() override {
    v1::StatsResponse response;
    ALT_RETURN_IF_ERROR(
        Unary(kShort, &v1::TuningService::Stub::Stats, v1::StatsRequest(), response));
    return wire::FromProto(response);
  }

  absl::StatusOr<job::VerifyReport> Verify() override {
    v1::VerifyResponse response;
    ALT_RETURN_IF_ERROR(
        Unary(kLong, &v1::TuningService::Stub::Verify, v1::VerifyRequest(), response));
    return wire::FromProto(response);
  }

  absl::StatusOr<job::StaleReport> ListStale() override {
    v1::ListStaleResponse response;
    ALT_RETURN_IF_ERROR(
        Unary(kShort, &v1::TuningService::Stub::ListStale, v1::ListStaleRequest(), response));
    return wire::FromProto(response);
  }

  absl::StatusOr<std::string> DeleteRecord(const std::string& id_or_prefix) override {
    v1::DeleteRecordRequest request;
    request.set_record_id(id_or_prefix);
    v1::DeleteRecordResponse response;
    ALT_RETURN_IF_ERROR(Unary(kShort, &v1::TuningService::Stub::DeleteRecord, request, response));
    return response.record_id();
  }

  absl::StatusOr<std::vector<job::Trial>> ListTrials(const std::string& job) override;

  absl::StatusOr<job::ReplayReport> Replay(const std::string& job) override {
    v1::ReplayRequest request;
    request.set_job_id(job);
    v1::ReplayResponse response;
    ALT_RETURN_IF_ERROR(Unary(kLong, &v1::TuningService::Stub::Replay, request, response));
    return wire::FromProto(response);
  }

  absl::Status Backup(const std::string& path) override;

 private:
  template <typename Request, typename Response>
  absl::Status Unary(absl::Duration timeout,
                     grpc::Status (v1::TuningService::Stub::*method)(grpc::ClientContext*,
                                                                     const Request&, Response*),
                     const Request& request, Response& response) {
    return connection_.Call(timeout, [&](grpc::ClientContext& context) {
      response.Clear();
      return (stub_.get()->*method)(&context, request, &response);
    });
  }

  GrpcConnection connection_;
  const std::unique_ptr<v1::TuningService::Stub> stub_;
};

absl::StatusOr<job::Job> GrpcTuningClient::WatchJob(
    const std::string& job, absl::FunctionRef<void(const job::Job&)> on_state) {
  v1::WatchJobRequest request;
  request.set_job_id(job);
  std::optional<job::Job> last;
  absl::Status bad_message;
  // Patience starts anew when the server is there and tells more than how things stand: a stream
  // that ends after its first state, again and again, leads nowhere.
  bool followed = false;
  // No deadline: a connection that is dead is found by keepalive.
  const absl::Status status = connection_.Call(
      absl::ZeroDuration(),
      [&](grpc::ClientContext& context) {
        const auto reader = stub_->WatchJob(&context, request);
        v1::WatchJobResponse response;
        for (bool first = true; reader->Read(&response); first = false) {
          absl::StatusOr<job::Job> state = wire::FromProto(response.job());
          if (!state.ok()) {
            bad_message = state.status();
            context.TryCancel();
            break;
          }
          followed = followed || !first;
          last = *std::move(state);
          on_state(*last);
        }
        const grpc::Status end = reader->Finish();
        if (!bad_message.ok()) return grpc::Status(grpc::StatusCode::INTERNAL, "unreadable");
        // A server that drains ends its streams in an orderly way; the job goes on elsewhere.
        if (end.ok() && !(last && Rests(last->state))) {
          return grpc::Status(grpc::StatusCode::UNAVAILABLE, "the server is stopping");
        }
        return end;
      },
      [&] { return std::exchange(followed, false); });
  ALT_RETURN_IF_ERROR(bad_message);
  ALT_RETURN_IF_ERROR(status);
  return *last;
}

absl::StatusOr<std::vector<job::Job>> GrpcTuningClient::ListJobs(int64_t limit) {
  std::vector<job::Job> out;
  v1::ListJobsRequest request;
  do {
    request.set_page_size(static_cast<int32_t>(std::min<int64_t>(limit - out.size(), 100)));
    v1::ListJobsResponse response;
    ALT_RETURN_IF_ERROR(Unary(kShort, &v1::TuningService::Stub::ListJobs, request, response));
    for (const v1::Job& job : response.jobs()) {
      ALT_ASSIGN_OR_RETURN(job::Job value, wire::FromProto(job));
      out.push_back(std::move(value));
    }
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty() && static_cast<int64_t>(out.size()) < limit);
  return out;
}

absl::StatusOr<std::vector<measure::TuningRecord>> GrpcTuningClient::ListRecords(
    const job::RecordQuery& query) {
  std::vector<measure::TuningRecord> out;
  v1::ListRecordsRequest request;
  if (query.workload) request.set_workload(workload::Print(*query.workload));
  if (query.target) request.set_target(target::PrintTarget(*query.target));
  do {
    request.set_page_size(static_cast<int32_t>(std::min<int64_t>(query.limit - out.size(), 100)));
    v1::ListRecordsResponse response;
    ALT_RETURN_IF_ERROR(Unary(kShort, &v1::TuningService::Stub::ListRecords, request, response));
    for (const v1::TuningRecord& record : response.records()) {
      ALT_ASSIGN_OR_RETURN(measure::TuningRecord value, wire::FromProto(record));
      out.push_back(std::move(value));
    }
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty() && static_cast<int64_t>(out.size()) < query.limit);
  return out;
}

absl::StatusOr<std::vector<job::Trial>> GrpcTuningClient::ListTrials(const std::string& job) {
  std::vector<job::Trial> out;
  v1::ListTrialsRequest request;
  request.set_job_id(job);
  do {
    v1::ListTrialsResponse response;
    ALT_RETURN_IF_ERROR(Unary(kShort, &v1::TuningService::Stub::ListTrials, request, response));
    for (const v1::Trial& trial : response.trials()) {
      ALT_ASSIGN_OR_RETURN(job::Trial value, wire::FromProto(trial));
      out.push_back(std::move(value));
    }
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  return out;
}

absl::Status GrpcTuningClient::Backup(const std::string& path) {
  const base::UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.valid()) {
    const std::string message = absl::StrCat(path, ": ", strerror(errno));
    return errno == EEXIST ? absl::AlreadyExistsError(message)
                           : absl::FailedPreconditionError(message);
  }
  absl::Status write_status;
  absl::Status status = connection_.CallOnce(kLong, [&](grpc::ClientContext& context) {
    const auto reader = stub_->Backup(&context, v1::BackupRequest());
    v1::BackupResponse response;
    while (write_status.ok() && reader->Read(&response)) {
      write_status = base::WriteAll(file.get(), response.data());
    }
    if (!write_status.ok()) context.TryCancel();
    return reader->Finish();
  });
  if (!write_status.ok()) status = base::Annotate(write_status, path);
  if (status.ok() && fsync(file.get()) != 0) {
    status = absl::FailedPreconditionError(absl::StrCat(path, ": ", strerror(errno)));
  }
  if (!status.ok()) unlink(path.c_str());  // half a copy is worse than none
  return status;
}

}  // namespace

std::unique_ptr<TuningClient> TuningClient::Connect(const std::string& address) {
  return std::make_unique<GrpcTuningClient>(address);
}

std::string NewRequestId() {
  std::random_device random;
  return absl::StrFormat("%08x%08x%08x%08x", random(), random(), random(), random());
}

}  // namespace alt::client
