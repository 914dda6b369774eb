#include "server/job/task_text.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::job {
namespace {

// Some outcomes tell of the surroundings only: the candidate may be tried again.
bool TellsOfTheCandidate(measure::Outcome outcome) {
  return outcome != measure::Outcome::kWorkerLost && outcome != measure::Outcome::kDeviceLost &&
         outcome != measure::Outcome::kCancelled;
}

}  // namespace

store::ChampionKey ChampionKeyOf(const store::JobSpec& spec) {
  std::string constraint;
  for (const auto& [tensor, layout] : spec.fixed_layouts) {
    absl::StrAppend(&constraint, constraint.empty() ? "" : ",", tensor, "=",
                    layout.empty() ? "plain" : layout);
  }
  return {spec.workload, spec.target, spec.cache, constraint};
}

Snapshot ReadSnapshot(const store::TuningStore& store, const store::Job& job) {
  const int64_t sequence = job.start ? job.start->sequence : 0;
  return {store.RecordsAt(job.spec.workload, job.spec.target, job.spec.cache, sequence),
          store.ChampionAt(ChampionKeyOf(job.spec), sequence)};
}

absl::StatusOr<search::TuningTask> MakeTask(const store::Job& job, const Snapshot& snapshot) {
  if (!job.start) return absl::FailedPreconditionError("the job has not started");
  search::TuningTask task;
  ALT_ASSIGN_OR_RETURN(task.workload, workload::Parse(job.spec.workload));
  ALT_ASSIGN_OR_RETURN(task.target, target::ParseTarget(job.spec.target));
  if (!job.spec.policy.empty()) task.policy = job.spec.policy;
  task.trials = job.spec.trials;
  task.patience = job.spec.patience;
  task.seed = job.spec.seed;
  task.loops_only = job.spec.loops_only;
  task.cache = job.spec.cache;
  task.l1_bytes = job.start->l1_bytes;
  task.l2_bytes = job.start->l2_bytes;
  for (const auto& [tensor, text] : job.spec.fixed_layouts) {
    ALT_ASSIGN_OR_RETURN(task.fixed_layouts[tensor], layout::Parse(text));
  }
  for (const store::StoredRecord& record : snapshot.records) {
    if (!TellsOfTheCandidate(record.result.outcome)) continue;
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
