#ifndef SERVER_JOB_TUNING_JOB_H_
#define SERVER_JOB_TUNING_JOB_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/job/running_job.h"
#include "server/job/tuning_task.h"
#include "server/search/tuner.h"
#include "server/store/tuning_store.h"

namespace alt::job {

// One tuning job: a state machine between the tuner, the store and the workers, without threads,
// clock or I/O. A result counts once it is durable; the tuner is told whole batches, oldest first.
//
//   Start ──► submit units ──► OnResults ──► write ──► OnWritten ──► tuner.Observe ──► submit ...
//                                                                       └► done: champion, summary
class TuningJob : public RunningJob {
 public:
  // `job` has its start set. `log` holds what an earlier life of the job wrote: it is pushed
  // through a fresh tuner, which must propose the same; results in it are not measured again.
  // DataLoss when the tuner proposes something else, naming the first difference.
  static absl::StatusOr<std::unique_ptr<TuningJob>> Create(store::Job job, const Snapshot& snapshot,
                                                           const store::JobLog& log);

  // Submits what is in flight and not measured yet.
  Step Start(absl::Time now) override;
  Step OnResults(const dispatch::Results& results, absl::Time now) override;
  Step OnWritten(int64_t token, absl::Time now) override;
  Step OnTime(absl::Time now) override;
  void OnClockStep(absl::Duration step) override { running_since_ += step; }
  Step Stop(const std::string& reason, absl::Time now) override;
  Step Fail(const std::string& reason, absl::Time now) override;

  const store::Job& job() const override { return job_; }
  absl::Time NextDeadline() const override;
  void AddProposeSeconds(double seconds) override { progress().propose_seconds += seconds; }
  // Results that are still awaited.
  int64_t awaited() const;

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

  TuneProgress& progress() { return std::get<TuneProgress>(job_.progress); }
  absl::Status ReplayLog(const store::JobLog& log);
  void RestoreResults(const store::JobLog& log);

  // Tells the tuner of the oldest batch, which is complete.
  absl::Status ObserveOldest();
  void RetireOldest();

  InFlight& Track(const search::Batch& batch);
  void Submit(const InFlight& in_flight, Step& out) const;
  void Pump(absl::Time now, Step& out);
  void Finish(absl::Time now, Step& out);
  void Rest(JobState state, const std::string& reason, absl::Time now, Step& out);
  void CountResult(const InFlight& in_flight, size_t index);
  void SetBest(const workload::Candidate& candidate, const measure::Latency& latency,
               std::optional<double> peak_gflops);
  void Log(store::LogEvent event, Step& out);
  void Seal(Step& out);
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
  std::vector<InFlight> comparisons_;  // of finalists: one of them says who is champion
  // While running.
  absl::Time running_since_ = absl::InfinitePast();
};

}  // namespace alt::job

#endif  // SERVER_JOB_TUNING_JOB_H_
