#include "server/store/job_codec.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "server/store/text_fields.h"

namespace alt::store {
namespace {

template <typename T>
absl::StatusOr<T> Checked(const FieldReader& in, T value) {
  ALT_RETURN_IF_ERROR(in.status());
  return value;
}

// Values that are small lists of numbers: "min median mad n".
std::string Numbers(const std::vector<double>& values) {
  return absl::StrJoin(values, " ", [](std::string* out, double value) {
    absl::StrAppendFormat(out, "%.17g", value);
  });
}

bool ParseNumbers(absl::string_view text, size_t count, std::vector<double>* values) {
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    double value;
    if (!absl::SimpleAtod(word, &value)) return false;
    values->push_back(value);
  }
  return values->size() == count;
}

void PutLatency(FieldWriter& out, absl::string_view name,
                const std::optional<measure::Latency>& latency) {
  if (!latency) return;
  out.Text(name, Numbers({latency->min_ns, latency->median_ns, latency->mad_ns,
                          static_cast<double>(latency->n)}));
}

std::optional<measure::Latency> GetLatency(FieldReader& in, absl::string_view name) {
  const std::vector<std::string> found = in.All(name);
  std::vector<double> v;
  if (found.empty()) return std::nullopt;
  if (!ParseNumbers(found.front(), 4, &v)) {
    in.Fail(name);
    return std::nullopt;
  }
  return measure::Latency{v[0], v[1], v[2], static_cast<int64_t>(v[3])};
}

// "name value" pairs under one field name; the name has no space.
std::pair<std::string, std::string> SplitPair(const std::string& text) {
  return absl::StrSplit(text, absl::MaxSplits(' ', 1));
}

struct EventEncoder {
  FieldWriter out;

  void operator()(const LoggedProposal& proposal) {
    out.Text("event", "proposal");
    out.Int("batch", proposal.batch);
    out.Text("kind", proposal.kind);
    out.Text("mode", measure::MeasureModeName(proposal.mode));
    out.OptionalDouble("incumbent_ns", proposal.incumbent_ns);
    for (const std::string& candidate : proposal.candidates) out.Text("candidate", candidate);
  }
  void operator()(const LoggedObservation& observation) {
    out.Text("event", "observation");
    out.Int("batch", observation.batch);
  }
  void operator()(const LoggedFinishEarly&) { out.Text("event", "finish_early"); }
};

}  // namespace

std::string Encode(const JobSpec& spec) {
  FieldWriter out;
  out.Text("kind", JobKindName(spec.kind));
  out.Text("workload", spec.workload);
  out.Text("target", spec.target);
  out.Text("policy", spec.policy);
  out.Int("trials", spec.trials);
  out.Int("patience", spec.patience);
  out.Uint("seed", spec.seed);
  out.Int("loops_only", spec.loops_only);
  for (const auto& [tensor, layout] : spec.fixed_layouts) {
    out.Text("fix", absl::StrCat(tensor, " ", layout));
  }
  out.Text("cache", measure::CacheStateName(spec.cache));
  if (spec.time_limit) out.Int("time_limit_us", absl::ToInt64Microseconds(*spec.time_limit));
  if (!spec.candidate.empty()) out.Text("candidate", spec.candidate);
  return out.Take();
}

absl::StatusOr<JobSpec> DecodeSpec(absl::string_view text) {
  ALT_ASSIGN_OR_RETURN(FieldReader in, FieldReader::Parse(text));
  JobSpec spec;
  if (const auto kind = ParseJobKind(in.Text("kind"))) {
    spec.kind = *kind;
  } else {
    in.Fail("kind");
  }
  spec.workload = in.Text("workload");
  spec.target = in.Text("target");
  spec.policy = in.Text("policy");
  spec.trials = in.Int("trials");
  spec.patience = in.Int("patience");
  spec.seed = in.Uint("seed");
  spec.loops_only = in.Int("loops_only") != 0;
  for (const std::string& fix : in.All("fix")) spec.fixed_layouts.insert(SplitPair(fix));
  if (const auto cache = measure::ParseCacheState(in.Text("cache"))) {
    spec.cache = *cache;
  } else {
    in.Fail("cache");
  }
  const int64_t limit_us = in.Int("time_limit_us", -1);
  if (limit_us >= 0) spec.time_limit = absl::Microseconds(limit_us);
  spec.candidate = in.Text("candidate");
  return Checked(in, std::move(spec));
}

std::string Encode(const JobStart& start) {
  FieldWriter out;
  out.Int("sequence", start.sequence);
  out.Int("l1_bytes", start.l1_bytes);
  out.Int("l2_bytes", start.l2_bytes);
  out.Int("time_us", absl::ToUnixMicros(start.time));
  return out.Take();
}

