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

// ---- What is asked for. -------------------------------------------------------------------------

struct SpecEncoder {
  FieldWriter out;

  template <typename Spec>
  void Task(const Spec& spec) {
    out.Text("workload", workload::Print(spec.workload));
    out.Text("target", target::PrintTarget(spec.target));
    for (const auto& [tensor, layout] : spec.fixed_layouts) {
      out.Text("fix", absl::StrCat(tensor, " ", layout::Print(layout)));
    }
    out.Text("cache", measure::CacheStateName(spec.cache));
  }
  void operator()(const job::TuneSpec& spec) {
    Task(spec);
    out.Text("policy", spec.policy);
    out.Int("trials", spec.trials);
    out.Int("patience", spec.patience);
    out.Uint("seed", spec.seed);
    out.Int("loops_only", spec.loops_only);
    if (spec.refresh > 0) out.Int("refresh", spec.refresh);
    if (spec.time_limit) out.Int("time_limit_us", absl::ToInt64Microseconds(*spec.time_limit));
  }
  void operator()(const job::BenchSpec& spec) {
    Task(spec);
    if (spec.candidate) out.Text("candidate", workload::Print(*spec.candidate));
  }
  void operator()(const job::PeakSpec& spec) {
    out.Text("target", target::PrintTarget(spec.target));
  }
};

template <typename Spec>
absl::Status DecodeTask(FieldReader& in, Spec& spec) {
  ALT_ASSIGN_OR_RETURN(spec.workload, workload::Parse(in.Text("workload")));
  ALT_ASSIGN_OR_RETURN(spec.target, target::ParseTarget(in.Text("target")));
  for (const std::string& fix : in.All("fix")) {
    const auto [tensor, layout] = SplitPair(fix);
    ALT_ASSIGN_OR_RETURN(spec.fixed_layouts[tensor], layout::Parse(layout));
  }
  if (const auto cache = measure::ParseCacheState(in.Text("cache"))) {
    spec.cache = *cache;
  } else {
    in.Fail("cache");
  }
  return in.status();
}

absl::StatusOr<job::JobSpec> DecodeTune(FieldReader& in) {
  job::TuneSpec spec;
  ALT_RETURN_IF_ERROR(DecodeTask(in, spec));
  spec.policy = in.Text("policy");
  spec.trials = in.Int("trials");
  spec.patience = in.Int("patience");
  spec.seed = in.Uint("seed");
  spec.loops_only = in.Int("loops_only") != 0;
  spec.refresh = in.Int("refresh", 0);
  const int64_t limit_us = in.Int("time_limit_us", -1);
  if (limit_us >= 0) spec.time_limit = absl::Microseconds(limit_us);
  return Checked(in, job::JobSpec(std::move(spec)));
}

absl::StatusOr<job::JobSpec> DecodeBench(FieldReader& in) {
  job::BenchSpec spec;
  ALT_RETURN_IF_ERROR(DecodeTask(in, spec));
  if (const std::string candidate = in.Text("candidate"); !candidate.empty()) {
    ALT_ASSIGN_OR_RETURN(spec.candidate, workload::ParseCandidate(candidate));
  }
  return spec;
}

// ---- What came of it. ---------------------------------------------------------------------------

void PutPeak(FieldWriter& out, const measure::Peak& peak) {
  out.Text("peak", Numbers({peak.gflops_1t, peak.gflops, static_cast<double>(peak.threads),
                            peak.read_gbs}));
  for (const measure::CacheLevel& cache : peak.caches) {
    out.Text("cache", Numbers({static_cast<double>(cache.level), static_cast<double>(cache.bytes),
                               cache.read_gbs}));
  }
}

void PutResult(FieldWriter& out, const measure::MeasureResult& result) {
  out.Text("outcome", measure::OutcomeName(result.outcome));
  out.Text("message", result.message);
  PutLatency(out, "latency", result.latency);
  out.Int("censored", result.censored);
  out.Int("disturbed", result.disturbed);
  out.OptionalDouble("peak_gflops", result.peak_gflops);
  const measure::ProgramFacts& facts = result.facts;
  std::vector<double> numbers;
  for (const int64_t fact : {facts.code_bytes, facts.vector_fmas, facts.vector_loads, facts.spills,
                             facts.inner_loop_spills, facts.workspace_bytes}) {
    numbers.push_back(static_cast<double>(fact));
  }
  out.Text("facts", Numbers(numbers));
  out.Text("seconds", Numbers({result.seconds.build, result.seconds.check, result.seconds.run,
                               result.seconds.wait}));
}

