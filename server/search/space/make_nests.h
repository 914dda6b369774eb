#ifndef SERVER_SEARCH_SPACE_MAKE_NESTS_H_
#define SERVER_SEARCH_SPACE_MAKE_NESTS_H_

#include <vector>

#include "server/search/space/draft.h"

namespace alt::search {

// The nests of a graph, in the order of their cores. A stage without reduction belongs to the nest
// whose result it works on element for element (a tail), else to the one whose data it makes;
// stages that belong to none stand alone.
std::vector<Nest> MakeNests(const te::Graph& graph);

}  // namespace alt::search

#endif  // SERVER_SEARCH_SPACE_MAKE_NESTS_H_
