#include "common/wire/measure_wire.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/plain_text.h"
#include "common/base/status_macros.h"
#include "common/wire/bounds.h"
#include "common/wire/time_wire.h"

namespace alt::wire {
namespace {

// Enums of both sides have the same order, with UNSPECIFIED in front on the wire.
template <typename Enum>
absl::StatusOr<Enum> ReadEnum(absl::string_view what, int value, int first, int last) {
  if (value < first || value > last) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " ", value, " is not known to this version"));
  }
  return static_cast<Enum>(value - first);
}

v1::ProgramFacts FactsToProto(const measure::ProgramFacts& facts) {
  v1::ProgramFacts out;
  out.set_code_bytes(facts.code_bytes);
  out.set_vector_fmas(facts.vector_fmas);
  out.set_vector_loads(facts.vector_loads);
  out.set_spills(facts.spills);
  out.set_inner_loop_spills(facts.inner_loop_spills);
  out.set_workspace_bytes(facts.workspace_bytes);
  return out;
}

measure::ProgramFacts FactsFromProto(const v1::ProgramFacts& facts) {
  return {{.code_bytes = facts.code_bytes(),
           .vector_fmas = facts.vector_fmas(),
           .vector_loads = facts.vector_loads(),
           .spills = facts.spills(),
           .inner_loop_spills = facts.inner_loop_spills()},
          facts.workspace_bytes()};
}

}  // namespace

v1::Outcome ToProto(measure::Outcome outcome) {
  return static_cast<v1::Outcome>(static_cast<int>(outcome) + v1::OUTCOME_OK);
}
v1::CacheState ToProto(measure::CacheState state) {
  return static_cast<v1::CacheState>(static_cast<int>(state) + v1::CACHE_STATE_WARM);
}
v1::MeasureMode ToProto(measure::MeasureMode mode) {
  return static_cast<v1::MeasureMode>(static_cast<int>(mode) + v1::MEASURE_MODE_SEARCH);
}

v1::Latency ToProto(const measure::Latency& latency) {
  v1::Latency out;
  out.set_min_ns(latency.min_ns);
  out.set_median_ns(latency.median_ns);
  out.set_mad_ns(latency.mad_ns);
  out.set_n(latency.n);
  return out;
}

v1::PhaseTimes ToProto(const measure::PhaseSeconds& seconds) {
  v1::PhaseTimes out;
  *out.mutable_build() = SecondsToProto(seconds.build);
  *out.mutable_check() = SecondsToProto(seconds.check);
  *out.mutable_run() = SecondsToProto(seconds.run);
  *out.mutable_wait() = SecondsToProto(seconds.wait);
  return out;
}

v1::MeasureResult ToProto(const measure::MeasureResult& result) {
  v1::MeasureResult out;
  out.set_outcome(ToProto(result.outcome));
  // A worker's message may quote a compiler at length; what is cut off is not worth a refusal.
  out.set_message(base::PlainText(result.message, kMaxMessageBytes));
  if (result.latency) *out.mutable_latency() = ToProto(*result.latency);
  out.set_censored(result.censored);
  out.set_disturbed(result.disturbed);
  if (result.peak_gflops) out.set_peak_gflops(*result.peak_gflops);
  *out.mutable_facts() = FactsToProto(result.facts);
  *out.mutable_times() = ToProto(result.seconds);
  return out;
}

v1::MeasureLimits ToProto(const measure::MeasureLimits& limits) {
  v1::MeasureLimits out;
  *out.mutable_compile() = ToProto(limits.compile);
  *out.mutable_run() = ToProto(limits.run);
  out.set_memory_bytes(limits.memory_bytes);
  return out;
}

v1::MeasureWork ToProto(const measure::MeasureRequest& request) {
  v1::MeasureWork out;
  out.set_workload(workload::Print(request.workload));
  out.set_target(target::PrintTarget(request.target));
  for (const workload::Candidate& c : request.candidates) out.add_candidates(workload::Print(c));
  out.set_mode(ToProto(request.mode));
  out.set_cache(ToProto(request.cache));
  if (request.incumbent_ns) out.set_incumbent_ns(*request.incumbent_ns);
  *out.mutable_limits() = ToProto(request.limits);
  return out;
}

v1::Peak ToProto(const measure::Peak& peak) {
  v1::Peak out;
  out.set_gflops_1t(peak.gflops_1t);
  out.set_gflops(peak.gflops);
  out.set_threads(peak.threads);
  out.set_read_gbs(peak.read_gbs);
  for (const measure::CacheLevel& cache : peak.caches) {
    v1::CacheLevel& level = *out.add_caches();
    level.set_level(cache.level);
    level.set_bytes(cache.bytes);
    level.set_read_gbs(cache.read_gbs);
  }
  out.set_cpu(base::PlainText(peak.cpu, kMaxMessageBytes));
  return out;
}

