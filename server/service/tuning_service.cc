#include "server/service/tuning_service.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "alt/v1/tuning_service.grpc.pb.h"
#include "common/base/status_macros.h"
#include "common/wire/job_wire.h"
#include "common/wire/record_wire.h"
#include "server/job/query.h"
#include "server/job/replay.h"
#include "server/job/stale.h"
#include "server/service/status_mapping.h"
#include "server/service/watch_call.h"

namespace alt::service {
namespace {

constexpr int64_t kDefaultPage = 100;
constexpr int64_t kMaxPage = 1000;
constexpr size_t kMaxClientId = 100;

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

int64_t PageSize(int32_t wanted) {
  return wanted <= 0 ? kDefaultPage : std::min<int64_t>(wanted, kMaxPage);
}

absl::Status CheckRequestId(const std::string& id) {
  const bool ok =
      id.size() >= 8 && id.size() <= 64 && std::all_of(id.begin(), id.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-';
      });
  if (ok) return absl::OkStatus();
  return absl::InvalidArgumentError("a request id has 8 to 64 letters, digits or '-'");
}

absl::StatusOr<v1::TuningRecord> RecordToProto(store::StoredRecord stored) {
  measure::TuningRecord out{.id = std::move(stored.id),
                            .result = std::move(stored.result),
                            .provenance = std::move(stored.provenance),
                            .validators = std::move(stored.validators)};
  ALT_ASSIGN_OR_RETURN(out.workload, workload::Parse(stored.key.workload));
  ALT_ASSIGN_OR_RETURN(out.target, target::ParseTarget(stored.key.target));
  ALT_ASSIGN_OR_RETURN(out.candidate, workload::ParseCandidate(stored.key.candidate));
  return wire::ToProto(out);
}

absl::StatusOr<v1::GetRecordResponse> GetRecordOf(const store::TuningStore& store,
                                                  const std::string& id) {
  v1::GetRecordResponse out;
  ALT_ASSIGN_OR_RETURN(store::StoredRecord record, store.GetRecord(id));
  ALT_ASSIGN_OR_RETURN(*out.mutable_record(), RecordToProto(std::move(record)));
  return out;
}

absl::StatusOr<v1::ListRecordsResponse> ListRecordsOf(const store::TuningStore& store,
                                                      const v1::ListRecordsRequest& request) {
  store::RecordFilter filter{.limit = PageSize(request.page_size())};
  if (request.has_workload()) {
    ALT_ASSIGN_OR_RETURN(const workload::Workload w, workload::Parse(request.workload()));
    filter.workload = workload::Print(w);
  }
  if (request.has_target()) {
    ALT_ASSIGN_OR_RETURN(const target::Target t, target::ParseTarget(request.target()));
    filter.target = target::PrintTarget(t);
  }
  if (!request.page_token().empty() &&
      !absl::SimpleAtoi(request.page_token(), &filter.before_sequence)) {
    return absl::InvalidArgumentError("a bad page token");
  }
  v1::ListRecordsResponse out;
  std::vector<store::StoredRecord> records = store.ListRecords(filter);
  if (static_cast<int64_t>(records.size()) == filter.limit) {
    out.set_next_page_token(absl::StrCat(records.back().sequence));
  }
  for (store::StoredRecord& record : records) {
    ALT_ASSIGN_OR_RETURN(*out.add_records(), RecordToProto(std::move(record)));
  }
  return out;
}

absl::StatusOr<v1::ListTrialsResponse> ListTrialsOf(const store::TuningStore& store,
                                                    const v1::ListTrialsRequest& request) {
  int64_t after = 0;
  if (!request.page_token().empty() && !absl::SimpleAtoi(request.page_token(), &after)) {
    return absl::InvalidArgumentError("a bad page token");
  }
  const int64_t limit = PageSize(request.page_size());
  ALT_ASSIGN_OR_RETURN(const std::vector<job::Trial> trials,
                       store.ListTrials(request.job_id(), after, limit));
  v1::ListTrialsResponse out;
  for (const job::Trial& trial : trials) *out.add_trials() = wire::ToProto(trial);
  if (static_cast<int64_t>(trials.size()) == limit) {
    out.set_next_page_token(absl::StrCat(trials.back().trial));
  }
  return out;
}

// Lists leave out curves: they are long, and there are many.
v1::Job ListedJob(const store::Job& job) {
  job::Job out = job;
  if (auto* tune = std::get_if<job::TuneProgress>(&out.progress)) tune->curve.clear();
  return wire::ToProto(out);
}

v1::ListJobsResponse ListJobsOf(const store::TuningStore& store,
                                const v1::ListJobsRequest& request) {
  const int64_t limit = PageSize(request.page_size());
  v1::ListJobsResponse out;
  const std::vector<store::Job> jobs = store.ListJobs(request.page_token(), limit);
  for (const store::Job& job : jobs) *out.add_jobs() = ListedJob(job);
  if (static_cast<int64_t>(jobs.size()) == limit) out.set_next_page_token(jobs.back().id);
  return out;
}

absl::StatusOr<v1::ReplayResponse> ReplayOf(const store::TuningStore& store,
                                            const std::string& id) {
  ALT_ASSIGN_OR_RETURN(const store::Job job, store.GetJob(id));
  if (!std::holds_alternative<job::TuneSpec>(job.spec)) {
    return absl::FailedPreconditionError(absl::StrCat("job ", id, " is no tuning job"));
  }
  ALT_ASSIGN_OR_RETURN(const store::JobLog log, store.ReadLog(id));
  ALT_ASSIGN_OR_RETURN(const job::ReplayReport report,
                       job::Replay(job, job::ReadSnapshot(store, job), log));
  return wire::ToProto(report);
}

v1::ListWorkersResponse ListWorkersOf(const dispatch::Dispatcher& dispatcher) {
  v1::ListWorkersResponse out;
  for (const dispatch::WorkerView& worker : dispatcher.Workers()) {
    *out.add_workers() = wire::ToProto(job::WorkerStatus{.name = worker.name,
                                                         .facts = worker.facts,
                                                         .last_seen = worker.since_last_call,
                                                         .job = worker.job,
                                                         .draining = worker.draining,
                                                         .measured = worker.measured,
                                                         .takes_no_work = worker.takes_no_work});
  }
  return out;
}

// Who asks: as it says, or its connection.
absl::StatusOr<std::string> ClientOf(const Context& context, const std::string& id) {
  if (id.size() > kMaxClientId) {
    return absl::InvalidArgumentError(
        absl::StrCat("a client id has at most ", kMaxClientId, " bytes"));
  }
  return id.empty() ? absl::StrCat("peer ", context.peer()) : absl::StrCat("id ", id);
}

class TuningServiceImpl : public v1::TuningService::CallbackService {
 public:
  explicit TuningServiceImpl(const TuningServiceParts& parts) : parts_(parts) {}

