#ifndef SERVER_JOB_TUNING_TASK_H_
#define SERVER_JOB_TUNING_TASK_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/search/tuner.h"
#include "server/store/tuning_store.h"

namespace alt::job {

// What the database held when a job started: with the job it determines every proposal.
struct Snapshot {
  std::vector<store::StoredRecord> records;  // of the workload, target and cache state
  std::optional<store::Champion> champion;
};
Snapshot ReadSnapshot(const store::TuningStore& store, const store::Job& job);

// What the champion of a tuning job or of a query is compared among.
template <typename Spec>
store::ChampionKey ChampionKeyOf(const Spec& spec) {
  return {workload::Print(spec.workload), target::PrintTarget(spec.target), spec.cache,
          spec.fixed_layouts};
}

// The task of a tuning job that has started. Records whose candidate no longer parses are left out.
absl::StatusOr<search::TuningTask> MakeTask(const store::Job& job, const Snapshot& snapshot);

// A batch as the log keeps it.
store::LoggedProposal ToLog(const search::Batch& batch);
const char* BatchKindName(search::BatchKind kind);  // "baseline", "trials", "finalists"

}  // namespace alt::job

#endif  // SERVER_JOB_TUNING_TASK_H_
