#include "server/job/stale.h"

#include <algorithm>
#include <utility>

#include "common/measure/validators.h"

namespace alt::job {

StaleReport FindStale(const store::TuningStore& store, FactsOfTarget facts_of) {
  StaleReport report;
  for (store::ChampionKey& key : store.AnsweredKeys()) {
    auto workload = workload::Parse(key.workload);
    auto target = target::ParseTarget(key.target);
    // What no longer reads is no answer either.
    if (!workload.ok() || !target.ok()) continue;
    const std::vector<measure::Validators> facts = facts_of(*target);
    if (facts.empty()) {
      ++report.unserved;
      continue;
    }
    const std::vector<store::BestAnswer> best = store.FindTop(key, 1);
    if (best.empty()) continue;
    const measure::Validators& then = best[0].validators;
    if (std::find(facts.begin(), facts.end(), then) != facts.end()) continue;
    report.tasks.push_back({.workload = *std::move(workload),
                            .target = *std::move(target),
                            .cache = key.cache,
                            .fixed_layouts = std::move(key.fixed_layouts),
                            .reason = measure::DescribeDifference(then, facts[0])});
  }
  return report;
}

}  // namespace alt::job
