#include "worker/measure/builder.h"

#include <algorithm>
#include <system_error>
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

absl::StatusOr<BuiltKernel> Link(lower::Kernel lowered, runtime::Artifact artifact,
                                 const codegen::LinkOptions& link) {
  ALT_ASSIGN_OR_RETURN(const std::string shared, codegen::LinkSharedObject(artifact.object, link));
  BuiltKernel built{.lowered = std::move(lowered), .artifact = std::move(artifact)};
  ALT_ASSIGN_OR_RETURN(built.object, base::MemoryFile(built.artifact.name, shared));
  built.artifact.object.clear();
  return built;
}

// A batch being built.
struct Batch {
  const workload::Workload& workload;
  const target::Target& target;
  const std::vector<workload::Candidate>& candidates;
  const absl::Duration limit;
  const codegen::LinkOptions& link;

  absl::Mutex mutex;
  size_t next ABSL_GUARDED_BY(mutex) = 0;  // the first candidate that no thread has taken
  bool cancelled ABSL_GUARDED_BY(mutex) = false;
  size_t left ABSL_GUARDED_BY(mutex) = 0;                   // threads
  std::vector<BuildResult> results ABSL_GUARDED_BY(mutex);  // by candidate
};

std::variant<BuiltKernel, Failure> BuildOne(Batch& batch, const workload::Candidate& candidate,
                                            Compiler& compiler) {
  const auto cancelled = [&batch] {
    absl::MutexLock lock(&batch.mutex);
    return batch.cancelled;
  };
  auto compiled =
      compiler.Compile({batch.workload, candidate}, batch.target, batch.limit, cancelled);
  if (auto* failure = std::get_if<Failure>(&compiled)) return std::move(*failure);
  // The compiler has done this before, so that it is known to end.
  absl::StatusOr<lower::Kernel> loops = lower::LowerToLoops(batch.workload, candidate);
  if (!loops.ok()) return FailureOf(loops.status());
  absl::StatusOr<BuiltKernel> built =
      Link(*std::move(loops), std::get<runtime::Artifact>(std::move(compiled)), batch.link);
  if (!built.ok()) return FailureOf(built.status());
  return *std::move(built);
}

// Takes candidates until there are none.
void Work(Batch& batch, Compiler& compiler) {
  while (true) {
    size_t mine;
    {
      absl::MutexLock lock(&batch.mutex);
      if (batch.cancelled || batch.next == batch.candidates.size()) {
        --batch.left;
        return;
      }
      mine = batch.next++;
    }
    const absl::Duration start = Now();
    BuildResult result{BuildOne(batch, batch.candidates[mine], compiler), Now() - start};
    absl::MutexLock lock(&batch.mutex);
    batch.results[mine] = std::move(result);
  }
}

// True when all threads have ended; waits a little for it.
bool WaitForAll(Batch& batch) {
  const auto done = [&batch]()
                        ABSL_EXCLUSIVE_LOCKS_REQUIRED(batch.mutex) { return batch.left == 0; };
  absl::MutexLock lock(&batch.mutex);
  return batch.mutex.AwaitWithTimeout(absl::Condition(&done), absl::Milliseconds(10));
}

}  // namespace

absl::StatusOr<BuiltKernel> BuildModule(lower::Kernel lowered, codegen::Codegen& codegen,
                                        const codegen::LinkOptions& link) {
  ALT_ASSIGN_OR_RETURN(runtime::Artifact artifact, codegen.Compile(lowered.module));
  return Link(std::move(lowered), std::move(artifact), link);
}

Builder::Builder(CompilerFactory compiler, codegen::LinkOptions link, int threads)
    : make_compiler_(std::move(compiler)),
      link_(std::move(link)),
      threads_(static_cast<size_t>(std::max(1, threads))) {}

std::vector<BuildResult> Builder::Build(const workload::Workload& workload,
                                        const target::Target& target,
                                        const std::vector<workload::Candidate>& candidates,
                                        absl::Duration limit, absl::FunctionRef<bool()> cancelled) {
  Batch batch{workload, target, candidates, limit, link_};
  const size_t threads = std::min(threads_, candidates.size());
  while (compilers_.size() < threads) compilers_.push_back(make_compiler_());
  {
    absl::MutexLock lock(&batch.mutex);
    batch.left = threads;
    batch.results = std::vector<BuildResult>(candidates.size());
    for (BuildResult& result : batch.results) {
      result.kernel.emplace<Failure>(Failure{Outcome::kCancelled, "cancelled"});
    }
  }
  std::vector<std::thread> workers;
  try {
    for (size_t t = 0; t < threads; ++t) {
      workers.emplace_back([&batch, compiler = compilers_[t].get()] { Work(batch, *compiler); });
    }
  } catch (const std::system_error& error) {  // the host has no more threads: with those, then
    absl::MutexLock lock(&batch.mutex);
    batch.left -= threads - workers.size();
    for (BuildResult& result : batch.results) {
      if (!workers.empty()) break;
      result.kernel.emplace<Failure>(
          Failure{Outcome::kWorkerLost, absl::StrCat("start a thread: ", error.what())});
    }
  }
  while (!WaitForAll(batch)) {
    if (!cancelled()) continue;
    absl::MutexLock lock(&batch.mutex);
    batch.cancelled = true;
  }
  for (std::thread& worker : workers) worker.join();
  absl::MutexLock lock(&batch.mutex);
  return std::move(batch.results);
}

}  // namespace alt::worker
