#ifndef SERVER_SEARCH_SPACE_SEED_SEEDS_H_
#define SERVER_SEARCH_SPACE_SEED_SEEDS_H_

#include <vector>

#include "server/search/space/draft.h"

namespace alt::search {

// Well-known layouts as wishes for the layouts of every nest, the rules' first choices first. Loops
// are what the rules take first for them.
std::vector<Wishes> NamedLayouts(const std::vector<Nest>& nests, const target::Target& target);

}  // namespace alt::search

#endif  // SERVER_SEARCH_SPACE_SEED_SEEDS_H_
