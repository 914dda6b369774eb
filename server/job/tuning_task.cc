#include "server/job/tuning_task.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace alt::job {
namespace {

// Some outcomes tell of the surroundings only: the candidate may be tried again.
bool TellsOfTheCandidate(measure::Outcome outcome) {
  return outcome != measure::Outcome::kWorkerLost && outcome != measure::Outcome::kDeviceLost &&
         outcome != measure::Outcome::kCancelled;
}

// The fastest answers to the task, as many as it wants refreshed.
std::vector<workload::Candidate> FastestOf(std::vector<search::TuningTask::Known> known,
                                           const TuneSpec& spec) {
  std::erase_if(known, [&](const search::TuningTask::Known& k) {
    return k.result.outcome != measure::Outcome::kOk || !k.result.latency || k.result.censored ||
           !workload::HasLayouts(k.candidate, spec.fixed_layouts);
  });
  std::stable_sort(known.begin(), known.end(), [](const auto& a, const auto& b) {
    return a.result.latency->median_ns < b.result.latency->median_ns;
  });
  if (static_cast<int64_t>(known.size()) > spec.refresh) {
    known.erase(known.begin() + spec.refresh, known.end());
  }
  std::vector<workload::Candidate> fastest;
  for (search::TuningTask::Known& k : known) fastest.push_back(std::move(k.candidate));
  return fastest;
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
  std::vector<search::TuningTask::Known> stale;
  for (const store::StoredRecord& record : snapshot.records) {
    if (!TellsOfTheCandidate(record.result.outcome)) continue;
    // What was measured under other facts is measured again. (Earlier versions did not compare.)
    const measure::Validators& here = job.start->validators;
    const bool is_stale = !here.empty() && record.validators != here;
    auto candidate = workload::ParseCandidate(record.key.candidate);
    if (!candidate.ok()) continue;
    (is_stale ? stale : task.known).push_back({*std::move(candidate), record.result});
  }
  task.stale = FastestOf(std::move(stale), task);
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
