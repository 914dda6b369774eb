#ifndef SERVER_SEARCH_EVOLVE_POLICY_H_
#define SERVER_SEARCH_EVOLVE_POLICY_H_

#include <memory>

#include "server/search/policy.h"
#include "server/search/sampler.h"

namespace alt::search {

// Joint evolutionary search: layout factors and loop decisions are one genome.
//   1. the seeds of the space: well-known layouts with tiles that suit them
//   2. then children of the best that were measured: neighbours of the leaders, crosses, and some
//      points from anywhere
std::unique_ptr<Policy> MakeEvolvePolicy(const Space& space, Sampler sampler);

}  // namespace alt::search

#endif  // SERVER_SEARCH_EVOLVE_POLICY_H_
