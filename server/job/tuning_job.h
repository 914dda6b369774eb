#ifndef SERVER_JOB_TUNING_JOB_H_
#define SERVER_JOB_TUNING_JOB_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/job/task_text.h"
#include "server/search/tuner.h"
#include "server/store/tuning_store.h"

namespace alt::job {

// Candidates of one batch that one worker builds together and times.
struct WorkUnit {
  std::string job;
  int64_t batch = 0;
  std::vector<int64_t> indices;  // of the request's candidates within the batch
  measure::MeasureRequest request;
};

// What the shell has to do after an event. In this order: submit, then write.
struct Effects {
  std::vector<WorkUnit> submit;
  // To be committed as one; then OnWritten(token). Empty: nothing to write.
  store::WriteBatch write;
  int64_t token = 0;
};

// One tuning job: a state machine between the tuner, the store and the workers, without threads,
// clock or I/O. A result counts once it is durable; the tuner is told whole batches, oldest first.
//
//   Start ──► submit units ──► OnResult ──► write ──► OnWritten ──► tuner.Observe ──► submit ...
//                                                                       └► done: champion, summary
//
// The shell calls OnWritten only for writes that succeeded; when one fails it calls Fail.
class TuningJob {
 public:
  // `job` has its start set. `log` holds what an earlier life of the job wrote: it is pushed
  // through a fresh tuner, which must propose the same; results in it are not measured again.
  // DataLoss when the tuner proposes something else, naming the first difference.
  static absl::StatusOr<std::unique_ptr<TuningJob>> Create(store::Job job, const Snapshot& snapshot,
                                                           const store::JobLog& log);

  // Runs the job: it must be queued. Submits what is in flight and not measured yet.
  Effects Start(absl::Time now);
  // A final result of one candidate. Repetitions and results of unknown batches are ignored.
  Effects OnResult(int64_t batch, int64_t index, const measure::MeasureResult& result,
                   const measure::Provenance& provenance, const measure::Validators& validators,
                   absl::Time now);
  // The write of `token` is durable.
  Effects OnWritten(int64_t token, absl::Time now);
  // Looks at the time limit.
  Effects OnTime(absl::Time now);
  // The clock of `now` was set: it shows so much more than it would. That is no time of running.
  void OnClockStep(absl::Duration step) { running_since_ += step; }
  // Stops the job; it may be resumed by a TuningJob made of its log. Measurements under way are of
  // no use any more.
  Effects Stop(const std::string& reason, absl::Time now);
  // The job cannot go on.
  Effects Fail(const std::string& reason, absl::Time now);

  const store::Job& job() const { return job_; }
  bool rests() const { return job::Rests(job_.state); }
  // Results that are still awaited.
  int64_t awaited() const;
  // The next time that OnTime wants to be called; InfiniteFuture for never.
  absl::Time NextDeadline() const;
  // Time that the search took, measured by the shell around the calls.
  void AddProposeSeconds(double seconds) { job_.progress.propose_seconds += seconds; }

 private:
  struct Slot {
    std::optional<measure::MeasureResult> result;
    measure::Provenance provenance;
    measure::Validators validators;
    bool durable = false;
  };
  struct InFlight {
    search::Batch batch;
    std::vector<Slot> slots;
    int64_t first_trial = 0;  // number of its first trial
  };

  TuningJob(store::Job job, search::TuningTask task, std::optional<store::Champion> champion,
            std::unique_ptr<search::Tuner> tuner);

  absl::Status ReplayLog(const store::JobLog& log);
  void RestoreResults(const store::JobLog& log);

  // Tells the tuner of the oldest batch, which is complete.
  absl::Status ObserveOldest();
  void RetireOldest();

  InFlight& Track(const search::Batch& batch);
  void Submit(const InFlight& in_flight, Effects& effects) const;
  void Pump(absl::Time now, Effects& effects);
  void Finish(absl::Time now, Effects& effects);
  void Rest(job::JobState state, const std::string& reason, absl::Time now, Effects& effects);
  void CountResult(const InFlight& in_flight, size_t index);
  void Log(store::LogEvent event, Effects& effects);
  void Seal(Effects& effects);
  absl::Duration ActiveAt(absl::Time now) const;
  store::AddResult MakeWrite(const InFlight& in_flight, size_t index, absl::Time now) const;

  // Constant.
  const search::TuningTask task_;
  const std::optional<store::Champion> champion_;
  const std::unique_ptr<search::Tuner> tuner_;
  // Always set.
  store::Job job_;
  std::deque<search::Batch> proposed_;  // by the tuner, not logged yet
  std::deque<InFlight> in_flight_;      // oldest first
  int64_t trials_proposed_ = 0;
  int64_t log_length_ = 0;
  bool told_to_finish_ = false;
  int64_t next_token_ = 1;
  absl::flat_hash_map<int64_t, std::vector<std::pair<int64_t, int64_t>>>
      writing_;  // (batch, index)
  std::vector<std::pair<int64_t, int64_t>> unsealed_;
  std::optional<InFlight> finalists_;  // the last comparison, for the champion
  // While running.
  absl::Time running_since_ = absl::InfinitePast();
};

}  // namespace alt::job

#endif  // SERVER_JOB_TUNING_JOB_H_
