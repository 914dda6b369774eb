#include "server/job/replay.h"

#include <utility>

#include "common/base/status_macros.h"
#include "server/job/play_log.h"

namespace alt::job {

absl::StatusOr<ReplayReport> Replay(const store::Job& job, const Snapshot& snapshot,
                                    const store::JobLog& log) {
  ALT_ASSIGN_OR_RETURN(search::TuningTask task, MakeTask(job, snapshot));
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<search::Tuner> tuner,
                       search::Tuner::Create(std::move(task)));
  ReplayReport report;
  const auto count = [&](const search::Batch& batch) {
    report.proposals += static_cast<int64_t>(batch.candidates.size());
  };
  const auto beyond = PlayLog(log, *tuner, count, [] {});
  report.identical = beyond.ok();
  report.first_difference = std::string(beyond.status().message());
  return report;
}

}  // namespace alt::job
