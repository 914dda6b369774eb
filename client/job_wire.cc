#include "client/job_wire.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/wire/bounds.h"
#include "common/wire/layout_wire.h"
#include "common/wire/measure_wire.h"
#include "common/wire/target_wire.h"
#include "common/wire/time_wire.h"
#include "common/wire/trace_wire.h"
#include "common/wire/workload_wire.h"

namespace alt::client {
namespace {

using wire::FromProto;
using wire::ToProto;
using LayoutMap = google::protobuf::Map<std::string, v1::Layout>;

void WriteLayouts(const job::FixedLayouts& layouts, LayoutMap& out) {
  for (const auto& [tensor, layout] : layouts) out[tensor] = ToProto(layout);
}

absl::StatusOr<job::FixedLayouts> ReadLayouts(const LayoutMap& layouts) {
  job::FixedLayouts out;
  for (const auto& [tensor, layout] : layouts) {
    ALT_ASSIGN_OR_RETURN(out[tensor], FromProto(layout));
  }
  return out;
}

struct SpecWriter {
  v1::JobSpec& out;

  void operator()(const job::TuneSpec& spec) {
    v1::TuneSpec& tune = *out.mutable_tune();
    *tune.mutable_workload() = ToProto(spec.workload);
    *tune.mutable_target() = ToProto(spec.target);
    tune.set_policy(spec.policy);
    tune.set_trials(spec.trials);
    tune.set_patience(spec.patience);
    if (spec.time_limit) *tune.mutable_time_limit() = ToProto(*spec.time_limit);
    tune.set_seed(spec.seed);
    tune.set_loops_only(spec.loops_only);
    WriteLayouts(spec.fixed_layouts, *tune.mutable_fixed_layouts());
    tune.set_cache(ToProto(spec.cache));
  }
  void operator()(const job::BenchSpec& spec) {
    v1::BenchSpec& bench = *out.mutable_bench();
    *bench.mutable_workload() = ToProto(spec.workload);
    *bench.mutable_target() = ToProto(spec.target);
    if (spec.candidate) *bench.mutable_candidate() = ToProto(*spec.candidate);
    WriteLayouts(spec.fixed_layouts, *bench.mutable_fixed_layouts());
    bench.set_cache(ToProto(spec.cache));
  }
  void operator()(const job::PeakSpec& spec) {
    *out.mutable_peak()->mutable_target() = ToProto(spec.target);
  }
};

absl::StatusOr<job::JobSpec> Read(const v1::TuneSpec& tune) {
  job::TuneSpec out;
  ALT_ASSIGN_OR_RETURN(out.workload, FromProto(tune.workload()));
  ALT_ASSIGN_OR_RETURN(out.target, FromProto(tune.target()));
  out.policy = tune.policy();
  out.trials = tune.trials();
  out.patience = tune.patience();
  if (tune.has_time_limit()) {
    ALT_ASSIGN_OR_RETURN(out.time_limit, FromProto(tune.time_limit()));
  }
  out.seed = tune.seed();
  out.loops_only = tune.loops_only();
  ALT_ASSIGN_OR_RETURN(out.fixed_layouts, ReadLayouts(tune.fixed_layouts()));
  ALT_ASSIGN_OR_RETURN(out.cache, FromProto(tune.cache()));
  return out;
}

absl::StatusOr<job::JobSpec> Read(const v1::BenchSpec& bench) {
  job::BenchSpec out;
  ALT_ASSIGN_OR_RETURN(out.workload, FromProto(bench.workload()));
  ALT_ASSIGN_OR_RETURN(out.target, FromProto(bench.target()));
  if (bench.has_candidate()) {
    ALT_ASSIGN_OR_RETURN(out.candidate, FromProto(bench.candidate()));
  }
  ALT_ASSIGN_OR_RETURN(out.fixed_layouts, ReadLayouts(bench.fixed_layouts()));
  ALT_ASSIGN_OR_RETURN(out.cache, FromProto(bench.cache()));
  return out;
}

absl::StatusOr<job::AnswerSource> ReadSource(v1::AnswerSource source) {
  switch (source) {
    case v1::ANSWER_SOURCE_EXACT:
      return job::AnswerSource::kExact;
    case v1::ANSWER_SOURCE_NEAREST:
      return job::AnswerSource::kNearest;
    case v1::ANSWER_SOURCE_DEFAULT:
      return job::AnswerSource::kDefault;
    case v1::ANSWER_SOURCE_GIVEN:
      return job::AnswerSource::kGiven;
    default:
      return absl::InvalidArgumentError("an answer from a source that this version does not know");
  }
}

absl::StatusOr<job::BestCandidate> Read(const v1::BestCandidate& best) {
  job::BestCandidate out;
  out.record = best.record_id();
  ALT_ASSIGN_OR_RETURN(out.candidate, FromProto(best.candidate()));
  ALT_ASSIGN_OR_RETURN(out.latency, FromProto(best.latency()));
  if (best.has_peak_gflops()) out.peak_gflops = best.peak_gflops();
  return out;
}

absl::Status ReadTimes(const v1::TuneTimes& times, job::TuneProgress& out) {
  ALT_ASSIGN_OR_RETURN(out.propose_seconds, wire::SecondsFromProto(times.propose()));
  ALT_ASSIGN_OR_RETURN(out.seconds.build, wire::SecondsFromProto(times.build()));
  ALT_ASSIGN_OR_RETURN(out.seconds.check, wire::SecondsFromProto(times.check()));
  ALT_ASSIGN_OR_RETURN(out.seconds.run, wire::SecondsFromProto(times.run()));
  ALT_ASSIGN_OR_RETURN(out.seconds.wait, wire::SecondsFromProto(times.wait()));
  return absl::OkStatus();
}

absl::StatusOr<job::TuneProgress> Read(const v1::TuneProgress& tune) {
  job::TuneProgress out;
  out.trials = tune.trials();
  out.proposals = tune.proposals();
  for (const v1::OutcomeCount& count : tune.outcomes()) {
    ALT_ASSIGN_OR_RETURN(const measure::Outcome outcome, FromProto(count.outcome()));
    out.outcomes[outcome] += count.count();
  }
  ALT_ASSIGN_OR_RETURN(out.wall_seconds, wire::SecondsFromProto(tune.wall()));
  ALT_RETURN_IF_ERROR(ReadTimes(tune.times(), out));
  if (tune.has_best()) {
    ALT_ASSIGN_OR_RETURN(out.best, Read(tune.best()));
  }
  if (tune.has_default_latency()) {
    ALT_ASSIGN_OR_RETURN(out.default_latency, FromProto(tune.default_latency()));
  }
  for (const v1::CurvePoint& point : tune.curve()) {
    ALT_ASSIGN_OR_RETURN(const double seconds, wire::SecondsFromProto(point.wall()));
    out.curve.push_back({.trial = point.trial(), .seconds = seconds, .best_ns = point.best_ns()});
  }
  if (tune.has_machine_peak()) {
    ALT_ASSIGN_OR_RETURN(out.machine_peak, FromProto(tune.machine_peak()));
  }
  return out;
}

absl::StatusOr<job::BenchProgress> Read(const v1::BenchProgress& bench) {
  job::BenchProgress out;
  // A job that has not run yet has chosen nothing yet.
  if (bench.source() == v1::ANSWER_SOURCE_UNSPECIFIED) return out;
  ALT_ASSIGN_OR_RETURN(out.source, ReadSource(bench.source()));
  out.reason = bench.reason();
  out.record = bench.record_id();
  ALT_ASSIGN_OR_RETURN(out.candidate, FromProto(bench.candidate()));
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

absl::Status ReadState(const v1::Job& job, job::Job& out) {
  switch (job.state_case()) {
    case v1::Job::kQueued:
      out.state = job::JobState::kQueued;
      out.reason = job.queued().reason();
      return absl::OkStatus();
    case v1::Job::kRunning:
      out.state = job::JobState::kRunning;
      out.workers = job.running().workers();
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

absl::Status ReadProgress(const v1::Job& job, job::Job& out) {
  switch (job.progress_case()) {
    case v1::Job::kTune: {
      ALT_ASSIGN_OR_RETURN(out.progress, Read(job.tune()));
      return absl::OkStatus();
    }
    case v1::Job::kBench: {
      ALT_ASSIGN_OR_RETURN(out.progress, Read(job.bench()));
      return absl::OkStatus();
    }
    case v1::Job::kPeak: {
      ALT_ASSIGN_OR_RETURN(out.progress, Read(job.peak()));
      return absl::OkStatus();
    }
    case v1::Job::PROGRESS_NOT_SET:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace

v1::JobSpec ToProto(const job::JobSpec& spec) {
  v1::JobSpec out;
  std::visit(SpecWriter{out}, spec);
  return out;
}

v1::QueryRequest ToProto(const job::QuerySpec& spec) {
  v1::QueryRequest out;
  *out.mutable_workload() = ToProto(spec.workload);
  *out.mutable_target() = ToProto(spec.target);
  WriteLayouts(spec.fixed_layouts, *out.mutable_fixed_layouts());
  out.set_any_target(spec.any_target);
  return out;
}

absl::StatusOr<job::JobSpec> FromProto(const v1::JobSpec& spec) {
  switch (spec.kind_case()) {
    case v1::JobSpec::kTune:
      return Read(spec.tune());
    case v1::JobSpec::kBench:
      return Read(spec.bench());
    case v1::JobSpec::kPeak: {
      job::PeakSpec out;
      ALT_ASSIGN_OR_RETURN(out.target, FromProto(spec.peak().target()));
      return out;
    }
    case v1::JobSpec::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a job of a kind that this version does not know");
}

absl::StatusOr<job::Job> FromProto(const v1::Job& job) {
  job::Job out;
  out.id = job.job_id();
  ALT_ASSIGN_OR_RETURN(out.spec, FromProto(job.spec()));
  ALT_ASSIGN_OR_RETURN(out.created, FromProto(job.create_time()));
  ALT_RETURN_IF_ERROR(ReadState(job, out));
  ALT_RETURN_IF_ERROR(ReadProgress(job, out));
  return out;
}

absl::StatusOr<job::Answer> FromProto(const v1::QueryResponse& response) {
  job::Answer out;
  ALT_ASSIGN_OR_RETURN(out.source, ReadSource(response.source()));
  out.reason = response.reason();
  out.record = response.record_id();
  ALT_ASSIGN_OR_RETURN(out.candidate, FromProto(response.candidate()));
  if (response.has_latency()) {
    ALT_ASSIGN_OR_RETURN(out.latency, FromProto(response.latency()));
  }
  if (response.has_peak_gflops()) out.peak_gflops = response.peak_gflops();
  return out;
}

absl::StatusOr<job::WorkerStatus> FromProto(const v1::WorkerStatus& worker) {
  job::WorkerStatus out;
  out.name = worker.worker_name();
  ALT_ASSIGN_OR_RETURN(out.facts, FromProto(worker.facts()));
  ALT_ASSIGN_OR_RETURN(out.last_seen, FromProto(worker.last_seen()));
  out.job = worker.job_id();
  out.draining = worker.draining();
  out.measured = worker.measured();
  return out;
}

absl::StatusOr<job::Stats> FromProto(const v1::StatsResponse& response) {
  job::Stats out{.records = response.records(),
                 .workloads = response.workloads(),
                 .duplicates = response.duplicates(),
                 .bytes = response.size_bytes(),
                 .jobs = response.jobs()};
  for (const v1::Target& target : response.targets()) {
    ALT_ASSIGN_OR_RETURN(target::Target value, FromProto(target));
    out.targets.push_back(std::move(value));
  }
  return out;
}

}  // namespace alt::client
