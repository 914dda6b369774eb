#include "common/wire/job_wire.h"

#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/wire/bounds.h"
#include "common/wire/measure_wire.h"
#include "common/wire/time_wire.h"

namespace alt::wire {
namespace {

// ---- Writing. -----------------------------------------------------------------------------------

// What the specs of several kinds have in common.
template <typename Spec, typename Message>
void WriteTask(const Spec& spec, Message& out) {
  out.set_workload(workload::Print(spec.workload));
  out.set_target(target::PrintTarget(spec.target));
  out.set_fixed_layouts(job::PrintFixedLayouts(spec.fixed_layouts));
  out.set_cache(ToProto(spec.cache));
}

struct SpecWriter {
  v1::JobSpec& out;

  void operator()(const job::TuneSpec& spec) const {
    v1::TuneSpec& tune = *out.mutable_tune();
    WriteTask(spec, tune);
    tune.set_policy(spec.policy);
    tune.set_trials(spec.trials);
    tune.set_patience(spec.patience);
    if (spec.time_limit) *tune.mutable_time_limit() = ToProto(*spec.time_limit);
    tune.set_seed(spec.seed);
    tune.set_loops_only(spec.loops_only);
    tune.set_refresh(spec.refresh);
  }
  void operator()(const job::BenchSpec& spec) const {
    v1::BenchSpec& bench = *out.mutable_bench();
    WriteTask(spec, bench);
    if (spec.candidate) bench.set_candidate(workload::Print(*spec.candidate));
  }
  void operator()(const job::PeakSpec& spec) const {
    out.mutable_peak()->set_target(target::PrintTarget(spec.target));
  }
};

struct ProgressWriter {
  v1::Job& out;

