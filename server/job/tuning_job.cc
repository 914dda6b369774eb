#include "server/job/tuning_job.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/job/play_log.h"

namespace alt::job {
namespace {

// Candidates of one unit: few enough to share a batch among workers, enough to build on all cores.
constexpr size_t kUnitCandidates = 8;

bool IsOk(const measure::MeasureResult& result) {
  return result.outcome == measure::Outcome::kOk && result.latency.has_value();
}

}  // namespace

TuningJob::TuningJob(store::Job job, search::TuningTask task,
                     std::optional<store::Champion> champion, std::unique_ptr<search::Tuner> tuner)
    : task_(std::move(task)),
      champion_(std::move(champion)),
      tuner_(std::move(tuner)),
      job_(std::move(job)) {
  // Counted again from the log.
  job_.progress = TuneProgress{.propose_seconds = progress().propose_seconds};
}

absl::StatusOr<std::unique_ptr<TuningJob>> TuningJob::Create(store::Job job,
                                                             const Snapshot& snapshot,
                                                             const store::JobLog& log) {
  ALT_ASSIGN_OR_RETURN(search::TuningTask task, MakeTask(job, snapshot));
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<search::Tuner> tuner, search::Tuner::Create(task));
  std::unique_ptr<TuningJob> result(
      new TuningJob(std::move(job), std::move(task), snapshot.champion, std::move(tuner)));
  ALT_RETURN_IF_ERROR(result->ReplayLog(log));
  return result;
}

absl::Status TuningJob::ReplayLog(const store::JobLog& log) {
  const auto track = [&](const search::Batch& batch) {
    Track(batch);
    RestoreResults(log);
  };
  absl::StatusOr<std::deque<search::Batch>> beyond =
      PlayLog(log, *tuner_, track, [&] { RetireOldest(); });
  if (!beyond.ok()) {
    return absl::DataLossError(
        absl::StrCat("the log was made by another version of the search, or is damaged: ",
                     beyond.status().message()));
  }
  proposed_ = *std::move(beyond);
  log_length_ = static_cast<int64_t>(log.events.size());
  told_to_finish_ =
      std::any_of(log.events.begin(), log.events.end(), [](const store::LogEvent& event) {
        return std::holds_alternative<store::LoggedFinishEarly>(event);
      });
  return absl::OkStatus();
}

void TuningJob::RestoreResults(const store::JobLog& log) {
  InFlight& newest = in_flight_.back();
  for (const store::LoggedResult& logged : log.results) {
    if (logged.place.batch != newest.batch.number) continue;
    if (logged.place.index < 0 || logged.place.index >= static_cast<int64_t>(newest.slots.size()))
      continue;
    newest.slots[logged.place.index] = {logged.result, logged.provenance, {}, true};
    job_.active = std::max(job_.active, logged.active);
    CountResult(newest, logged.place.index);
  }
}

absl::Status TuningJob::ObserveOldest() {
  std::vector<measure::MeasureResult> results;
  for (const Slot& slot : in_flight_.front().slots) results.push_back(*slot.result);
  ALT_RETURN_IF_ERROR(tuner_->Observe(in_flight_.front().batch.number, results));
  RetireOldest();
  return absl::OkStatus();
}

void TuningJob::RetireOldest() {
  if (in_flight_.front().batch.kind == search::BatchKind::kFinalists) {
    comparisons_.push_back(std::move(in_flight_.front()));
  }
  in_flight_.pop_front();
}

Step TuningJob::Start(absl::Time now) {
  Step out;
  job_.state = JobState::kRunning;
  job_.reason.clear();
  job_.finished.reset();
  running_since_ = now;
  out.write.push_back(store::UpdateJob{job_});
  for (const InFlight& in_flight : in_flight_) Submit(in_flight, out);
  Pump(now, out);
  Seal(out);
  return out;
}

TuningJob::InFlight& TuningJob::Track(const search::Batch& batch) {
  in_flight_.push_back({batch, std::vector<Slot>(batch.candidates.size()), trials_proposed_ + 1});
  if (batch.kind == search::BatchKind::kTrials) {
    trials_proposed_ += static_cast<int64_t>(batch.candidates.size());
    progress().proposals = trials_proposed_;
  }
  return in_flight_.back();
}

