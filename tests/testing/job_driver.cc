#include "tests/testing/job_driver.h"

#include <algorithm>
#include <map>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace alt::testing {

JobDriver::JobDriver(store::TuningStore& store, measure::Measurer& measurer, FakeClock& clock,
                 Options options)
    : store_(store),
      measurer_(measurer),
      clock_(clock),
      options_(options),
      random_(options.shuffle.value_or(0)) {}

std::string JobDriver::Create(const job::TuneSpec& spec) {
  const int64_t number = store_.NextJobNumber();
  store::Job job;
  job.id = absl::StrCat("j", number);
  job.request_id = absl::StrCat("request-", number);
  job.spec = spec;
  job.created = clock_.Now();
  ALT_CHECK_OK(store_.CommitAndWait({store::CreateJob{job}}));
  return job.id;
}

absl::Status JobDriver::Begin(const std::string& id) {
  Crash();
  id_ = id;
  ALT_ASSIGN_OR_RETURN(store::Job job, store_.GetJob(id));
  job.state = job::JobState::kQueued;
  if (!job.start) {
    job.start = {.sequence = store_.LastSequence(),
                 .l1_bytes = 32 << 10,
                 .l2_bytes = 1 << 20,
                 .time = clock_.Now()};
  }
  ALT_ASSIGN_OR_RETURN(store::JobLog log, store_.ReadLog(id));
  const job::Snapshot snapshot = job::ReadSnapshot(store_, job);
  ALT_ASSIGN_OR_RETURN(job_, job::TuningJob::Create(std::move(job), snapshot, log));
  Take(job_->Start(clock_.Now()));
  return absl::OkStatus();
}

bool JobDriver::Step() {
  clock_.Advance(options_.step);
  if (clock_.Now() >= job_->NextDeadline()) {
    Take(job_->OnTime(clock_.Now()));
    return true;
  }
  // In order: what is written first, what was measured next, and only then what is to be measured.
  std::vector<int> kinds;
  if (!writes_.empty()) kinds.push_back(0);
  if (!results_.empty()) kinds.push_back(1);
  if (!waiting_.empty()) kinds.push_back(2);
  if (kinds.empty()) return false;
  switch (options_.shuffle ? random_.Choice(kinds) : kinds.front()) {
    case 0:
      WriteOne();
      break;
    case 1:
      DeliverOne();
      break;
    default:
      MeasureOne();
  }
  return true;
}

bool JobDriver::Finish() {
  for (int steps = 0; steps < 100000; ++steps) {
    if (!Step()) return job_->rests();
  }
  return false;
}

void JobDriver::Stop() {
  Take(job_->Stop("a test", clock_.Now()));
  waiting_.clear();
  results_.clear();
  while (!writes_.empty()) WriteOne();
}

void JobDriver::Crash() {
  waiting_.clear();
  results_.clear();
  writes_.clear();
  units_.clear();
  job_.reset();
}

void JobDriver::Take(job::Step step) {
  for (dispatch::WorkUnit& unit : step.submit) {
    CheckUnit(unit);
    units_.push_back(unit);
    waiting_.push_back(std::move(unit));
  }
  if (step.write.empty()) return;
  CheckWrite(step.write);
  writes_.push_back({step.token, std::move(step.write)});
}

void JobDriver::CheckUnit(const dispatch::WorkUnit& unit) {
  // A comparison is one piece: it runs again whole.
  if (unit.request->mode == measure::MeasureMode::kCompare) return;
  const auto log = store_.ReadLog(id_);
  ALT_CHECK_OK(log);
  for (const store::LoggedResult& logged : log->results) {
    const auto& indices = unit.indices;
    if (logged.place.batch == unit.batch &&
        std::find(indices.begin(), indices.end(), logged.place.index) != indices.end()) {
      violations_.push_back(absl::StrCat("batch ", unit.batch, ", candidate ", logged.place.index,
                                         " is measured again"));
    }
  }
}

void JobDriver::CheckWrite(const store::WriteBatch& batch) {
  const auto log = store_.ReadLog(id_);
  ALT_CHECK_OK(log);
  std::map<int64_t, size_t> proposed, written;
  for (const store::LogEvent& event : log->events) {
    if (const auto* p = std::get_if<store::LoggedProposal>(&event)) {
      proposed[p->batch] = p->candidates.size();
    }
  }
  for (const store::LoggedResult& result : log->results) ++written[result.place.batch];
  for (const store::Mutation& mutation : batch) {
    const auto* append = std::get_if<store::AppendLog>(&mutation);
    if (append == nullptr) continue;
    const auto* observed = std::get_if<store::LoggedObservation>(&append->event);
    if (observed == nullptr || written[observed->batch] == proposed[observed->batch]) continue;
    violations_.push_back(absl::StrCat("batch ", observed->batch, " is observed with ",
                                       written[observed->batch], " results written of ",
                                       proposed[observed->batch]));
  }
}

template <typename Queue>
typename Queue::value_type JobDriver::Pop(Queue& queue) {
  const size_t at = options_.shuffle ? random_.Uniform(queue.size()) : 0;
  typename Queue::value_type value = std::move(queue[at]);
  queue.erase(queue.begin() + static_cast<int64_t>(at));
  return value;
}

void JobDriver::MeasureOne() {
  const dispatch::WorkUnit unit = Pop(waiting_);
  const auto results = measurer_.Measure(*unit.request, [] { return false; });
  for (size_t i = 0; i < results.size(); ++i) {
    measured_.emplace_back(unit.batch, unit.indices[i]);
    results_.push_back({unit.batch, unit.indices[i], results[i]});
  }
}

void JobDriver::DeliverOne() {
  const Result result = Pop(results_);
  if (options_.shuffle && random_.Bernoulli(0.1)) results_.push_back(result);
  Take(job_->OnResults({.job = id_,
                        .batch = result.batch,
                        .results = {{result.index, result.result}},
                        .worker = "w0",
                        .validators = {{"cpu", "a model"}}},
                       clock_.Now()));
}

void JobDriver::WriteOne() {
  // The store has one queue: writes are never reordered.
  Write write = std::move(writes_.front());
  writes_.pop_front();
  ALT_CHECK_OK(store_.CommitAndWait(std::move(write.batch)));
  Take(job_->OnWritten(write.token, clock_.Now()));
}

}  // namespace alt::testing
