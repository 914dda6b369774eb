#include "server/service/job_fit.h"

#include <cstdint>
#include <limits>
#include <variant>

#include "common/measure/preparation.h"

namespace alt::service {

std::optional<measure::WorkerFacts> WorkerFor(const target::Target& target,
                                              const dispatch::Dispatcher& dispatcher) {
  std::optional<measure::WorkerFacts> best;
  // One that does not say what it has may have anything.
  const auto memory = [](const measure::WorkerFacts& facts) {
    return facts.memory_bytes > 0 ? facts.memory_bytes : std::numeric_limits<int64_t>::max();
  };
  for (const dispatch::WorkerView& worker : dispatcher.Workers()) {
    if (worker.draining || !target::Serves(worker.facts.target, target)) continue;
    if (!best || memory(worker.facts) > memory(*best)) best = worker.facts;
  }
  return best;
}

absl::Status CheckFits(const job::JobSpec& spec,
                       const std::optional<measure::WorkerFacts>& worker) {
  const int64_t most_bytes = worker ? worker->memory_bytes : 0;
  struct Visitor {
    int64_t most_bytes;
    absl::Status operator()(const job::TuneSpec& tune) const {
      return measure::CheckMemory(tune.workload, most_bytes);
    }
    absl::Status operator()(const job::BenchSpec& bench) const {
      return measure::CheckMemory(bench.workload, most_bytes);
    }
    absl::Status operator()(const job::PeakSpec&) const { return absl::OkStatus(); }
  };
  return std::visit(Visitor{most_bytes}, spec);
}

}  // namespace alt::service
