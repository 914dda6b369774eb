#include <utility>

#include "common/base/status_macros.h"
#include "server/job/tuning_job.h"
#include "server/service/running_job.h"

namespace alt::service {
namespace {

class TuneJob : public RunningJob {
 public:
  explicit TuneJob(std::unique_ptr<job::TuningJob> job) : job_(std::move(job)) {}

  Step Start(absl::Time now) override { return ToStep(job_->Start(now)); }

  Step OnResults(const dispatch::Results& results, absl::Time now) override {
    const measure::Provenance provenance{.worker = results.worker, .time = now};
    Step out;
    for (const auto& [index, result] : results.results) {
      Append(job_->OnResult(results.batch, index, result, provenance, results.validators, now),
             out);
    }
    return out;
  }

  Step OnWritten(const std::vector<int64_t>& tokens, absl::Time now) override {
    Step out;
    for (const int64_t token : tokens) Append(job_->OnWritten(token, now), out);
    return out;
  }

  Step OnTime(absl::Time now) override { return ToStep(job_->OnTime(now)); }
  void OnClockStep(absl::Duration step) override { job_->OnClockStep(step); }
  Step Stop(const std::string& reason, absl::Time now) override {
    return ToStep(job_->Stop(reason, now));
  }
  Step Fail(const std::string& reason, absl::Time now) override {
    return ToStep(job_->Fail(reason, now));
  }

  const store::Job& job() const override { return job_->job(); }
  absl::Time NextDeadline() const override { return job_->NextDeadline(); }
  void AddProposeSeconds(double seconds) override { job_->AddProposeSeconds(seconds); }

 private:
  static void Append(job::Effects effects, Step& step) {
    for (job::WorkUnit& unit : effects.submit) {
      dispatch::WorkUnit out{.job = std::move(unit.job),
                             .batch = unit.batch,
                             .indices = std::move(unit.indices),
                             .target = unit.request.target};
      if (unit.request.mode == measure::MeasureMode::kCompare) {
        out.max_losses = dispatch::kMaxLossesCompared;
      }
      out.request = std::make_shared<const measure::MeasureRequest>(std::move(unit.request));
      step.submit.push_back(std::move(out));
    }
    if (effects.write.empty()) return;
    for (store::Mutation& mutation : effects.write) step.write.push_back(std::move(mutation));
    step.tokens.push_back(effects.token);
  }
  static Step ToStep(job::Effects effects) {
    Step out;
    Append(std::move(effects), out);
    return out;
  }

  const std::unique_ptr<job::TuningJob> job_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RunningJob>> MakeTuneJob(const store::Job& job,
                                                        const store::TuningStore& store) {
  ALT_ASSIGN_OR_RETURN(const store::JobLog log, store.ReadLog(job.id));
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<job::TuningJob> tuning,
                       job::TuningJob::Create(job, job::ReadSnapshot(store, job), log));
  return std::make_unique<TuneJob>(std::move(tuning));
}

}  // namespace alt::service
