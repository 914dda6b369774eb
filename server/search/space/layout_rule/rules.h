// The rules for layouts, in the order in which they are applied to a nest. Each decides one thing
// and offers only what is legal after the decisions before it; its first choice needs no search.
// Tensors that the caller fixed keep their layouts: there a rule reads what it would have decided.

#ifndef SERVER_SEARCH_SPACE_LAYOUT_RULE_RULES_H_
#define SERVER_SEARCH_SPACE_LAYOUT_RULE_RULES_H_

#include "server/search/space/draft.h"

namespace alt::search {

// An input or output whose layout the caller fixed, where no stage of the workload stands between
// it and the nest that reads or writes it: a conversion may (te/op/convert.h).
struct ConvertibleEnd {
  std::string tensor;
  bool worthwhile = false;  // the first choice
};
std::vector<ConvertibleEnd> ConvertibleEnds(const te::Graph& graph,
                                            const std::map<std::string, layout::Layout>& fixed);

// What vectors run over.
void ChooseLanes(Nest& nest, Draft& draft);
// Channels in blocks, those of the output and those of the data: C -> C/c .. c.
void BlockChannels(Nest& nest, Draft& draft);
// Tiles of the positions stand together, with the data that they read: H, W -> H/h, W/w, .., h, w.
void TilePositions(Nest& nest, Draft& draft);
// Sets the layouts of output, data and what the data are made of, from the decisions above.
void LayOutTensors(Nest& nest, Draft& draft);

// These follow the register tile.
// The filter in the order in which the loops read it: one block for each vector tile.
void PackFilter(Nest& nest, Draft& draft);
// Data without windows as panels: the rows of a register tile side by side.
void PanelData(Nest& nest, Draft& draft);

}  // namespace alt::search

#endif  // SERVER_SEARCH_SPACE_LAYOUT_RULE_RULES_H_