// What has no result yet, in units. A comparison is one unit: one worker times it in turns.
void TuningJob::Submit(const InFlight& in_flight, Step& out) const {
  const search::Batch& batch = in_flight.batch;
  const bool whole = batch.mode == measure::MeasureMode::kCompare;
  const measure::MeasureRequest no_candidates{.workload = task_.workload,
                                              .target = task_.target,
                                              .mode = batch.mode,
                                              .cache = task_.cache,
                                              .incumbent_ns = batch.incumbent_ns};
  measure::MeasureRequest request = no_candidates;
  std::vector<int64_t> indices;
  const auto flush = [&] {
    if (indices.empty()) return;
    out.submit.push_back(
        {.job = job_.id,
         .batch = batch.number,
         .indices = std::exchange(indices, {}),
         .target = task_.target,
         .request = std::make_shared<const measure::MeasureRequest>(std::move(request)),
         .max_losses = whole ? dispatch::kMaxLossesCompared : dispatch::kMaxLosses});
    request = no_candidates;
  };
  const bool any_missing = std::any_of(in_flight.slots.begin(), in_flight.slots.end(),
                                       [](const Slot& s) { return !s.result; });
  for (size_t i = 0; i < batch.candidates.size(); ++i) {
    // A comparison that lacks one result runs again whole; results that stand keep standing.
    if (whole ? !any_missing : in_flight.slots[i].result.has_value()) continue;
    indices.push_back(static_cast<int64_t>(i));
    request.candidates.push_back(batch.candidates[i]);
    if (!whole && indices.size() == kUnitCandidates) flush();
  }
  flush();
}

// Takes what the tuner proposes, tells it what is complete, until neither moves.
void TuningJob::Pump(absl::Time now, Step& out) {
  for (bool moved = true; moved && !rests();) {
    moved = false;
    TakeProposals(*tuner_, proposed_);
    for (; !proposed_.empty(); proposed_.pop_front()) {
      Log(ToLog(proposed_.front()), out);
      Submit(Track(proposed_.front()), out);
      moved = true;
    }
    const bool complete =
        !in_flight_.empty() &&
        std::all_of(in_flight_.front().slots.begin(), in_flight_.front().slots.end(),
                    [](const Slot& slot) { return slot.durable; });
    if (complete) {
      const int64_t number = in_flight_.front().batch.number;
      const absl::Status status = ObserveOldest();
      if (!status.ok()) return Rest(JobState::kFailed, std::string(status.message()), now, out);
      Log(store::LoggedObservation{number}, out);
      out.write.push_back(store::UpdateJob{job_});
      moved = true;
    }
    if (tuner_->done()) return Finish(now, out);
  }
}

Step TuningJob::OnResults(const dispatch::Results& results, absl::Time now) {
  Step out;
  if (rests()) return out;
  const auto in_flight = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const InFlight& f) {
    return f.batch.number == results.batch;
  });
  if (in_flight == in_flight_.end()) return out;
  const bool trials = in_flight->batch.kind == search::BatchKind::kTrials;
  for (const auto& [index, result] : results.results) {
    if (index < 0 || index >= static_cast<int64_t>(in_flight->slots.size())) continue;
    Slot& slot = in_flight->slots[index];
    if (slot.result) continue;
    slot.result = result;
    const bool measured = trials && result.outcome != measure::Outcome::kWorkerLost;
    slot.provenance = {.job = job_.id,
                       .trial = measured ? in_flight->first_trial + index : 0,
                       .worker = results.worker,
                       .time = now};
    slot.validators = results.validators;
    out.write.push_back(MakeWrite(*in_flight, index, now));
    unsealed_.emplace_back(results.batch, index);
  }
  Seal(out);
  return out;
}

store::AddResult TuningJob::MakeWrite(const InFlight& in_flight, size_t index,
                                      absl::Time now) const {
  const Slot& slot = in_flight.slots[index];
  store::AddResult write;
  write.place = {job_.id, in_flight.batch.number, static_cast<int64_t>(index)};
  write.result = *slot.result;
  write.provenance = slot.provenance;
  write.validators = slot.validators;
  write.active = ActiveAt(now);
  write.cache = task_.cache;
  if (slot.result->outcome != measure::Outcome::kWorkerLost) {
    write.record = measure::KeyOf(task_.workload, task_.target, in_flight.batch.candidates[index]);
  }
  return write;
}

Step TuningJob::OnWritten(int64_t token, absl::Time now) {
  Step out;
  const auto written = writing_.find(token);
  if (written == writing_.end()) return out;
  for (const auto& [batch, index] : written->second) {
    for (InFlight& in_flight : in_flight_) {
      if (in_flight.batch.number != batch || in_flight.slots[index].durable) continue;
      in_flight.slots[index].durable = true;
      if (!rests()) job_.active = ActiveAt(now), running_since_ = now;
      CountResult(in_flight, index);
    }
  }
  writing_.erase(written);
  if (!rests()) Pump(now, out);
  Seal(out);
  return out;
}

