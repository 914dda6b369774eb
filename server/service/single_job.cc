// bench and peak: one unit of work, no search.
#include <utility>

#include "common/base/status_macros.h"
#include "common/wire/measure_wire.h"
#include "common/wire/trace_wire.h"
#include "server/service/job_proto.h"
#include "server/service/running_job.h"

namespace alt::service {
namespace {

// The first result ends the job. What came of it is in the job's progress, not among the records:
// looking at a candidate does not change what a query answers.
class SingleJob : public RunningJob {
 public:
  explicit SingleJob(store::Job job) : job_(std::move(job)) {}

  Step Start(absl::Time now) override {
    job_.state = job::JobState::kRunning;
    job_.reason.clear();
    job_.finished.reset();
    running_since_ = now;
    Step out = Write();
    out.submit.push_back(
        {.job = job_.id, .batch = 0, .indices = {0}, .target = target_, .request = request_});
    return out;
  }

  Step OnResults(const dispatch::Results& results, absl::Time now) override {
    if (TakeResult(results)) return Rest(job::JobState::kSucceeded, "", now);
    if (results.results.empty()) return {};
    // Given up: nobody will measure it any more.
    return Rest(job::JobState::kFailed, results.results[0].second.message, now);
  }

  Step OnWritten(const std::vector<int64_t>&, absl::Time) override { return {}; }
  Step OnTime(absl::Time) override { return {}; }
  void OnClockStep(absl::Duration step) override { running_since_ += step; }
  Step Stop(const std::string& reason, absl::Time now) override {
    return Rest(job::JobState::kStopped, reason, now);
  }
  Step Fail(const std::string& reason, absl::Time now) override {
    return Rest(job::JobState::kFailed, reason, now);
  }

  const store::Job& job() const override { return job_; }
  absl::Time NextDeadline() const override { return absl::InfiniteFuture(); }
  void AddProposeSeconds(double) override {}

 protected:
  // Into the job's progress. False: nothing of use.
  virtual bool TakeResult(const dispatch::Results& results) = 0;

  store::Job job_;
  target::Target target_;
  std::shared_ptr<const measure::MeasureRequest> request_;

 private:
  Step Rest(job::JobState state, const std::string& reason, absl::Time now) {
    if (job::Rests(job_.state)) return {};
    if (job_.state == job::JobState::kRunning) job_.active += now - running_since_;
    job_.state = state;
    job_.reason = reason;
    job_.finished = now;
    return Write();
  }
  Step Write() const {
    Step out;
    out.write.push_back(store::UpdateJob{job_});
    out.tokens.push_back(1);
    return out;
  }

  absl::Time running_since_;
};

class BenchJob : public SingleJob {
 public:
  static absl::StatusOr<std::unique_ptr<RunningJob>> Create(const store::Job& stored,
                                                            const store::TuningStore& store) {
    auto out = std::make_unique<BenchJob>(stored);
    measure::MeasureRequest request{.mode = measure::MeasureMode::kCompare,
                                    .cache = stored.spec.cache};
    ALT_ASSIGN_OR_RETURN(request.workload, workload::Parse(stored.spec.workload));
    ALT_ASSIGN_OR_RETURN(request.target, target::ParseTarget(stored.spec.target));
    workload::Candidate candidate;
    ALT_ASSIGN_OR_RETURN(const v1::BenchProgress before, ParseBenchProgress(stored.progress.text));
    if (before.has_candidate()) {
      // Chosen in an earlier life: a worker may have it still, and bring its result.
      ALT_ASSIGN_OR_RETURN(candidate, wire::FromProto(before.candidate()));
      out->progress_ = before;
      out->progress_.clear_result();
    } else if (!stored.spec.candidate.empty()) {
      ALT_ASSIGN_OR_RETURN(candidate, workload::ParseCandidate(stored.spec.candidate));
      out->progress_.set_source(v1::ANSWER_SOURCE_GIVEN);
    } else {
      ALT_ASSIGN_OR_RETURN(const BestResult best,
                           FindBest(store, {.workload = request.workload,
                                            .target = request.target,
                                            .fixed_layouts = stored.spec.fixed_layouts,
                                            .cache = stored.spec.cache}));
      out->progress_.set_source(ToProto(best.source));
      out->progress_.set_reason(best.reason);
      out->progress_.set_record_id(best.record);
      candidate = best.candidate;
    }
    *out->progress_.mutable_candidate() = wire::ToProto(candidate);
    out->job_.progress.text = PrintProgress(out->progress_);
    request.candidates.push_back(std::move(candidate));
    out->target_ = request.target;
    out->request_ = std::make_shared<const measure::MeasureRequest>(std::move(request));
    return out;
  }
  explicit BenchJob(store::Job job) : SingleJob(std::move(job)) {}

 private:
  bool TakeResult(const dispatch::Results& results) override {
    if (results.results.empty()) return false;
    *progress_.mutable_result() = wire::ToProto(results.results[0].second);
    job_.progress.text = PrintProgress(progress_);
    return true;
  }

  v1::BenchProgress progress_;
};

class PeakJob : public SingleJob {
 public:
  static absl::StatusOr<std::unique_ptr<RunningJob>> Create(const store::Job& stored) {
    auto out = std::make_unique<PeakJob>(stored);
    ALT_ASSIGN_OR_RETURN(out->target_, target::ParseTarget(stored.spec.target));
    return out;
  }
  explicit PeakJob(store::Job job) : SingleJob(std::move(job)) {}

 private:
  bool TakeResult(const dispatch::Results& results) override {
    if (!results.peak) return false;
    v1::PeakProgress progress;
    *progress.mutable_peak() = wire::ToProto(*results.peak);
    job_.progress.text = PrintProgress(progress);
    return true;
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<RunningJob>> MakeBenchJob(const store::Job& job,
                                                         const store::TuningStore& store) {
  return BenchJob::Create(job, store);
}

absl::StatusOr<std::unique_ptr<RunningJob>> MakePeakJob(const store::Job& job) {
  return PeakJob::Create(job);
}

}  // namespace alt::service
