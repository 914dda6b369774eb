#include "worker/measure/builder.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"

namespace alt::worker {
namespace {

using measure::Outcome;

absl::Duration Now() { return base::RealClock().SteadyNow(); }

// A candidate that does not apply was a mistake of whoever proposed it; everything else is ours.
Failure LoweringFailure(const absl::Status& status) {
  const bool refused = status.code() == absl::StatusCode::kInvalidArgument ||
                       status.code() == absl::StatusCode::kFailedPrecondition;
  return {refused ? Outcome::kRejected : Outcome::kCompileError, std::string(status.message())};
}

// A batch being built. Shared by the threads that build it, each of which may outlive the call.
struct Batch {
  std::shared_ptr<codegen::Codegen> codegen;
  codegen::LinkOptions link;
  workload::Workload workload;
  target::Target target;
  std::vector<workload::Candidate> candidates;

  absl::Mutex mutex;
  size_t next ABSL_GUARDED_BY(mutex) = 0;  // the first candidate that no thread has taken
  bool stopped ABSL_GUARDED_BY(mutex) = false;
  // By candidate; absent: not yet.
  std::vector<std::optional<absl::Duration>> started ABSL_GUARDED_BY(mutex);
  std::vector<std::optional<BuildResult>> results ABSL_GUARDED_BY(mutex);
};

std::variant<BuiltKernel, Failure> BuildOne(const Batch& batch,
                                            const workload::Candidate& candidate) {
  absl::StatusOr<lower::Kernel> lowered = lower::Lower(batch.workload, candidate, batch.target);
  if (!lowered.ok()) return LoweringFailure(lowered.status());
  absl::StatusOr<BuiltKernel> built = BuildModule(*std::move(lowered), *batch.codegen, batch.link);
  if (!built.ok()) return FailureOf(built.status());
  return *std::move(built);
}

// Takes candidates until there are none.
void Work(const std::shared_ptr<Batch>& batch) {
  while (true) {
    size_t mine;
    {
      absl::MutexLock lock(&batch->mutex);
      if (batch->stopped || batch->next == batch->candidates.size()) return;
      mine = batch->next++;
      batch->started[mine] = Now();
    }
    const absl::Duration start = Now();
    BuildResult result{BuildOne(*batch, batch->candidates[mine]), Now() - start};
    absl::MutexLock lock(&batch->mutex);
    // Given up in the meantime: a thread in our place has gone on.
    if (batch->results[mine]) return;
    batch->results[mine] = std::move(result);
  }
}

// Gives up what has run for longer than `limit`; returns how many threads that cost.
int GiveUpOverdue(Batch& batch, absl::Duration limit) {
  absl::MutexLock lock(&batch.mutex);
  int lost = 0;
  for (size_t i = 0; i < batch.next; ++i) {
    if (batch.results[i] || Now() - *batch.started[i] < limit) continue;
    batch.results[i] =
        BuildResult{Failure{Outcome::kCompileTimeout,
                            absl::StrCat("not compiled within ", absl::FormatDuration(limit))},
                    limit};
    ++lost;
  }
  return lost;
}

void GiveUpAll(Batch& batch) {
  absl::MutexLock lock(&batch.mutex);
  batch.stopped = true;
  for (auto& result : batch.results) {
    if (!result) result = BuildResult{Failure{Outcome::kCancelled, "cancelled"}, {}};
  }
}

// True when every result is there; waits a little for it.
bool WaitForAll(Batch& batch) {
  const auto complete = [&batch]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(batch.mutex) {
    return std::all_of(batch.results.begin(), batch.results.end(),
                       [](const auto& result) { return result.has_value(); });
  };
  absl::MutexLock lock(&batch.mutex);
  return batch.mutex.AwaitWithTimeout(absl::Condition(&complete), absl::Milliseconds(10));
}

}  // namespace

absl::StatusOr<BuiltKernel> BuildModule(lower::Kernel lowered, codegen::Codegen& codegen,
                                        const codegen::LinkOptions& link) {
  BuiltKernel built{.lowered = std::move(lowered)};
  ALT_ASSIGN_OR_RETURN(built.artifact, codegen.Compile(built.lowered.module));
  ALT_ASSIGN_OR_RETURN(const std::string shared,
                       codegen::LinkSharedObject(built.artifact.object, link));
  ALT_ASSIGN_OR_RETURN(built.object, base::MemoryFile(built.artifact.name, shared));
  built.artifact.object.clear();
  return built;
}

Builder::Builder(std::shared_ptr<codegen::Codegen> codegen, codegen::LinkOptions link, int threads)
    : codegen_(std::move(codegen)), link_(std::move(link)), threads_(std::max(1, threads)) {}

std::vector<BuildResult> Builder::Build(const workload::Workload& workload,
                                        const target::Target& target,
                                        const std::vector<workload::Candidate>& candidates,
                                        absl::Duration limit, absl::FunctionRef<bool()> cancelled) {
  const size_t count = candidates.size();
  auto batch = std::make_shared<Batch>();
  batch->codegen = codegen_;
  batch->link = link_;
  batch->workload = workload;
  batch->target = target;
  batch->candidates = candidates;
  {
    absl::MutexLock lock(&batch->mutex);
    batch->started.resize(count);
    batch->results.resize(count);
  }
  const auto start_thread = [&batch] { std::thread(Work, batch).detach(); };
  for (int t = 0; t < std::min(threads_, static_cast<int>(count)); ++t) start_thread();
  while (!WaitForAll(*batch)) {
    for (int lost = GiveUpOverdue(*batch, limit); lost > 0; --lost) start_thread();
    if (cancelled()) GiveUpAll(*batch);
  }
  std::vector<BuildResult> results;
  absl::MutexLock lock(&batch->mutex);
  for (auto& result : batch->results) results.push_back(*std::move(result));
  return results;
}

}  // namespace alt::worker
