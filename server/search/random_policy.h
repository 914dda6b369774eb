#ifndef SERVER_SEARCH_RANDOM_POLICY_H_
#define SERVER_SEARCH_RANDOM_POLICY_H_

#include <memory>

#include "server/search/policy.h"
#include "server/search/sampler.h"

namespace alt::search {

// Uniform points, for sanity: any search must beat it.
std::unique_ptr<Policy> MakeRandomPolicy(Sampler sampler);

}  // namespace alt::search

#endif  // SERVER_SEARCH_RANDOM_POLICY_H_
