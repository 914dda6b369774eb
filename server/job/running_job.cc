#include "server/job/running_job.h"

#include <variant>

#include "common/base/status_macros.h"
#include "server/job/single_job.h"
#include "server/job/tuning_job.h"

namespace alt::job {
namespace {

struct Maker {
  const store::Job& job;
  const store::TuningStore& store;

  absl::StatusOr<std::unique_ptr<RunningJob>> operator()(const TuneSpec&) const {
    ALT_ASSIGN_OR_RETURN(const store::JobLog log, store.ReadLog(job.id));
    return TuningJob::Create(job, ReadSnapshot(store, job), log);
  }
  absl::StatusOr<std::unique_ptr<RunningJob>> operator()(const BenchSpec&) const {
    return MakeBenchJob(job, store);
  }
  absl::StatusOr<std::unique_ptr<RunningJob>> operator()(const PeakSpec&) const {
    return MakePeakJob(job);
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<RunningJob>> MakeRunningJob(const store::Job& job,
                                                           const store::TuningStore& store) {
  return std::visit(Maker{job, store}, job.spec);
}

}  // namespace alt::job
