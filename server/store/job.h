// Jobs as they are stored. Everything that other layers have types for is canonical text here, so
// that the database depends on nothing but text and numbers.
#ifndef SERVER_STORE_JOB_H_
#define SERVER_STORE_JOB_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/job/job.h"
#include "common/measure/measure_result.h"
#include "common/measure/modes.h"
#include "common/measure/provenance.h"

namespace alt::store {

enum class JobKind : uint8_t { kTune, kBench, kPeak };
absl::string_view JobKindName(JobKind kind);  // "tune", "bench", "peak"
std::optional<JobKind> ParseJobKind(absl::string_view name);

// What is asked for. Never changes.
struct JobSpec {
  JobKind kind = JobKind::kTune;
  std::string workload, target;
  std::string policy;
  int64_t trials = 0;
  int64_t patience = 0;
  uint64_t seed = 1;
  bool loops_only = false;
  std::map<std::string, std::string> fixed_layouts;  // by tensor
  measure::CacheState cache = measure::CacheState::kWarm;
  std::optional<absl::Duration> time_limit;
  std::string candidate;  // bench: the candidate to time; empty: what the database answers
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

// What was the case when the job first ran. With the spec it determines every proposal.
struct JobStart {
  int64_t sequence = 0;  // what the database held: everything up to this number
  int64_t l1_bytes = 0;
  int64_t l2_bytes = 0;
  absl::Time time;
  friend bool operator==(const JobStart&, const JobStart&) = default;
};

// A trial that is better than all before it.
struct CurvePoint {
  int64_t trial = 0;   // from 1
  double seconds = 0;  // of running until then
  double best_ns = 0;
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

// How far a job is. For a bench or peak job only `text` counts.
struct JobProgress {
  int64_t trials = 0;
  int64_t proposals = 0;
  std::map<measure::Outcome, int64_t> outcomes;  // of the trials; adds up to them
  double propose_seconds = 0;
  measure::PhaseSeconds seconds;  // of all measurements; several workers add up
  std::string best_record;        // its id; empty while there is none
  std::optional<measure::Latency> best_latency;
  std::optional<double> best_peak_gflops;
  std::optional<measure::Latency> default_latency;
  std::vector<CurvePoint> curve;
  std::string text;  // of the job's kind
  friend bool operator==(const JobProgress&, const JobProgress&) = default;
};

struct Job {
  // Set when it is created.
  std::string id;          // "j12"
  std::string request_id;  // drawn by the client; unique
  JobSpec spec;
  absl::Time created;

  // Set when it first runs, and never again.
  std::optional<JobStart> start;

  // Changes.
  job::JobState state = job::JobState::kQueued;
  std::string reason;     // why it waits, failed or was stopped
  absl::Duration active;  // time of running so far
  std::optional<absl::Time> finished;
  JobProgress progress;
  friend bool operator==(const Job&, const Job&) = default;
};

// The log of a job's tuner: every call that changed it, in order. Pushed through a fresh tuner of
// the same spec and start it gives the same proposals.
struct LoggedProposal {
  int64_t batch = 0;
  std::string kind;  // "baseline", "trials", "finalists"
  measure::MeasureMode mode = measure::MeasureMode::kSearch;
  std::optional<double> incumbent_ns;
  std::vector<std::string> candidates;
  friend bool operator==(const LoggedProposal&, const LoggedProposal&) = default;
};
// The tuner was given the results of the batch, which are stored by (job, batch, index).
struct LoggedObservation {
  int64_t batch = 0;
  friend bool operator==(const LoggedObservation&, const LoggedObservation&) = default;
};
// The tuner was told to propose no more trials.
struct LoggedFinishEarly {
  friend bool operator==(const LoggedFinishEarly&, const LoggedFinishEarly&) = default;
};
using LogEvent = std::variant<LoggedProposal, LoggedObservation, LoggedFinishEarly>;

// Where a result belongs: candidate `index` of batch `batch` of the job. Stored once.
struct ResultPlace {
  std::string job;
  int64_t batch = 0;
  int64_t index = 0;
  friend bool operator==(const ResultPlace&, const ResultPlace&) = default;
};

// A result as the job got it.
struct LoggedResult {
  ResultPlace place;
  measure::MeasureResult result;
  measure::Provenance provenance;
  absl::Duration active;  // time of running when it came
  friend bool operator==(const LoggedResult&, const LoggedResult&) = default;
};

struct JobLog {
  std::vector<LogEvent> events;
  std::vector<LoggedResult> results;  // by batch, then index; also of batches not observed yet
};

}  // namespace alt::store

#endif  // SERVER_STORE_JOB_H_
