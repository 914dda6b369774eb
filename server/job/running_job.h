#ifndef SERVER_JOB_RUNNING_JOB_H_
#define SERVER_JOB_RUNNING_JOB_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/dispatch/protocol.h"
#include "server/store/tuning_store.h"

namespace alt::job {

// What the shell has to do after an event, in this order: submit, then write.
struct Step {
  std::vector<dispatch::WorkUnit> submit;
  // To be committed as one; then OnWritten(token). Empty: nothing to write.
  store::WriteBatch write;
  int64_t token = 0;
};

// A job that is being worked on: a state machine without threads, clock or I/O. Events come one
// after the other; a job whose state rests ignores them. `now` is of the wall clock.
class RunningJob {
 public:
  virtual ~RunningJob() = default;

  // Runs the job: submits what is not measured yet.
  virtual Step Start(absl::Time now) = 0;
  // Final results. Repetitions and what nobody asked for are ignored.
  virtual Step OnResults(const dispatch::Results& results, absl::Time now) = 0;
  // The write of `token` is durable. One that failed for good is followed by Fail instead.
  virtual Step OnWritten(int64_t token, absl::Time now) = 0;
  // Looks at the time limit.
  virtual Step OnTime(absl::Time now) = 0;
  // The wall clock was set: it shows so much more than it would. That is no time of running.
  virtual void OnClockStep(absl::Duration step) = 0;
  // Stops the job; it may be gone on with from what is stored. Measurements under way are of no use
  // any more.
  virtual Step Stop(const std::string& reason, absl::Time now) = 0;
  // The job cannot go on.
  virtual Step Fail(const std::string& reason, absl::Time now) = 0;

  virtual const store::Job& job() const = 0;
  // The next time that OnTime wants to be called; InfiniteFuture for never.
  virtual absl::Time NextDeadline() const = 0;
  // Time that the search took, measured by the shell around the calls.
  virtual void AddProposeSeconds(double seconds) = 0;

  bool rests() const { return Rests(job().state); }
};

// Of a job whose start is set. Reads what an earlier life of it left. DataLoss when that cannot be
// repeated.
absl::StatusOr<std::unique_ptr<RunningJob>> MakeRunningJob(const store::Job& job,
                                                           const store::TuningStore& store);

}  // namespace alt::job

#endif  // SERVER_JOB_RUNNING_JOB_H_
