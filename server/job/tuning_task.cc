#include "server/job/tuning_task.h"

#include <utility>
#include <variant>

namespace alt::job {
namespace {

// Some outcomes tell of the surroundings only: the candidate may be tried again.
bool TellsOfTheCandidate(measure::Outcome outcome) {
  return outcome != measure::Outcome::kWorkerLost && outcome != measure::Outcome::kDeviceLost &&
         outcome != measure::Outcome::kCancelled;
}

}  // namespace

Snapshot ReadSnapshot(const store::TuningStore& store, const store::Job& job) {
  const store::ChampionKey key = ChampionKeyOf(std::get<TuneSpec>(job.spec));
  const int64_t sequence = job.start ? job.start->sequence : 0;
  return {store.RecordsAt(key.workload, key.target, key.cache, sequence),
          store.ChampionAt(key, sequence)};
}

absl::StatusOr<search::TuningTask> MakeTask(const store::Job& job, const Snapshot& snapshot) {
  if (!job.start) return absl::FailedPreconditionError("the job has not started");
  search::TuningTask task{std::get<TuneSpec>(job.spec)};
  task.l1_bytes = job.start->l1_bytes;
  task.l2_bytes = job.start->l2_bytes;
  for (const store::StoredRecord& record : snapshot.records) {
    if (!TellsOfTheCandidate(record.result.outcome)) continue;
    // What was measured under other facts is measured again. (Earlier versions did not compare.)
    const measure::Validators& here = job.start->validators;
    if (!here.empty() && record.validators != here) continue;
    auto candidate = workload::ParseCandidate(record.key.candidate);
    if (candidate.ok()) task.known.push_back({*std::move(candidate), record.result});
  }
  if (snapshot.champion) {
    auto candidate = workload::ParseCandidate(snapshot.champion->candidate);
    if (candidate.ok()) task.incumbent = *std::move(candidate);
  }
  return task;
}

const char* BatchKindName(search::BatchKind kind) {
  switch (kind) {
    case search::BatchKind::kBaseline:
      return "baseline";
    case search::BatchKind::kTrials:
      return "trials";
    case search::BatchKind::kFinalists:
      return "finalists";
  }
  return "";
}

store::LoggedProposal ToLog(const search::Batch& batch) {
  store::LoggedProposal logged{
      batch.number, BatchKindName(batch.kind), batch.mode, batch.incumbent_ns, {}};
  for (const workload::Candidate& candidate : batch.candidates) {
    logged.candidates.push_back(workload::Print(candidate));
  }
  return logged;
}

}  // namespace alt::job