  Reactor* CreateJob(Context* context, const v1::CreateJobRequest* request,
                     v1::CreateJobResponse* response) override {
    Reactor* reactor = context->DefaultReactor();
    absl::Status status = CheckRequestId(request->request_id());
    absl::StatusOr<job::JobSpec> spec = wire::FromProto(request->spec());
    if (status.ok()) status = spec.status();
    absl::StatusOr<std::string> client = ClientOf(*context, request->client_id());
    if (status.ok()) status = client.status();
    if (!status.ok()) return FinishCall("CreateJob", reactor, status);
    parts_.jobs.CreateJob(*std::move(spec), request->request_id(), *std::move(client),
                          AnswerWithJob("CreateJob", reactor, response));
    return reactor;
  }

  grpc::ServerWriteReactor<v1::WatchJobResponse>* WatchJob(
      Context*, const v1::WatchJobRequest* request) override {
    parts_.metrics.CountRpc("WatchJob", "OK");
    return StartWatchCall(parts_.jobs, request->job_id());
  }

  Reactor* CancelJob(Context* context, const v1::CancelJobRequest* request,
                     v1::CancelJobResponse* response) override {
    Reactor* reactor = context->DefaultReactor();
    parts_.jobs.CancelJob(request->job_id(), AnswerWithJob("CancelJob", reactor, response));
    return reactor;
  }

  Reactor* ResumeJob(Context* context, const v1::ResumeJobRequest* request,
                     v1::ResumeJobResponse* response) override {
    Reactor* reactor = context->DefaultReactor();
    parts_.jobs.ResumeJob(request->job_id(), AnswerWithJob("ResumeJob", reactor, response));
    return reactor;
  }

  Reactor* ListJobs(Context* context, const v1::ListJobsRequest* request,
                    v1::ListJobsResponse* response) override {
    return Answer<v1::ListJobsResponse>("ListJobs", context->DefaultReactor(),
                                        ListJobsOf(parts_.store, *request), response);
  }

  Reactor* Query(Context* context, const v1::QueryRequest* request,
                 v1::QueryResponse* response) override {
    return Answer("Query", context->DefaultReactor(), QueryOf(*request), response);
  }

  Reactor* GetRecord(Context* context, const v1::GetRecordRequest* request,
                     v1::GetRecordResponse* response) override {
    return Answer("GetRecord", context->DefaultReactor(),
                  GetRecordOf(parts_.store, request->record_id()), response);
  }

  Reactor* ListRecords(Context* context, const v1::ListRecordsRequest* request,
                       v1::ListRecordsResponse* response) override {
    return Answer("ListRecords", context->DefaultReactor(), ListRecordsOf(parts_.store, *request),
                  response);
  }

  Reactor* DeleteRecord(Context* context, const v1::DeleteRecordRequest* request,
                        v1::DeleteRecordResponse* response) override {
    Reactor* reactor = context->DefaultReactor();
    const absl::StatusOr<store::StoredRecord> record = parts_.store.GetRecord(request->record_id());
    if (!record.ok()) return FinishCall("DeleteRecord", reactor, record.status());
    response->set_record_id(record->id);
    parts_.store.Commit({store::DeleteRecord{record->id}},
                        [this, reactor](const absl::Status& status) {
                          FinishCall("DeleteRecord", reactor, status);
                        });
    return reactor;
  }

