#include "server/search/policy.h"

#include "server/search/evolve_policy.h"
#include "server/search/random_policy.h"

namespace alt::search {

absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(const std::string& name, Evaluator& evaluator,
                                                   uint64_t seed) {
  Sampler sampler(evaluator.space(), seed);
  if (name == "evolve") return MakeEvolvePolicy(std::move(sampler));
  if (name == "random") return MakeRandomPolicy(std::move(sampler));
  return absl::InvalidArgumentError("unknown policy '" + name + "'; policies are: evolve, random");
}

}  // namespace alt::search