v1::WorkerFacts ToProto(const measure::WorkerFacts& facts) {
  v1::WorkerFacts out;
  out.set_target(target::PrintTarget(facts.target));
  out.set_l1_bytes(facts.l1_bytes);
  out.set_l2_bytes(facts.l2_bytes);
  if (facts.peak) *out.mutable_peak() = ToProto(*facts.peak);
  out.set_host(base::PlainText(facts.host, kMaxMessageBytes));
  out.set_pid(facts.pid);
  out.set_memory_bytes(facts.memory_bytes);
  out.mutable_validators()->insert(facts.validators.begin(), facts.validators.end());
  return out;
}

absl::StatusOr<measure::Outcome> FromProto(v1::Outcome outcome) {
  return ReadEnum<measure::Outcome>("outcome", outcome, v1::OUTCOME_OK, v1::OUTCOME_CANCELLED);
}
absl::StatusOr<measure::CacheState> FromProto(v1::CacheState state) {
  return ReadEnum<measure::CacheState>("cache state", state, v1::CACHE_STATE_WARM,
                                       v1::CACHE_STATE_COLD);
}
absl::StatusOr<measure::MeasureMode> FromProto(v1::MeasureMode mode) {
  return ReadEnum<measure::MeasureMode>("measure mode", mode, v1::MEASURE_MODE_SEARCH,
                                        v1::MEASURE_MODE_COMPARE);
}

absl::StatusOr<measure::Latency> FromProto(const v1::Latency& latency) {
  ALT_RETURN_IF_ERROR(CheckMeasured("min_ns", latency.min_ns()));
  ALT_RETURN_IF_ERROR(CheckMeasured("median_ns", latency.median_ns()));
  ALT_RETURN_IF_ERROR(CheckMeasured("mad_ns", latency.mad_ns()));
  ALT_RETURN_IF_ERROR(CheckRange("n", latency.n(), 1, kMaxExtent));
  // A time of zero is no measurement, and would be divided by.
  if (latency.min_ns() <= 0 || latency.median_ns() < latency.min_ns()) {
    return absl::InvalidArgumentError(absl::StrCat("latency with minimum ", latency.min_ns(),
                                                   " ns and median ", latency.median_ns(), " ns"));
  }
  return measure::Latency{.min_ns = latency.min_ns(),
                          .median_ns = latency.median_ns(),
                          .mad_ns = latency.mad_ns(),
                          .n = latency.n()};
}

absl::StatusOr<measure::PhaseSeconds> FromProto(const v1::PhaseTimes& times) {
  measure::PhaseSeconds out;
  ALT_ASSIGN_OR_RETURN(out.build, SecondsFromProto(times.build()));
  ALT_ASSIGN_OR_RETURN(out.check, SecondsFromProto(times.check()));
  ALT_ASSIGN_OR_RETURN(out.run, SecondsFromProto(times.run()));
  ALT_ASSIGN_OR_RETURN(out.wait, SecondsFromProto(times.wait()));
  return out;
}

absl::StatusOr<measure::MeasureResult> FromProto(const v1::MeasureResult& result) {
  measure::MeasureResult out;
  ALT_ASSIGN_OR_RETURN(out.outcome, FromProto(result.outcome()));
  ALT_RETURN_IF_ERROR(CheckText("message", result.message()));
  out.message = base::PlainText(result.message(), kMaxMessageBytes);
  const bool ok = out.outcome == measure::Outcome::kOk;
  if (ok != result.has_latency()) {
    return absl::InvalidArgumentError(ok ? "OK without a latency" : "a failure with a latency");
  }
  if (ok) {
    ALT_ASSIGN_OR_RETURN(out.latency, FromProto(result.latency()));
  }
  out.censored = ok && result.censored();
  out.disturbed = ok && result.disturbed();
  if (result.has_peak_gflops()) {
    ALT_RETURN_IF_ERROR(CheckMeasured("peak_gflops", result.peak_gflops()));
    out.peak_gflops = result.peak_gflops();
  }
  out.facts = FactsFromProto(result.facts());
  ALT_ASSIGN_OR_RETURN(out.seconds, FromProto(result.times()));
  return out;
}

absl::StatusOr<measure::MeasureLimits> FromProto(const v1::MeasureLimits& limits) {
  measure::MeasureLimits out;
  ALT_ASSIGN_OR_RETURN(out.compile, FromProto(limits.compile()));
  ALT_ASSIGN_OR_RETURN(out.run, FromProto(limits.run()));
  out.memory_bytes = limits.memory_bytes();
  const absl::Duration most = absl::Hours(24);
  if (out.compile <= absl::ZeroDuration() || out.compile > most ||
      out.run <= absl::ZeroDuration() || out.run > most) {
    return absl::InvalidArgumentError(absl::StrCat("limits of ", absl::FormatDuration(out.compile),
                                                   " to compile and ",
                                                   absl::FormatDuration(out.run), " to run"));
  }
  ALT_RETURN_IF_ERROR(CheckRange("memory_bytes", out.memory_bytes, 1 << 20, kMaxExtent));
  return out;
}