absl::StatusOr<JobStart> DecodeStart(absl::string_view text) {
  ALT_ASSIGN_OR_RETURN(FieldReader in, FieldReader::Parse(text));
  JobStart start;
  start.sequence = in.Int("sequence");
  start.l1_bytes = in.Int("l1_bytes");
  start.l2_bytes = in.Int("l2_bytes");
  start.time = absl::FromUnixMicros(in.Int("time_us"));
  return Checked(in, start);
}

std::string Encode(const JobProgress& progress) {
  FieldWriter out;
  out.Int("trials", progress.trials);
  out.Int("proposals", progress.proposals);
  for (const auto& [outcome, count] : progress.outcomes) {
    out.Text("outcome", absl::StrCat(measure::OutcomeName(outcome), " ", count));
  }
  out.Text("seconds",
           Numbers({progress.propose_seconds, progress.seconds.build, progress.seconds.check,
                    progress.seconds.run, progress.seconds.wait}));
  out.Text("best_record", progress.best_record);
  PutLatency(out, "best_latency", progress.best_latency);
  out.OptionalDouble("best_peak_gflops", progress.best_peak_gflops);
  PutLatency(out, "default_latency", progress.default_latency);
  for (const CurvePoint& point : progress.curve) {
    out.Text("curve", Numbers({static_cast<double>(point.trial), point.seconds, point.best_ns}));
  }
  if (!progress.text.empty()) out.Text("text", progress.text);
  return out.Take();
}

absl::StatusOr<JobProgress> DecodeProgress(absl::string_view text) {
  ALT_ASSIGN_OR_RETURN(FieldReader in, FieldReader::Parse(text));
  JobProgress progress;
  progress.trials = in.Int("trials");
  progress.proposals = in.Int("proposals");
  for (const std::string& field : in.All("outcome")) {
    const auto [name, count] = SplitPair(field);
    const auto outcome = measure::ParseOutcome(name);
    int64_t n = 0;
    if (!outcome || !absl::SimpleAtoi(count, &n)) {
      in.Fail("outcome");
      continue;
    }
    progress.outcomes[*outcome] = n;
  }
  std::vector<double> s;
  if (ParseNumbers(in.Text("seconds"), 5, &s)) {
    progress.propose_seconds = s[0];
    progress.seconds = {.build = s[1], .check = s[2], .run = s[3], .wait = s[4]};
  } else {
    in.Fail("seconds");
  }
  progress.best_record = in.Text("best_record");
  progress.best_latency = GetLatency(in, "best_latency");
  progress.best_peak_gflops = in.OptionalDouble("best_peak_gflops");
  progress.default_latency = GetLatency(in, "default_latency");
  // Earlier versions wrote zeros when the default schedule failed among the finalists.
  if (progress.default_latency && progress.default_latency->n == 0) {
    progress.default_latency.reset();
  }
  for (const std::string& field : in.All("curve")) {
    std::vector<double> v;
    if (!ParseNumbers(field, 3, &v)) {
      in.Fail("curve");
      continue;
    }
    progress.curve.push_back({static_cast<int64_t>(v[0]), v[1], v[2]});
  }
  progress.text = in.Text("text");
  return Checked(in, std::move(progress));
}

std::string Encode(const LogEvent& event) {
  EventEncoder encoder;
  std::visit(encoder, event);
  return encoder.out.Take();
}

absl::StatusOr<LogEvent> DecodeEvent(absl::string_view text) {
  ALT_ASSIGN_OR_RETURN(FieldReader in, FieldReader::Parse(text));
  const std::string event = in.Text("event");
  if (event == "finish_early") return LogEvent(LoggedFinishEarly{});
  if (event == "observation") {
    return Checked(in, LogEvent(LoggedObservation{.batch = in.Int("batch", -1)}));
  }
  if (event != "proposal") in.Fail("event");
  LoggedProposal proposal;
  proposal.batch = in.Int("batch", -1);
  proposal.kind = in.Text("kind");
  if (const auto mode = measure::ParseMeasureMode(in.Text("mode"))) {
    proposal.mode = *mode;
  } else {
    in.Fail("mode");
  }
  proposal.incumbent_ns = in.OptionalDouble("incumbent_ns");
  proposal.candidates = in.All("candidate");
  return Checked(in, LogEvent(std::move(proposal)));
}

std::string Encode(const measure::Validators& validators) {
  FieldWriter out;
  for (const auto& [name, value] : validators) out.Text("is", absl::StrCat(name, " ", value));
  return out.Take();
}

absl::StatusOr<measure::Validators> DecodeValidators(absl::string_view text) {
  ALT_ASSIGN_OR_RETURN(FieldReader in, FieldReader::Parse(text));
  measure::Validators validators;
  for (const std::string& field : in.All("is")) validators.insert(SplitPair(field));
  return validators;
}

}  // namespace alt::store