// A durable result enters the progress.
void TuningJob::CountResult(const InFlight& in_flight, size_t index) {
  const measure::MeasureResult& result = *in_flight.slots[index].result;
  TuneProgress& progress = this->progress();
  progress.seconds.build += result.seconds.build;
  progress.seconds.check += result.seconds.check;
  progress.seconds.run += result.seconds.run;
  progress.seconds.wait += result.seconds.wait;
  const bool measured = result.outcome != measure::Outcome::kWorkerLost;
  if (in_flight.batch.kind != search::BatchKind::kTrials || !measured) return;
  ++progress.trials;
  ++progress.outcomes[result.outcome];
  if (!IsOk(result)) return;
  const double median = result.latency->median_ns;
  if (progress.best && median >= progress.best->latency.median_ns) return;
  SetBest(in_flight.batch.candidates[index], *result.latency, result.peak_gflops);
  progress.curve.push_back(
      {in_flight.slots[index].provenance.trial, absl::ToDoubleSeconds(job_.active), median});
}

void TuningJob::SetBest(const workload::Candidate& candidate, const measure::Latency& latency,
                        std::optional<double> peak_gflops) {
  BestCandidate& best = progress().best.emplace();
  best.record = RecordId(measure::KeyOf(task_.workload, task_.target, candidate));
  best.candidate = candidate;
  best.latency = latency;
  best.peak_gflops = peak_gflops;
}

Step TuningJob::OnTime(absl::Time now) {
  Step out;
  if (!rests() && now >= NextDeadline()) {
    tuner_->FinishEarly();
    told_to_finish_ = true;
    Log(store::LoggedFinishEarly{}, out);
    Pump(now, out);
  }
  Seal(out);
  return out;
}

absl::Time TuningJob::NextDeadline() const {
  if (!task_.time_limit || told_to_finish_ || rests()) return absl::InfiniteFuture();
  return running_since_ + (*task_.time_limit - job_.active);
}

Step TuningJob::Stop(const std::string& reason, absl::Time now) {
  Step out;
  if (!rests()) Rest(JobState::kStopped, reason, now, out);
  Seal(out);
  return out;
}

Step TuningJob::Fail(const std::string& reason, absl::Time now) {
  Step out;
  if (!rests()) Rest(JobState::kFailed, reason, now, out);
  Seal(out);
  return out;
}

void TuningJob::Finish(absl::Time now, Step& out) {
  const absl::StatusOr<search::TuningSummary> summary = tuner_->Summary();
  if (!summary.ok()) {
    return Rest(JobState::kFailed, std::string(summary.status().message()), now, out);
  }
  SetBest(summary->best, summary->best_latency, summary->best_peak_gflops);
  progress().default_latency = summary->default_latency;
  progress().disturbed = summary->disturbed;
  for (const InFlight& comparison : comparisons_) {
    if (comparison.batch.number != summary->comparison) continue;
    const std::vector<workload::Candidate>& all = comparison.batch.candidates;
    const size_t at = std::find(all.begin(), all.end(), summary->best) - all.begin();
    const Slot& slot = comparison.slots.at(at);
    store::PutChampion champion{.key = ChampionKeyOf(task_),
                                .candidate = workload::Print(summary->best),
                                .result = *slot.result,
                                .provenance = slot.provenance,
                                .validators = slot.validators};
    if (champion_) champion.incumbent = champion_->record;
    if (slot.result->peak_gflops) {
      const double gflops = workload::Flops(task_.workload) / slot.result->latency->median_ns;
      champion.peak_share = gflops / *slot.result->peak_gflops;
    }
    out.write.push_back(std::move(champion));
  }
  Rest(JobState::kSucceeded, "", now, out);
}

void TuningJob::Rest(JobState state, const std::string& reason, absl::Time now, Step& out) {
  job_.active = ActiveAt(now);
  job_.state = state;
  job_.reason = reason;
  job_.finished = now;
  out.write.push_back(store::UpdateJob{job_});
}

int64_t TuningJob::awaited() const {
  int64_t missing = 0;
  for (const InFlight& in_flight : in_flight_) {
    for (const Slot& slot : in_flight.slots) missing += slot.result ? 0 : 1;
  }
  return missing;
}

absl::Duration TuningJob::ActiveAt(absl::Time now) const {
  if (job_.state != JobState::kRunning || now < running_since_) return job_.active;
  return job_.active + (now - running_since_);
}

void TuningJob::Log(store::LogEvent event, Step& out) {
  out.write.push_back(store::AppendLog{job_.id, log_length_++, std::move(event)});
}

// Gives what is to be written its token.
void TuningJob::Seal(Step& out) {
  if (out.write.empty()) return;
  out.token = next_token_++;
  writing_[out.token] = std::move(unsealed_);
  unsealed_.clear();
}

}  // namespace alt::job