  Reactor* ListTrials(Context* context, const v1::ListTrialsRequest* request,
                      v1::ListTrialsResponse* response) override {
    return Answer("ListTrials", context->DefaultReactor(), ListTrialsOf(parts_.store, *request),
                  response);
  }

  Reactor* ListStale(Context* context, const v1::ListStaleRequest*,
                     v1::ListStaleResponse* response) override {
    return InBackground<v1::ListStaleResponse>(
        "ListStale", context->DefaultReactor(), response, [this] {
          return wire::ToProto(job::FindStale(parts_.store, [this](const target::Target& target) {
            return parts_.dispatch.ValidatorsOf(target);
          }));
        });
  }

  Reactor* ListWorkers(Context* context, const v1::ListWorkersRequest*,
                       v1::ListWorkersResponse* response) override {
    Reactor* reactor = context->DefaultReactor();
    parts_.dispatch.Inspect([this, reactor, response](const dispatch::Dispatcher& dispatcher) {
      Answer<v1::ListWorkersResponse>("ListWorkers", reactor, ListWorkersOf(dispatcher), response);
    });
    return reactor;
  }

  Reactor* Stats(Context* context, const v1::StatsRequest*, v1::StatsResponse* response) override {
    job::Stats stats = parts_.store.Stats();
    stats.damage = parts_.store.FoundDamage();
    return Answer<v1::StatsResponse>("Stats", context->DefaultReactor(), wire::ToProto(stats),
                                     response);
  }

  Reactor* Verify(Context* context, const v1::VerifyRequest*,
                  v1::VerifyResponse* response) override {
    // It reads everything: one at a time, whoever asks in a loop.
    if (verifying_->exchange(true)) {
      return FinishCall("Verify", context->DefaultReactor(),
                        absl::ResourceExhaustedError("the database is being verified"));
    }
    const std::shared_ptr<void> turn(nullptr, [busy = verifying_](void*) { *busy = false; });
    return InBackground<v1::VerifyResponse>("Verify", context->DefaultReactor(), response,
                                            [this, turn]() -> absl::StatusOr<v1::VerifyResponse> {
                                              ALT_ASSIGN_OR_RETURN(const job::VerifyReport report,
                                                                   parts_.store.Verify());
                                              return wire::ToProto(report);
                                            });
  }

  Reactor* Replay(Context* context, const v1::ReplayRequest* request,
                  v1::ReplayResponse* response) override {
    return InBackground<v1::ReplayResponse>(
        "Replay", context->DefaultReactor(), response,
        [this, id = request->job_id()] { return ReplayOf(parts_.store, id); });
  }

  BackupCalls::Reactor* Backup(Context* context, const v1::BackupRequest*) override {
    parts_.metrics.CountRpc("Backup", "OK");
    return parts_.backups.Start(context);
  }

 private:
  absl::StatusOr<v1::QueryResponse> QueryOf(const v1::QueryRequest& request) {
    ALT_ASSIGN_OR_RETURN(const job::QuerySpec query, wire::FromProto(request));
    ALT_ASSIGN_OR_RETURN(
        const job::Answer answer,
        job::FindBest(parts_.store, query, parts_.dispatch.ValidatorsOf(query.target)));
    parts_.metrics.CountQuery(job::AnswerSourceName(answer.source));
    v1::QueryResponse out;
    *out.mutable_answer() = wire::ToProto(answer);
    return out;
  }

  // Ends the call, with OK too.
  Reactor* FinishCall(const char* method, Reactor* reactor, const absl::Status& status) {
    parts_.metrics.CountRpc(method, absl::StatusCodeToString(status.code()));
    reactor->Finish(ToGrpc(status));
    return reactor;
  }

  template <typename Response>
  Reactor* Answer(const char* method, Reactor* reactor, absl::StatusOr<Response> answer,
                  Response* response) {
    if (answer.ok()) *response = *std::move(answer);
    return FinishCall(method, reactor, answer.status());
  }

  // Answers a call of a job with its state.
  template <typename Response>
  JobLoop::JobCallback AnswerWithJob(const char* method, Reactor* reactor, Response* response) {
    return [this, method, reactor, response](const absl::StatusOr<job::Job>& job) {
      if (job.ok()) *response->mutable_job() = wire::ToProto(*job);
      FinishCall(method, reactor, job.status());
    };
  }

  template <typename Response>
  Reactor* InBackground(const char* method, Reactor* reactor, Response* response,
                        std::function<absl::StatusOr<Response>()> work) {
    const bool accepted =
        parts_.background.TrySchedule([this, method, reactor, response, work = std::move(work)] {
          Answer<Response>(method, reactor, work(), response);
        });
    if (accepted) return reactor;
    return FinishCall(method, reactor, absl::ResourceExhaustedError("too many slow calls at once"));
  }

  const TuningServiceParts parts_;
  // Shared with its task, which may end after the service.
  const std::shared_ptr<std::atomic<bool>> verifying_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

std::unique_ptr<grpc::Service> MakeTuningService(const TuningServiceParts& parts) {
  return std::make_unique<TuningServiceImpl>(parts);
}

}  // namespace alt::service
