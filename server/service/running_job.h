// A job that is being worked on, whatever its kind: a state machine without threads, clock or I/O.
#ifndef SERVER_SERVICE_RUNNING_JOB_H_
#define SERVER_SERVICE_RUNNING_JOB_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/dispatch/protocol.h"
#include "server/service/query.h"
#include "server/store/tuning_store.h"

namespace alt::service {

// What is to be done after an event: submit, and write as one; once that is durable, OnWritten.
struct Step {
  std::vector<dispatch::WorkUnit> submit;
  store::WriteBatch write;
  std::vector<int64_t> tokens;  // for OnWritten
};

// Events come one after the other. A job whose state rests wants no more of them.
class RunningJob {
 public:
  virtual ~RunningJob() = default;

  virtual Step Start(absl::Time now) = 0;
  virtual Step OnResults(const dispatch::Results& results, absl::Time now) = 0;
  virtual Step OnWritten(const std::vector<int64_t>& tokens, absl::Time now) = 0;
  virtual Step OnTime(absl::Time now) = 0;
  // The wall clock, which all times are of, was set: it now shows so much more than it would.
  virtual void OnClockStep(absl::Duration step) = 0;
  virtual Step Stop(const std::string& reason, absl::Time now) = 0;
  virtual Step Fail(const std::string& reason, absl::Time now) = 0;

  virtual const store::Job& job() const = 0;
  // When OnTime wants to be called.
  virtual absl::Time NextDeadline() const = 0;
  // Time that the search took, measured around the calls.
  virtual void AddProposeSeconds(double seconds) = 0;
};

// Of a job whose start is set. Reads what an earlier life of it left. DataLoss when that cannot be
// repeated.
absl::StatusOr<std::unique_ptr<RunningJob>> MakeTuneJob(const store::Job& job,
                                                        const store::TuningStore& store);
// Times one candidate in turns with the FMA loop: the spec's, or what a query answers when the job
// first runs.
absl::StatusOr<std::unique_ptr<RunningJob>> MakeBenchJob(const store::Job& job,
                                                         const store::TuningStore& store);
absl::StatusOr<std::unique_ptr<RunningJob>> MakePeakJob(const store::Job& job);

}  // namespace alt::service

#endif  // SERVER_SERVICE_RUNNING_JOB_H_