struct ProgressEncoder {
  FieldWriter out;

  void operator()(const job::TuneProgress& progress) {
    out.Int("trials", progress.trials);
    out.Int("proposals", progress.proposals);
    for (const auto& [outcome, count] : progress.outcomes) {
      out.Text("outcome", absl::StrCat(measure::OutcomeName(outcome), " ", count));
    }
    out.Text("seconds",
             Numbers({progress.propose_seconds, progress.seconds.build, progress.seconds.check,
                      progress.seconds.run, progress.seconds.wait}));
    if (progress.best) {
      out.Text("best_record", progress.best->record);
      PutLatency(out, "best_latency", progress.best->latency);
      out.OptionalDouble("best_peak_gflops", progress.best->peak_gflops);
    }
    PutLatency(out, "default_latency", progress.default_latency);
    if (progress.disturbed) out.Int("disturbed", 1);
    for (const job::CurvePoint& point : progress.curve) {
      out.Text("curve", Numbers({static_cast<double>(point.trial), point.seconds, point.best_ns}));
    }
  }
  void operator()(const job::BenchProgress& progress) {
    if (!progress.answer) return;
    out.Text("source", job::AnswerSourceName(progress.answer->source));
    out.Text("reason", progress.answer->reason);
    out.Text("record", progress.answer->record);
    out.Text("candidate", workload::Print(progress.answer->candidate));
    PutLatency(out, "record_latency", progress.answer->latency);
    out.OptionalDouble("record_peak_gflops", progress.answer->peak_gflops);
    if (progress.result) PutResult(out, *progress.result);
  }
  void operator()(const job::PeakProgress& progress) {
    if (progress.peak) PutPeak(out, *progress.peak);
  }
};

std::vector<double> GetNumbers(FieldReader& in, absl::string_view name, size_t count) {
  std::vector<double> out;
  if (ParseNumbers(in.Text(name), count, &out)) return out;
  in.Fail(name);
  return std::vector<double>(count);
}

measure::PhaseSeconds PhasesOf(const double* s) {
  return {.build = s[0], .check = s[1], .run = s[2], .wait = s[3]};
}

absl::StatusOr<job::JobProgress> DecodeTuned(FieldReader& in) {
  job::TuneProgress progress;
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
  const std::vector<double> seconds = GetNumbers(in, "seconds", 5);
  progress.propose_seconds = seconds[0];
  progress.seconds = PhasesOf(&seconds[1]);
  const std::string record = in.Text("best_record");
  const auto latency = GetLatency(in, "best_latency");
  if (!record.empty() && latency) {
    job::BestCandidate& best = progress.best.emplace();
    best.record = record;
    best.latency = *latency;
    best.peak_gflops = in.OptionalDouble("best_peak_gflops");
  }
  progress.default_latency = GetLatency(in, "default_latency");
  progress.disturbed = in.Int("disturbed", 0) != 0;
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
  return Checked(in, job::JobProgress(std::move(progress)));
}

measure::MeasureResult GetResult(FieldReader& in, measure::Outcome outcome) {
  measure::MeasureResult result{.outcome = outcome, .message = in.Text("message")};
  result.latency = GetLatency(in, "latency");
  result.censored = in.Int("censored") != 0;
  result.disturbed = in.Int("disturbed") != 0;
  result.peak_gflops = in.OptionalDouble("peak_gflops");
  const std::vector<double> f = GetNumbers(in, "facts", 6);
  result.facts = {{.code_bytes = static_cast<int64_t>(f[0]),
                   .vector_fmas = static_cast<int64_t>(f[1]),
                   .vector_loads = static_cast<int64_t>(f[2]),
                   .spills = static_cast<int64_t>(f[3]),
                   .inner_loop_spills = static_cast<int64_t>(f[4])},
                  static_cast<int64_t>(f[5])};
  result.seconds = PhasesOf(GetNumbers(in, "seconds", 4).data());
  return result;
}