absl::StatusOr<measure::MeasureRequest> FromProto(const v1::MeasureWork& work) {
  measure::MeasureRequest out;
  ALT_ASSIGN_OR_RETURN(out.workload, workload::Parse(work.workload()));
  ALT_ASSIGN_OR_RETURN(out.target, target::ParseTarget(work.target()));
  ALT_RETURN_IF_ERROR(CheckCount("candidates", work.candidates_size(), kMaxCandidates));
  for (int i = 0; i < work.candidates_size(); ++i) {
    ALT_ASSIGN_OR_RETURN(workload::Candidate candidate,
                         workload::ParseCandidate(work.candidates(i)),
                         base::Annotate(_, absl::StrCat("candidate ", i)));
    out.candidates.push_back(std::move(candidate));
  }
  ALT_ASSIGN_OR_RETURN(out.mode, FromProto(work.mode()));
  ALT_ASSIGN_OR_RETURN(out.cache, FromProto(work.cache()));
  if (work.has_incumbent_ns()) {
    ALT_RETURN_IF_ERROR(CheckMeasured("incumbent_ns", work.incumbent_ns()));
    out.incumbent_ns = work.incumbent_ns();
  }
  ALT_ASSIGN_OR_RETURN(out.limits, FromProto(work.limits()));
  return out;
}

absl::StatusOr<measure::Peak> FromProto(const v1::Peak& peak) {
  ALT_RETURN_IF_ERROR(CheckMeasured("gflops_1t", peak.gflops_1t()));
  ALT_RETURN_IF_ERROR(CheckMeasured("gflops", peak.gflops()));
  ALT_RETURN_IF_ERROR(CheckMeasured("read_gbs", peak.read_gbs()));
  ALT_RETURN_IF_ERROR(CheckRange("threads", peak.threads(), 1, 1 << 16));
  measure::Peak out{.gflops_1t = peak.gflops_1t(),
                    .gflops = peak.gflops(),
                    .threads = peak.threads(),
                    .read_gbs = peak.read_gbs()};
  ALT_RETURN_IF_ERROR(CheckText("cpu", peak.cpu()));
  out.cpu = base::PlainText(peak.cpu(), kMaxMessageBytes);
  ALT_RETURN_IF_ERROR(CheckCount("caches", peak.caches_size(), kMaxCacheLevels));
  for (const v1::CacheLevel& cache : peak.caches()) {
    ALT_RETURN_IF_ERROR(CheckRange("cache level", cache.level(), 1, kMaxCacheLevels));
    ALT_RETURN_IF_ERROR(CheckRange("cache bytes", cache.bytes(), 1, kMaxExtent));
    ALT_RETURN_IF_ERROR(CheckMeasured("cache read_gbs", cache.read_gbs()));
    out.caches.push_back(
        {.level = cache.level(), .bytes = cache.bytes(), .read_gbs = cache.read_gbs()});
  }
  return out;
}

absl::StatusOr<measure::WorkerFacts> FromProto(const v1::WorkerFacts& facts) {
  measure::WorkerFacts out;
  ALT_ASSIGN_OR_RETURN(out.target, target::ParseTarget(facts.target()));
  ALT_RETURN_IF_ERROR(CheckRange("l1_bytes", facts.l1_bytes(), 1, kMaxExtent));
  ALT_RETURN_IF_ERROR(CheckRange("l2_bytes", facts.l2_bytes(), 1, kMaxExtent));
  out.l1_bytes = facts.l1_bytes();
  out.l2_bytes = facts.l2_bytes();
  if (facts.has_peak()) {
    ALT_ASSIGN_OR_RETURN(out.peak, FromProto(facts.peak()));
  }
  ALT_RETURN_IF_ERROR(CheckText("host", facts.host()));
  out.host = base::PlainText(facts.host(), kMaxMessageBytes);
  out.pid = facts.pid();
  ALT_RETURN_IF_ERROR(CheckRange("memory_bytes", facts.memory_bytes(), 0, kMaxExtent));
  out.memory_bytes = facts.memory_bytes();
  ALT_RETURN_IF_ERROR(CheckCount("validators", facts.validators_size(), kMaxValidators));
  for (const auto& [name, value] : facts.validators()) {
    ALT_RETURN_IF_ERROR(CheckName("validator", name));
    ALT_RETURN_IF_ERROR(CheckText("validator", value));
    out.validators.emplace(name, base::PlainText(value, kMaxMessageBytes));
  }
  return out;
}

}  // namespace alt::wire
