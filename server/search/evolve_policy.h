#ifndef SERVER_SEARCH_EVOLVE_POLICY_H_
#define SERVER_SEARCH_EVOLVE_POLICY_H_

#include <memory>

#include "server/search/policy.h"
#include "server/search/sampler.h"

namespace alt::search {

// Joint evolutionary search: layout factors and loop decisions are one genome.
//   1. the seeds of the space: well-known layouts with tiles that suit them
//   2. then children of the best that were measured (neighbours of the leaders, crosses, neighbours
//      of the best of each layout) and points from anywhere, at first many. One that was proposed
//      already walks on.
std::unique_ptr<Policy> MakeEvolvePolicy(Sampler sampler);

}  // namespace alt::search

#endif  // SERVER_SEARCH_EVOLVE_POLICY_H_
