// Jobs as they are stored, and their logs.
#ifndef SERVER_STORE_JOB_H_
#define SERVER_STORE_JOB_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "common/job/job.h"
#include "common/measure/measure_result.h"
#include "common/measure/measurer.h"
#include "common/measure/tuning_record.h"

namespace alt::store {

// What was the case when the job first ran. With the spec it determines every proposal.
struct JobStart {
  int64_t sequence = 0;  // what the database held: everything up to this number
  int64_t l1_bytes = 0;
  int64_t l2_bytes = 0;
  absl::Time time;
  measure::Validators validators;  // of the worker that it started with
  friend bool operator==(const JobStart&, const JobStart&) = default;
};

// What everybody may see of a job, and what only the server has to know. Of the best candidate the
// database keeps the id of the record, which has it.
struct Job : job::Job {
  // Set when it is created.
  std::string request_id;  // drawn by the client; unique
  // Set when it first runs, and never again.
  std::optional<JobStart> start;
  // Changes.
  std::optional<absl::Time> finished;
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
  std::string record;     // id of the record that it is a measurement of; "" for none
  friend bool operator==(const LoggedResult&, const LoggedResult&) = default;
};

struct JobLog {
  std::vector<LogEvent> events;
  std::vector<LoggedResult> results;  // by batch, then index; also of batches not observed yet
};

}  // namespace alt::store

#endif  // SERVER_STORE_JOB_H_
