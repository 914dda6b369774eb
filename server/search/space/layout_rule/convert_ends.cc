// ConvertibleEnds: fixed tensors at the ends of a nest.
//
// An output that the core itself writes, an input that the core itself reads as its data. The first
// choice converts an output whose innermost axis is not the channel: vectors over channels need no
// neighbours in the data and share one value of them. An input is read one value at a time, from
// any layout.

#include "server/search/space/layout_rule/rules.h"
#include "server/search/space/make_nests.h"

namespace alt::search {
namespace {

bool EndsWithChannel(const Nest& nest, const layout::Layout& layout) {
  return nest.channel == nullptr ||
         InnermostOf(layout, nest.core->output->shape).dim == DimOf(*nest.core, nest.channel->name);
}

}  // namespace

std::vector<ConvertibleEnd> ConvertibleEnds(const te::Graph& graph,
                                            const std::map<std::string, layout::Layout>& fixed) {
  std::vector<ConvertibleEnd> ends;
  for (const Nest& nest : MakeNests(graph)) {
    const auto is_fixed_end = [&](const ir::Buffer& tensor, te::Role role) {
      return graph.FindTensor(tensor)->role == role && fixed.contains(tensor->name);
    };
    const ir::Buffer& data = nest.roles.data.tensor;
    if (is_fixed_end(data, te::Role::kInput)) ends.push_back({data->name});
    const ir::Buffer& output = nest.core->output;
    if (is_fixed_end(output, te::Role::kOutput)) {
      ends.push_back({output->name, !EndsWithChannel(nest, fixed.at(output->name))});
    }
  }
  return ends;
}

}  // namespace alt::search
