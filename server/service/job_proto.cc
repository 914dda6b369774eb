#include "server/service/job_proto.h"

#include <google/protobuf/util/json_util.h>

#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/measure/record_key.h"
#include "common/wire/bounds.h"
#include "common/wire/layout_wire.h"
#include "common/wire/measure_wire.h"
#include "common/wire/record_wire.h"
#include "common/wire/target_wire.h"
#include "common/wire/time_wire.h"
#include "common/wire/trace_wire.h"
#include "common/wire/workload_wire.h"

namespace alt::service {
namespace {

using wire::FromProto;
using wire::ToProto;

constexpr int64_t kMaxTrials = 1'000'000;

absl::StatusOr<store::JobSpec> ReadTune(const v1::TuneSpec& tune) {
  store::JobSpec out{.kind = store::JobKind::kTune};
  ALT_ASSIGN_OR_RETURN(const workload::Workload workload, FromProto(tune.workload()));
  ALT_ASSIGN_OR_RETURN(const target::Target target, FromProto(tune.target()));
  out.workload = workload::Print(workload);
  out.target = target::PrintTarget(target);
  out.policy = tune.policy().empty() ? "evolve" : tune.policy();
  ALT_RETURN_IF_ERROR(wire::CheckRange("trials", tune.trials(), 1, kMaxTrials));
  ALT_RETURN_IF_ERROR(wire::CheckRange("patience", tune.patience(), 0, kMaxTrials));
  out.trials = tune.trials();
  out.patience = tune.patience();
  out.seed = tune.seed();
  out.loops_only = tune.loops_only();
  ALT_ASSIGN_OR_RETURN(out.fixed_layouts, ReadFixedLayouts(tune.fixed_layouts()));
  ALT_ASSIGN_OR_RETURN(out.cache, FromProto(tune.cache()));
  if (tune.has_time_limit()) {
    ALT_ASSIGN_OR_RETURN(const absl::Duration time_limit, FromProto(tune.time_limit()));
    // As the store keeps it: the same request again must be the same spec.
    out.time_limit = absl::Trunc(time_limit, absl::Microseconds(1));
    if (*out.time_limit <= absl::ZeroDuration()) {
      return absl::InvalidArgumentError("the time limit is not positive");
    }
  }
  return out;
}

// The text to store. Names from outside may hold what text gives a meaning to; then it would not be
// read back, or as another candidate.
absl::StatusOr<std::string> TextOf(workload::Candidate candidate) {
  std::erase_if(candidate.layouts, [](const auto& e) { return e.second.primitives.empty(); });
  const std::string text = workload::Print(candidate);
  const absl::StatusOr<workload::Candidate> read = workload::ParseCandidate(text);
  if (!read.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("candidate: ", read.status().message()));
  }
  if (*read != candidate) return absl::InvalidArgumentError("the candidate has no canonical text");
  return text;
}

absl::StatusOr<store::JobSpec> ReadBench(const v1::BenchSpec& bench) {
  store::JobSpec out{.kind = store::JobKind::kBench};
  ALT_ASSIGN_OR_RETURN(const workload::Workload workload, FromProto(bench.workload()));
  ALT_ASSIGN_OR_RETURN(const target::Target target, FromProto(bench.target()));
  out.workload = workload::Print(workload);
  out.target = target::PrintTarget(target);
  ALT_ASSIGN_OR_RETURN(out.fixed_layouts, ReadFixedLayouts(bench.fixed_layouts()));
  ALT_ASSIGN_OR_RETURN(out.cache, FromProto(bench.cache()));
  if (bench.has_candidate()) {
    ALT_ASSIGN_OR_RETURN(const workload::Candidate candidate, FromProto(bench.candidate()));
    ALT_ASSIGN_OR_RETURN(out.candidate, TextOf(candidate));
  }
  return out;
}

// The stored texts, parsed once more.
struct Subject {
  v1::Workload workload;
  v1::Target target;
};

absl::StatusOr<Subject> ParseSubject(const std::string& workload, const std::string& target) {
  Subject out;
  if (!workload.empty()) {
    ALT_ASSIGN_OR_RETURN(const workload::Workload value, workload::Parse(workload));
    out.workload = ToProto(value);
  }
  ALT_ASSIGN_OR_RETURN(const target::Target value, target::ParseTarget(target));
  out.target = ToProto(value);
  return out;
}

absl::StatusOr<v1::Candidate> CandidateToProto(const std::string& text) {
  ALT_ASSIGN_OR_RETURN(const workload::Candidate candidate, workload::ParseCandidate(text));
  return ToProto(candidate);
}

absl::StatusOr<v1::JobSpec> SpecToProto(const store::JobSpec& spec) {
  v1::JobSpec out;
  ALT_ASSIGN_OR_RETURN(Subject subject, ParseSubject(spec.workload, spec.target));
  std::map<std::string, v1::Layout> layouts;
  for (const auto& [tensor, text] : spec.fixed_layouts) {
    ALT_ASSIGN_OR_RETURN(const layout::Layout layout, layout::Parse(text));
    layouts[tensor] = ToProto(layout);
  }
  if (spec.kind == store::JobKind::kPeak) {
    *out.mutable_peak()->mutable_target() = std::move(subject.target);
  } else if (spec.kind == store::JobKind::kBench) {
    v1::BenchSpec& bench = *out.mutable_bench();
    *bench.mutable_workload() = std::move(subject.workload);
    *bench.mutable_target() = std::move(subject.target);
    bench.mutable_fixed_layouts()->insert(layouts.begin(), layouts.end());
    bench.set_cache(ToProto(spec.cache));
    if (!spec.candidate.empty()) {
      ALT_ASSIGN_OR_RETURN(*bench.mutable_candidate(), CandidateToProto(spec.candidate));
    }
  } else {
    v1::TuneSpec& tune = *out.mutable_tune();
    *tune.mutable_workload() = std::move(subject.workload);
    *tune.mutable_target() = std::move(subject.target);
    tune.set_policy(spec.policy);
    tune.set_trials(spec.trials);
    tune.set_patience(spec.patience);
    if (spec.time_limit) *tune.mutable_time_limit() = ToProto(*spec.time_limit);
    tune.set_seed(spec.seed);
    tune.set_loops_only(spec.loops_only);
    tune.mutable_fixed_layouts()->insert(layouts.begin(), layouts.end());
    tune.set_cache(ToProto(spec.cache));
  }
  return out;
}

void WriteState(const store::Job& job, const LiveFacts& facts, v1::Job& out) {
  switch (job.state) {
    case job::JobState::kQueued:
      out.mutable_queued()->set_reason(job.reason);
      break;
    case job::JobState::kRunning:
      if (facts.waits_for) {
        out.mutable_queued()->set_reason(*facts.waits_for);
      } else {
        out.mutable_running()->set_workers(facts.workers);
      }
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

absl::Status WriteBest(const store::JobProgress& progress, const store::TuningStore& store,
                       v1::TuneProgress& out) {
  if (!progress.best_latency || progress.best_record.empty()) return absl::OkStatus();
  const absl::StatusOr<store::StoredRecord> record = store.GetRecord(progress.best_record);
  if (!record.ok()) return absl::OkStatus();  // not written yet
  v1::BestCandidate& best = *out.mutable_best();
  best.set_record_id(record->id);
  ALT_ASSIGN_OR_RETURN(*best.mutable_candidate(), CandidateToProto(record->key.candidate));
  *best.mutable_latency() = ToProto(*progress.best_latency);
  if (progress.best_peak_gflops) best.set_peak_gflops(*progress.best_peak_gflops);
  return absl::OkStatus();
}

absl::Status WriteTuneProgress(const store::Job& job, const LiveFacts& facts,
                               const store::TuningStore& store, v1::TuneProgress& out) {
  const store::JobProgress& progress = job.progress;
  out.set_trials(progress.trials);
  out.set_proposals(progress.proposals);
  for (const auto& [outcome, count] : progress.outcomes) {
    v1::OutcomeCount& entry = *out.add_outcomes();
    entry.set_outcome(ToProto(outcome));
    entry.set_count(count);
  }
  *out.mutable_wall() = ToProto(job.active);
  v1::TuneTimes& times = *out.mutable_times();
  *times.mutable_propose() = wire::SecondsToProto(progress.propose_seconds);
  *times.mutable_build() = wire::SecondsToProto(progress.seconds.build);
  *times.mutable_check() = wire::SecondsToProto(progress.seconds.check);
  *times.mutable_run() = wire::SecondsToProto(progress.seconds.run);
  *times.mutable_wait() = wire::SecondsToProto(progress.seconds.wait);
  if (progress.default_latency) {
    *out.mutable_default_latency() = ToProto(*progress.default_latency);
  }
  for (const store::CurvePoint& point : progress.curve) {
    v1::CurvePoint& entry = *out.add_curve();
    entry.set_trial(point.trial);
    *entry.mutable_wall() = wire::SecondsToProto(point.seconds);
    entry.set_best_ns(point.best_ns);
  }
  if (facts.peak) *out.mutable_machine_peak() = ToProto(*facts.peak);
  return WriteBest(progress, store, out);
}

template <typename Message>
absl::StatusOr<Message> ParseProgress(const std::string& text) {
  Message out;
  if (text.empty()) return out;
  const auto status = google::protobuf::util::JsonStringToMessage(text, &out);
  if (!status.ok()) {
    return absl::InternalError(absl::StrCat("stored progress: ", std::string(status.message())));
  }
  return out;
}

absl::StatusOr<v1::Job> Head(const store::Job& job, const LiveFacts& facts) {
  v1::Job out;
  out.set_job_id(job.id);
  ALT_ASSIGN_OR_RETURN(*out.mutable_spec(), SpecToProto(job.spec),
                       absl::InternalError(absl::StrCat("job ", job.id, ": ", _.message())));
  *out.mutable_create_time() = ToProto(job.created);
  WriteState(job, facts, out);
  return out;
}

}  // namespace

absl::StatusOr<std::map<std::string, std::string>> ReadFixedLayouts(
    const google::protobuf::Map<std::string, v1::Layout>& layouts) {
  ALT_RETURN_IF_ERROR(
      wire::CheckCount("fixed layouts", static_cast<int64_t>(layouts.size()), wire::kMaxTensors));
  std::map<std::string, std::string> out;
  for (const auto& [tensor, layout] : layouts) {
    ALT_RETURN_IF_ERROR(wire::CheckName("tensor", tensor));
    ALT_ASSIGN_OR_RETURN(const layout::Layout value, FromProto(layout));
    out[tensor] = layout::Print(value);
  }
  return out;
}

absl::StatusOr<store::JobSpec> ReadSpec(const v1::JobSpec& spec) {
  switch (spec.kind_case()) {
    case v1::JobSpec::kTune:
      return ReadTune(spec.tune());
    case v1::JobSpec::kBench:
      return ReadBench(spec.bench());
    case v1::JobSpec::kPeak: {
      ALT_ASSIGN_OR_RETURN(const target::Target target, FromProto(spec.peak().target()));
      return store::JobSpec{.kind = store::JobKind::kPeak, .target = target::PrintTarget(target)};
    }
    case v1::JobSpec::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a job of a kind that this version does not know");
}

absl::StatusOr<v1::Job> ToProto(const store::Job& job, const LiveFacts& facts,
                                const store::TuningStore& store) {
  ALT_ASSIGN_OR_RETURN(v1::Job out, Head(job, facts));
  switch (job.spec.kind) {
    case store::JobKind::kTune:
      ALT_RETURN_IF_ERROR(WriteTuneProgress(job, facts, store, *out.mutable_tune()));
      break;
    case store::JobKind::kBench: {
      ALT_ASSIGN_OR_RETURN(*out.mutable_bench(), ParseBenchProgress(job.progress.text));
      break;
    }
    case store::JobKind::kPeak: {
      ALT_ASSIGN_OR_RETURN(*out.mutable_peak(), ParsePeakProgress(job.progress.text));
      break;
    }
  }
  return out;
}

absl::StatusOr<v1::Job> ToListProto(const store::Job& job) {
  ALT_ASSIGN_OR_RETURN(v1::Job out, Head(job, {}));
  if (job.spec.kind == store::JobKind::kTune) {
    out.mutable_tune()->set_trials(job.progress.trials);
    out.mutable_tune()->set_proposals(job.progress.proposals);
  }
  return out;
}

absl::StatusOr<v1::TuningRecord> ToProto(const store::StoredRecord& record) {
  v1::TuningRecord out;
  out.set_record_id(record.id);
  ALT_ASSIGN_OR_RETURN(Subject subject, ParseSubject(record.key.workload, record.key.target));
  *out.mutable_workload() = std::move(subject.workload);
  *out.mutable_target() = std::move(subject.target);
  ALT_ASSIGN_OR_RETURN(*out.mutable_candidate(), CandidateToProto(record.key.candidate));
  *out.mutable_result() = ToProto(record.result);
  v1::Provenance& provenance = *out.mutable_provenance();
  provenance.set_job_id(record.provenance.job);
  provenance.set_trial(record.provenance.trial);
  provenance.set_worker(record.provenance.worker);
  *provenance.mutable_time() = ToProto(record.provenance.time);
  out.mutable_validators()->insert(record.validators.begin(), record.validators.end());
  return out;
}

v1::AnswerSource ToProto(BestResult::Source source) {
  switch (source) {
    case BestResult::Source::kExact:
      return v1::ANSWER_SOURCE_EXACT;
    case BestResult::Source::kNearest:
      return v1::ANSWER_SOURCE_NEAREST;
    case BestResult::Source::kDefault:
      return v1::ANSWER_SOURCE_DEFAULT;
  }
  return v1::ANSWER_SOURCE_UNSPECIFIED;
}

absl::string_view SourceName(BestResult::Source source) {
  switch (source) {
    case BestResult::Source::kExact:
      return "exact";
    case BestResult::Source::kNearest:
      return "nearest";
    case BestResult::Source::kDefault:
      return "default";
  }
  return "";
}

std::string PrintProgress(const google::protobuf::Message& progress) {
  std::string out;
  const auto status = google::protobuf::util::MessageToJsonString(progress, &out);
  ALT_CHECK(status.ok()) << std::string(status.message());
  return out;
}

absl::StatusOr<v1::BenchProgress> ParseBenchProgress(const std::string& text) {
  return ParseProgress<v1::BenchProgress>(text);
}
absl::StatusOr<v1::PeakProgress> ParsePeakProgress(const std::string& text) {
  return ParseProgress<v1::PeakProgress>(text);
}

}  // namespace alt::service
