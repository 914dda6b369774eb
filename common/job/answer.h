// Questions that a server answers at once, and the answers.
#ifndef COMMON_JOB_ANSWER_H_
#define COMMON_JOB_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/job/job_spec.h"
#include "common/measure/environment.h"
#include "common/measure/measure_result.h"

namespace alt::job {

struct QuerySpec {
  workload::Workload workload;
  target::Target target;
  FixedLayouts fixed_layouts;
  measure::CacheState cache = measure::CacheState::kWarm;
  bool any_target = false;  // the nearest workload may be one of another target
  // What records have to be measured under to be exact; none: what the target's workers say.
  std::optional<measure::Validators> validators;
};

// Where an answer is from.
enum class AnswerSource { kExact, kNearest, kDefault, kGiven };
absl::string_view AnswerSourceName(AnswerSource source);  // "exact", ...
std::optional<AnswerSource> ParseAnswerSource(absl::string_view name);

struct Answer {
  AnswerSource source = AnswerSource::kDefault;
  std::string reason;  // why not a better source
  std::string record;  // id; empty when it is from none
  workload::Candidate candidate;
  std::optional<measure::Latency> latency;  // of the record, for exact
  std::optional<double> peak_gflops;
  friend bool operator==(const Answer&, const Answer&) = default;
};

struct RecordQuery {
  std::optional<workload::Workload> workload;
  std::optional<target::Target> target;
  int64_t limit = 100;
};

struct WorkerStatus {
  std::string name;
  measure::WorkerFacts facts;
  absl::Duration last_seen;
  std::string job;  // empty when idle
  bool draining = false;
  int64_t measured = 0;
  std::string takes_no_work;  // why; empty when it does
};

struct Stats {
  int64_t records = 0;
  int64_t workloads = 0;
  std::vector<target::Target> targets;
  int64_t duplicates = 0;
  int64_t bytes = 0;
  int64_t jobs = 0;
  std::vector<std::string> damage;  // found when the database was opened, a sentence each
};

struct VerifyReport {
  int64_t records = 0;                // looked at
  std::vector<std::string> problems;  // empty when nothing is wrong
};

// An answer that was measured under other facts than its target's worker has now.
struct StaleTask {
  workload::Workload workload;
  target::Target target;
  measure::CacheState cache = measure::CacheState::kWarm;
  FixedLayouts fixed_layouts;
  std::string reason;  // what differs
  friend bool operator==(const StaleTask&, const StaleTask&) = default;
};
struct StaleReport {
  std::vector<StaleTask> tasks;
  int64_t unserved = 0;  // answers for targets that no worker serves: nothing is known of them
};

// What became of a candidate that a tuning job had measured.
struct Trial {
  int64_t trial = 0;   // its number, from 1
  std::string record;  // id; "" when the record can no longer be read
  measure::Outcome outcome = measure::Outcome::kCancelled;
  bool censored = false;
  std::string algorithm;
  std::optional<measure::Latency> latency;  // when it is OK
  std::string reason;                       // why, for everything but OK
  absl::Time time;
};

struct ReplayReport {
  bool identical = false;
  int64_t proposals = 0;         // candidates compared
  std::string first_difference;  // "" when identical
};

}  // namespace alt::job

#endif  // COMMON_JOB_ANSWER_H_