  void operator()(const job::TuneProgress& progress) const {
    v1::TuneProgress& tune = *out.mutable_tune();
    tune.set_trials(progress.trials);
    tune.set_proposals(progress.proposals);
    for (const auto& [outcome, count] : progress.outcomes) {
      v1::OutcomeCount& entry = *tune.add_outcomes();
      entry.set_outcome(ToProto(outcome));
      entry.set_count(count);
    }
    *tune.mutable_propose() = SecondsToProto(progress.propose_seconds);
    *tune.mutable_times() = ToProto(progress.seconds);
    if (progress.best) {
      v1::BestCandidate& best = *tune.mutable_best();
      best.set_record_id(progress.best->record);
      best.set_candidate(workload::Print(progress.best->candidate));
      *best.mutable_latency() = ToProto(progress.best->latency);
      if (progress.best->peak_gflops) best.set_peak_gflops(*progress.best->peak_gflops);
    }
    tune.set_disturbed(progress.disturbed);
    if (progress.default_latency) {
      *tune.mutable_default_latency() = ToProto(*progress.default_latency);
    }
    for (const job::CurvePoint& point : progress.curve) {
      v1::CurvePoint& entry = *tune.add_curve();
      entry.set_trial(point.trial);
      *entry.mutable_active() = SecondsToProto(point.seconds);
      entry.set_best_ns(point.best_ns);
    }
    if (progress.machine_peak) *tune.mutable_machine_peak() = ToProto(*progress.machine_peak);
  }
  void operator()(const job::BenchProgress& progress) const {
    v1::BenchProgress& bench = *out.mutable_bench();
    if (progress.answer) *bench.mutable_answer() = ToProto(*progress.answer);
    if (progress.result) *bench.mutable_result() = ToProto(*progress.result);
  }
  void operator()(const job::PeakProgress& progress) const {
    v1::PeakProgress& peak = *out.mutable_peak();
    if (progress.peak) *peak.mutable_peak() = ToProto(*progress.peak);
  }
};

void WriteState(const job::Job& job, v1::Job& out) {
  switch (job.state) {
    case job::JobState::kQueued:
      out.mutable_queued()->set_reason(job.reason);
      break;
    case job::JobState::kRunning:
      out.mutable_running()->set_workers(job.workers);
      out.mutable_running()->set_activity(job.activity);
      break;
    case job::JobState::kSucceeded:
      out.mutable_succeeded();
      break;
    case job::JobState::kFailed:
      out.mutable_failed()->set_reason(job.reason);
      break;
    case job::JobState::kStopped:
      out.mutable_stopped()->set_reason(job.reason);
      break;
  }
}

// ---- Reading. -----------------------------------------------------------------------------------

template <typename Message, typename Spec>
absl::Status ReadTask(const Message& message, Spec& out) {
  ALT_ASSIGN_OR_RETURN(out.workload, workload::Parse(message.workload()));
  ALT_ASSIGN_OR_RETURN(out.target, target::ParseTarget(message.target()));
  ALT_ASSIGN_OR_RETURN(out.fixed_layouts, job::ParseFixedLayouts(message.fixed_layouts()),
                       base::Annotate(_, "fixed layouts"));
  ALT_ASSIGN_OR_RETURN(out.cache, FromProto(message.cache()));
  return absl::OkStatus();
}

absl::StatusOr<job::JobSpec> Read(const v1::TuneSpec& tune) {
  job::TuneSpec out;
  ALT_RETURN_IF_ERROR(ReadTask(tune, out));
  out.policy = tune.policy();
  ALT_RETURN_IF_ERROR(CheckRange("refresh", tune.refresh(), 0, job::kMaxRefresh));
  ALT_RETURN_IF_ERROR(
      CheckRange("trials", tune.trials(), tune.refresh() > 0 ? 0 : 1, job::kMaxTrials));
  ALT_RETURN_IF_ERROR(CheckRange("patience", tune.patience(), 0, job::kMaxTrials));
  out.trials = tune.trials();
  out.patience = tune.patience();
  if (tune.has_time_limit()) {
    ALT_ASSIGN_OR_RETURN(out.time_limit, FromProto(tune.time_limit()));
    if (*out.time_limit < absl::Microseconds(1)) {
      return absl::InvalidArgumentError("the time limit is not positive");
    }
  }
  out.seed = tune.seed();
  out.loops_only = tune.loops_only();
  out.refresh = tune.refresh();
  return out;
}

absl::StatusOr<job::JobSpec> Read(const v1::BenchSpec& bench) {
  job::BenchSpec out;
  ALT_RETURN_IF_ERROR(ReadTask(bench, out));
  if (bench.has_candidate()) {
    ALT_ASSIGN_OR_RETURN(out.candidate, workload::ParseCandidate(bench.candidate()),
                         base::Annotate(_, "candidate"));
  }
  return out;
}

absl::StatusOr<job::BestCandidate> Read(const v1::BestCandidate& best) {
  job::BestCandidate out{.record = best.record_id()};
  ALT_ASSIGN_OR_RETURN(out.candidate, workload::ParseCandidate(best.candidate()));
  ALT_ASSIGN_OR_RETURN(out.latency, FromProto(best.latency()));
  if (best.has_peak_gflops()) out.peak_gflops = best.peak_gflops();
  return out;
}

absl::StatusOr<job::TuneProgress> Read(const v1::TuneProgress& tune) {
  job::TuneProgress out{.trials = tune.trials(), .proposals = tune.proposals()};
  for (const v1::OutcomeCount& count : tune.outcomes()) {
    ALT_ASSIGN_OR_RETURN(const measure::Outcome outcome, FromProto(count.outcome()));
    out.outcomes[outcome] += count.count();
  }
  ALT_ASSIGN_OR_RETURN(out.propose_seconds, SecondsFromProto(tune.propose()));
  ALT_ASSIGN_OR_RETURN(out.seconds, FromProto(tune.times()));
  if (tune.has_best()) {
    ALT_ASSIGN_OR_RETURN(out.best, Read(tune.best()));
  }
  out.disturbed = tune.disturbed();
  if (tune.has_default_latency()) {
    ALT_ASSIGN_OR_RETURN(out.default_latency, FromProto(tune.default_latency()));
  }
  for (const v1::CurvePoint& point : tune.curve()) {
    ALT_ASSIGN_OR_RETURN(const double seconds, SecondsFromProto(point.active()));
    out.curve.push_back({.trial = point.trial(), .seconds = seconds, .best_ns = point.best_ns()});
  }
  if (tune.has_machine_peak()) {
    ALT_ASSIGN_OR_RETURN(out.machine_peak, FromProto(tune.machine_peak()));
  }
  return out;
}

absl::StatusOr<job::BenchProgress> Read(const v1::BenchProgress& bench) {
  job::BenchProgress out;
  if (bench.has_answer()) {
    ALT_ASSIGN_OR_RETURN(out.answer, FromProto(bench.answer()));
  }
  if (bench.has_result()) {
    ALT_ASSIGN_OR_RETURN(out.result, FromProto(bench.result()));
  }
  return out;
}

absl::StatusOr<job::PeakProgress> Read(const v1::PeakProgress& peak) {
  job::PeakProgress out;
  if (peak.has_peak()) {
    ALT_ASSIGN_OR_RETURN(out.peak, FromProto(peak.peak()));
  }
  return out;
}

absl::StatusOr<job::JobProgress> ReadProgress(const v1::Job& job) {
  switch (job.progress_case()) {
    case v1::Job::kTune:
      return Read(job.tune());
    case v1::Job::kBench:
      return Read(job.bench());
    case v1::Job::kPeak:
      return Read(job.peak());
    case v1::Job::PROGRESS_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a job of a kind that this version does not know");
}

absl::Status ReadState(const v1::Job& job, job::Job& out) {
  switch (job.state_case()) {
    case v1::Job::kQueued:
      out.state = job::JobState::kQueued;
      out.reason = job.queued().reason();
      return absl::OkStatus();
    case v1::Job::kRunning:
      out.state = job::JobState::kRunning;
      out.workers = job.running().workers();
      out.activity = job.running().activity();
      return absl::OkStatus();
    case v1::Job::kSucceeded:
      out.state = job::JobState::kSucceeded;
      return absl::OkStatus();
    case v1::Job::kFailed:
      out.state = job::JobState::kFailed;
      out.reason = job.failed().reason();
      return absl::OkStatus();
    case v1::Job::kStopped:
      out.state = job::JobState::kStopped;
      out.reason = job.stopped().reason();
      return absl::OkStatus();
    case v1::Job::STATE_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a job in a state that this version does not know");
}

}  // namespace

// ---- Jobs. --------------------------------------------------------------------------------------

v1::JobSpec ToProto(const job::JobSpec& spec) {
  v1::JobSpec out;
  std::visit(SpecWriter{out}, spec);
  return out;
}

absl::StatusOr<job::JobSpec> FromProto(const v1::JobSpec& spec) {
  switch (spec.kind_case()) {
    case v1::JobSpec::kTune:
      return Read(spec.tune());
    case v1::JobSpec::kBench:
      return Read(spec.bench());
    case v1::JobSpec::kPeak: {
      ALT_ASSIGN_OR_RETURN(target::Target target, target::ParseTarget(spec.peak().target()));
      return job::PeakSpec{std::move(target)};
    }
    case v1::JobSpec::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a job of a kind that this version does not know");
}

v1::Job ToProto(const job::Job& job) {
  v1::Job out;
  out.set_job_id(job.id);
  *out.mutable_spec() = ToProto(job.spec);
  *out.mutable_create_time() = ToProto(job.created);
  WriteState(job, out);
  *out.mutable_active() = ToProto(job.active);
  std::visit(ProgressWriter{out}, job.progress);
  return out;
}

absl::StatusOr<job::Job> FromProto(const v1::Job& job) {
  job::Job out;
  out.id = job.job_id();
  ALT_ASSIGN_OR_RETURN(out.spec, FromProto(job.spec()));
  ALT_ASSIGN_OR_RETURN(out.created, FromProto(job.create_time()));
  ALT_RETURN_IF_ERROR(ReadState(job, out));
  ALT_ASSIGN_OR_RETURN(out.active, FromProto(job.active()));
  ALT_ASSIGN_OR_RETURN(out.progress, ReadProgress(job));
  return out;
}

// ---- Questions and answers. ---------------------------------------------------------------------

v1::Answer ToProto(const job::Answer& answer) {
  v1::Answer out;
  // The enums have the same order, with UNSPECIFIED in front on the wire.
  out.set_source(
      static_cast<v1::AnswerSource>(static_cast<int>(answer.source) + v1::ANSWER_SOURCE_EXACT));
  out.set_reason(answer.reason);
  out.set_record_id(answer.record);
  out.set_candidate(workload::Print(answer.candidate));
  if (answer.latency) *out.mutable_latency() = ToProto(*answer.latency);
  if (answer.peak_gflops) out.set_peak_gflops(*answer.peak_gflops);
  return out;
}

absl::StatusOr<job::Answer> FromProto(const v1::Answer& answer) {
  ALT_RETURN_IF_ERROR(CheckRange("source of an answer", answer.source(), v1::ANSWER_SOURCE_EXACT,
                                 v1::ANSWER_SOURCE_GIVEN));
  job::Answer out{
      .source = static_cast<job::AnswerSource>(answer.source() - v1::ANSWER_SOURCE_EXACT),
      .reason = answer.reason(),
      .record = answer.record_id()};
  ALT_ASSIGN_OR_RETURN(out.candidate, workload::ParseCandidate(answer.candidate()));
  if (answer.has_latency()) {
    ALT_ASSIGN_OR_RETURN(out.latency, FromProto(answer.latency()));
  }
  if (answer.has_peak_gflops()) out.peak_gflops = answer.peak_gflops();
  return out;
}

v1::QueryRequest ToProto(const job::QuerySpec& spec) {
  v1::QueryRequest out;
  WriteTask(spec, out);
  out.set_any_target(spec.any_target);
  if (spec.validators) {
    out.mutable_validators()->insert(spec.validators->begin(), spec.validators->end());
  }
  return out;
}

absl::StatusOr<job::QuerySpec> FromProto(const v1::QueryRequest& request) {
  job::QuerySpec out;
  ALT_RETURN_IF_ERROR(ReadTask(request, out));
  out.any_target = request.any_target();
  if (!request.validators().empty()) {
    ALT_RETURN_IF_ERROR(CheckCount("validators", request.validators_size(), kMaxValidators));
    out.validators.emplace(request.validators().begin(), request.validators().end());
  }
  return out;
}

v1::WorkerStatus ToProto(const job::WorkerStatus& worker) {
  v1::WorkerStatus out;
  out.set_worker_name(worker.name);
  *out.mutable_facts() = ToProto(worker.facts);
  *out.mutable_last_seen() = ToProto(worker.last_seen);
  out.set_job_id(worker.job);
  out.set_draining(worker.draining);
  out.set_measured(worker.measured);
  out.set_takes_no_work(worker.takes_no_work);
  return out;
}

absl::StatusOr<job::WorkerStatus> FromProto(const v1::WorkerStatus& worker) {
  job::WorkerStatus out{.name = worker.worker_name(),
                        .job = worker.job_id(),
                        .draining = worker.draining(),
                        .measured = worker.measured(),
                        .takes_no_work = worker.takes_no_work()};
  ALT_ASSIGN_OR_RETURN(out.facts, FromProto(worker.facts()));
  ALT_ASSIGN_OR_RETURN(out.last_seen, FromProto(worker.last_seen()));
  return out;
}

v1::StatsResponse ToProto(const job::Stats& stats) {
  v1::StatsResponse out;
  out.set_records(stats.records);
  out.set_workloads(stats.workloads);
  for (const target::Target& target : stats.targets) out.add_targets(target::PrintTarget(target));
  out.set_duplicates(stats.duplicates);
  out.set_size_bytes(stats.bytes);
  out.set_jobs(stats.jobs);
  for (const std::string& damage : stats.damage) out.add_damage(damage);
  return out;
}

absl::StatusOr<job::Stats> FromProto(const v1::StatsResponse& response) {
  job::Stats out{.records = response.records(),
                 .workloads = response.workloads(),
                 .duplicates = response.duplicates(),
                 .bytes = response.size_bytes(),
                 .jobs = response.jobs(),
                 .damage = {response.damage().begin(), response.damage().end()}};
  for (const std::string& text : response.targets()) {
    ALT_ASSIGN_OR_RETURN(target::Target target, target::ParseTarget(text));
    out.targets.push_back(std::move(target));
  }
  return out;
}

v1::ListStaleResponse ToProto(const job::StaleReport& report) {
  v1::ListStaleResponse out;
  for (const job::StaleTask& task : report.tasks) {
    v1::StaleTask& to = *out.add_tasks();
    WriteTask(task, to);
    to.set_reason(task.reason);
  }
  out.set_unserved(report.unserved);
  return out;
}

absl::StatusOr<job::StaleReport> FromProto(const v1::ListStaleResponse& response) {
  job::StaleReport out;
  for (const v1::StaleTask& from : response.tasks()) {
    job::StaleTask& task = out.tasks.emplace_back();
    ALT_RETURN_IF_ERROR(ReadTask(from, task));
    task.reason = from.reason();
  }
  out.unserved = response.unserved();
  return out;
}

v1::VerifyResponse ToProto(const job::VerifyReport& report) {
  v1::VerifyResponse out;
  out.set_records(report.records);
  out.mutable_problems()->Add(report.problems.begin(), report.problems.end());
  return out;
}

job::VerifyReport FromProto(const v1::VerifyResponse& response) {
  return {.records = response.records(),
          .problems = {response.problems().begin(), response.problems().end()}};
}

v1::Trial ToProto(const job::Trial& trial) {
  v1::Trial out;
  out.set_trial(trial.trial);
  out.set_record_id(trial.record);
  out.set_outcome(ToProto(trial.outcome));
  out.set_censored(trial.censored);
  out.set_algorithm(trial.algorithm);
  if (trial.latency) *out.mutable_latency() = ToProto(*trial.latency);
  out.set_reason(trial.reason);
  *out.mutable_time() = ToProto(trial.time);
  return out;
}

absl::StatusOr<job::Trial> FromProto(const v1::Trial& trial) {
  job::Trial out{.trial = trial.trial(),
                 .record = trial.record_id(),
                 .censored = trial.censored(),
                 .algorithm = trial.algorithm(),
                 .reason = trial.reason()};
  ALT_ASSIGN_OR_RETURN(out.outcome, FromProto(trial.outcome()));
  if (trial.has_latency()) {
    ALT_ASSIGN_OR_RETURN(out.latency, FromProto(trial.latency()));
  }
  ALT_ASSIGN_OR_RETURN(out.time, FromProto(trial.time()));
  return out;
}

v1::ReplayResponse ToProto(const job::ReplayReport& report) {
  v1::ReplayResponse out;
  out.set_identical(report.identical);
  out.set_proposals(report.proposals);
  out.set_first_difference(report.first_difference);
  return out;
}

job::ReplayReport FromProto(const v1::ReplayResponse& response) {
  return {.identical = response.identical(),
          .proposals = response.proposals(),
          .first_difference = response.first_difference()};
}

}  // namespace alt::wire
