// Jobs as a client sees them: what can be asked for, and how it stands.
#ifndef CLIENT_INCLUDE_ALT_JOB_H_
#define CLIENT_INCLUDE_ALT_JOB_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/layout/layout.h"
#include "common/measure/environment.h"
#include "common/measure/job_state.h"
#include "common/measure/measure_result.h"
#include "common/measure/measurer.h"
#include "common/target/target.h"
#include "common/workload/candidate.h"

namespace alt::client {

// Layouts that the caller's tensors have, by tensor; an entry without primitives is plain.
using FixedLayouts = std::map<std::string, layout::Layout>;

struct TuneSpec {
  workload::Workload workload;
  target::Target target;
  std::string policy;  // empty: the server's default
  int64_t trials = 128;
  int64_t patience = 0;                      // 0: never
  std::optional<absl::Duration> time_limit;  // none: never
  uint64_t seed = 1;
  bool loops_only = false;
  FixedLayouts fixed_layouts;
  measure::CacheState cache = measure::CacheState::kWarm;
};

struct BenchSpec {
  workload::Workload workload;
  target::Target target;
  std::optional<workload::Candidate> candidate;  // none: what a query answers
  FixedLayouts fixed_layouts;
  measure::CacheState cache = measure::CacheState::kWarm;
};

struct PeakSpec {
  target::Target target;
};

using JobSpec = std::variant<TuneSpec, BenchSpec, PeakSpec>;

struct CurvePoint {
  int64_t trial = 0;   // from 1
  double seconds = 0;  // of running until then
  double best_ns = 0;
};

struct BestCandidate {
  std::string record;  // id; empty while none is stored
  workload::Candidate candidate;
  measure::Latency latency;
  std::optional<double> peak_gflops;  // FMA loop timed in turns with it
};

struct TuneProgress {
  int64_t trials = 0;
  int64_t proposals = 0;
  std::map<measure::Outcome, int64_t> outcomes;  // adds up to trials
  double wall_seconds = 0;                       // of running
  double propose_seconds = 0;
  measure::PhaseSeconds seconds;
  std::optional<BestCandidate> best;
  std::optional<measure::Latency> default_latency;
  std::vector<CurvePoint> curve;
  std::optional<measure::Peak> machine_peak;
};

// Where an answer is from.
enum class AnswerSource { kExact, kNearest, kDefault, kGiven };
absl::string_view AnswerSourceName(AnswerSource source);  // "exact", ...

struct BenchProgress {
  AnswerSource source = AnswerSource::kDefault;
  std::string reason;  // why not a better source
  std::string record;  // id; empty when it has none
  workload::Candidate candidate;
  std::optional<measure::MeasureResult> result;  // once done
};

struct PeakProgress {
  std::optional<measure::Peak> peak;  // once done
};

struct Job {
  std::string id;
  JobSpec spec;
  absl::Time created;
  measure::JobState state = measure::JobState::kQueued;
  std::string reason;  // why it waits, failed or was stopped
  int workers = 0;     // that hold a lease of it
  // Of the spec's kind; none in lists.
  std::variant<std::monostate, TuneProgress, BenchProgress, PeakProgress> progress;
};

}  // namespace alt::client

#endif  // CLIENT_INCLUDE_ALT_JOB_H_