// Versions up to 0.1 kept what came of bench and peak jobs as JSON, which is not read any more: it
// is as if they had not run.
absl::StatusOr<job::JobProgress> DecodeBenched(FieldReader& in) {
  job::BenchProgress progress;
  const auto source = job::ParseAnswerSource(in.Text("source"));
  if (!source) return progress;
  job::Answer& answer = progress.answer.emplace();
  answer.source = *source;
  answer.reason = in.Text("reason");
  answer.record = in.Text("record");
  ALT_ASSIGN_OR_RETURN(answer.candidate, workload::ParseCandidate(in.Text("candidate")));
  answer.latency = GetLatency(in, "record_latency");
  answer.peak_gflops = in.OptionalDouble("record_peak_gflops");
  if (const auto outcome = measure::ParseOutcome(in.Text("outcome"))) {
    progress.result = GetResult(in, *outcome);
  }
  return Checked(in, job::JobProgress(std::move(progress)));
}

absl::StatusOr<job::JobProgress> DecodePeak(FieldReader& in) {
  job::PeakProgress progress;
  if (in.All("peak").empty()) return progress;
  const std::vector<double> p = GetNumbers(in, "peak", 4);
  progress.peak = {
      .gflops_1t = p[0], .gflops = p[1], .threads = static_cast<int>(p[2]), .read_gbs = p[3]};
  for (const std::string& field : in.All("cache")) {
    std::vector<double> c;
    if (!ParseNumbers(field, 3, &c)) {
      in.Fail("cache");
      continue;
    }
    progress.peak->caches.push_back(
        {.level = static_cast<int>(c[0]), .bytes = static_cast<int64_t>(c[1]), .read_gbs = c[2]});
  }
  return Checked(in, job::JobProgress(std::move(progress)));
}

// ---- The log. -----------------------------------------------------------------------------------

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

std::string Encode(const job::JobSpec& spec) {
  SpecEncoder encoder;
  encoder.out.Text("kind", job::KindName(spec));
  std::visit(encoder, spec);
  return encoder.out.Take();
}

absl::StatusOr<job::JobSpec> DecodeSpec(absl::string_view text) {
  ALT_ASSIGN_OR_RETURN(FieldReader in, FieldReader::Parse(text));
  const std::string kind = in.Text("kind");
  if (kind == "tune") return DecodeTune(in);
  if (kind == "bench") return DecodeBench(in);
  if (kind == "peak") {
    ALT_ASSIGN_OR_RETURN(target::Target target, target::ParseTarget(in.Text("target")));
    return job::PeakSpec{std::move(target)};
  }
  in.Fail("kind");
  return in.status();
}

std::string Encode(const JobStart& start) {
  FieldWriter out;
  out.Int("sequence", start.sequence);
  out.Int("l1_bytes", start.l1_bytes);
  out.Int("l2_bytes", start.l2_bytes);
  out.Int("time_us", absl::ToUnixMicros(start.time));
  for (const auto& [name, value] : start.validators) {
    out.Text("validator", absl::StrCat(name, " ", value));
  }
  return out.Take();
}

absl::StatusOr<JobStart> DecodeStart(absl::string_view text) {
  ALT_ASSIGN_OR_RETURN(FieldReader in, FieldReader::Parse(text));
  JobStart start;
  start.sequence = in.Int("sequence");
  start.l1_bytes = in.Int("l1_bytes");
  start.l2_bytes = in.Int("l2_bytes");
  start.time = absl::FromUnixMicros(in.Int("time_us"));
  for (const std::string& field : in.All("validator")) start.validators.insert(SplitPair(field));
  return Checked(in, start);
}

std::string Encode(const job::JobProgress& progress) {
  ProgressEncoder encoder;
  std::visit(encoder, progress);
  return encoder.out.Take();
}

absl::StatusOr<job::JobProgress> DecodeProgress(absl::string_view text, const job::JobSpec& spec) {
  ALT_ASSIGN_OR_RETURN(FieldReader in, FieldReader::Parse(text));
  struct Visitor {
    FieldReader& in;
    absl::StatusOr<job::JobProgress> operator()(const job::TuneSpec&) { return DecodeTuned(in); }
    absl::StatusOr<job::JobProgress> operator()(const job::BenchSpec&) { return DecodeBenched(in); }
    absl::StatusOr<job::JobProgress> operator()(const job::PeakSpec&) { return DecodePeak(in); }
  };
  return std::visit(Visitor{in}, spec);
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
