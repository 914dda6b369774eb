#include "server/job/single_job.h"

#include <utility>
#include <variant>

#include "common/base/status_macros.h"
#include "server/job/query.h"

namespace alt::job {
namespace {

// What the worker that it starts with says; none of a job that an earlier version started.
std::optional<measure::Validators> FactsOf(const store::Job& job) {
  if (!job.start || job.start->validators.empty()) return std::nullopt;
  return job.start->validators;
}

// The first result ends the job.
class SingleJob : public RunningJob {
 public:
  explicit SingleJob(store::Job job) : job_(std::move(job)) {}

  Step Start(absl::Time now) override {
    job_.state = JobState::kRunning;
    job_.reason.clear();
    job_.finished.reset();
    running_since_ = now;
    Step out = Write();
    out.submit.push_back(
        {.job = job_.id, .indices = {0}, .target = TargetOf(job_.spec), .request = request_});
    return out;
  }

  Step OnResults(const dispatch::Results& results, absl::Time now) override {
    if (TakeResult(results)) return Rest(JobState::kSucceeded, "", now);
    if (results.results.empty()) return {};
    // Given up: nobody will measure it any more.
    return Rest(JobState::kFailed, results.results[0].second.message, now);
  }

  Step OnWritten(int64_t, absl::Time) override { return {}; }
  Step OnTime(absl::Time) override { return {}; }
  void OnClockStep(absl::Duration step) override { running_since_ += step; }
  Step Stop(const std::string& reason, absl::Time now) override {
    return Rest(JobState::kStopped, reason, now);
  }
  Step Fail(const std::string& reason, absl::Time now) override {
    return Rest(JobState::kFailed, reason, now);
  }

  const store::Job& job() const override { return job_; }
  absl::Time NextDeadline() const override { return absl::InfiniteFuture(); }
  void AddProposeSeconds(double) override {}

 protected:
  // Into the job's progress. False: nothing of use.
  virtual bool TakeResult(const dispatch::Results& results) = 0;

  store::Job job_;
  std::shared_ptr<const measure::MeasureRequest> request_;  // none: the limits of the machine

 private:
  Step Rest(JobState state, const std::string& reason, absl::Time now) {
    if (job::Rests(job_.state)) return {};
    if (job_.state == JobState::kRunning) job_.active += now - running_since_;
    job_.state = state;
    job_.reason = reason;
    job_.finished = now;
    return Write();
  }
  Step Write() const {
    Step out;
    out.write.push_back(store::UpdateJob{job_});
    out.token = 1;
    return out;
  }

  absl::Time running_since_;
};

class BenchJob : public SingleJob {
 public:
  static absl::StatusOr<std::unique_ptr<RunningJob>> Create(const store::Job& stored,
                                                            const store::TuningStore& store) {
    auto out = std::make_unique<BenchJob>(stored);
    const auto& spec = std::get<BenchSpec>(stored.spec);
    std::optional<Answer>& answer = out->progress().answer;
    out->progress().result.reset();
    if (answer) {
      // Chosen in an earlier life: a worker may have it still, and bring its result.
    } else if (spec.candidate) {
      answer.emplace().source = AnswerSource::kGiven;
      answer->candidate = *spec.candidate;
    } else {
      ALT_ASSIGN_OR_RETURN(answer, FindBest(store, {.workload = spec.workload,
                                                    .target = spec.target,
                                                    .fixed_layouts = spec.fixed_layouts,
                                                    .cache = spec.cache,
                                                    .validators = FactsOf(stored)}));
    }
    out->request_ = std::make_shared<const measure::MeasureRequest>(
        measure::MeasureRequest{.workload = spec.workload,
                                .target = spec.target,
                                .candidates = {answer->candidate},
                                .mode = measure::MeasureMode::kCompare,
                                .cache = spec.cache});
    return out;
  }
  explicit BenchJob(store::Job job) : SingleJob(std::move(job)) {}

 private:
  BenchProgress& progress() { return std::get<BenchProgress>(job_.progress); }

  bool TakeResult(const dispatch::Results& results) override {
    if (results.results.empty()) return false;
    progress().result = results.results[0].second;
    return true;
  }
};

class PeakJob : public SingleJob {
 public:
  explicit PeakJob(store::Job job) : SingleJob(std::move(job)) {}

 private:
  bool TakeResult(const dispatch::Results& results) override {
    if (!results.peak) return false;
    job_.progress = PeakProgress{results.peak};
    return true;
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<RunningJob>> MakeBenchJob(const store::Job& job,
                                                         const store::TuningStore& store) {
  return BenchJob::Create(job, store);
}

std::unique_ptr<RunningJob> MakePeakJob(const store::Job& job) {
  return std::make_unique<PeakJob>(job);
}

}  // namespace alt::job
