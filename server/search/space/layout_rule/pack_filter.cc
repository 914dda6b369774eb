// PackFilter: the filter in the order in which the loops read it, so that it streams.
//
//   kChannel   B, C/v, taps and depth in the order of their loops, v     v: the vector tile
//   kPosition  B, C/r, taps and depth, r                                 r: the row tile
//   kGroup     B, G/g, taps and depth, C, g

#include <algorithm>

#include "server/search/space/layout_rule/rules.h"

namespace alt::search {

void PackFilter(Nest& nest, Draft& draft) {
  const ir::Buffer& filter = nest.roles.filter.tensor;
  if (!nest.roles.filter.defined() || nest.channel == nullptr) return;
  const int c = nest.channel->filter.dim;
  if (c < 0 || !nest.channel->filter.regular) return;
  LayoutWriter writer(static_cast<int>(filter->shape.size()));
  int levels = 1;
  if (nest.lanes == Lanes::kGroup) {
    const int64_t size = nest.channel->data.divisor;
    writer.Split(c, size > 1 ? std::vector<int64_t>{nest.lane_groups, size}
                             : std::vector<int64_t>{nest.lane_groups});
    levels = size > 1 ? 3 : 2;
  } else {
    const int64_t tile = nest.lanes == Lanes::kChannel ? nest.plan.vector_tile : nest.plan.row_tile;
    if (tile > 1 && tile < nest.channel->extent) {
      writer.Split(c, {tile});
      levels = 2;
    }
  }
  std::vector<int> reductions;
  const auto add = [&reductions](const AxisRole* axis) {
    if (axis != nullptr && axis->filter.used()) reductions.push_back(axis->filter.dim);
  };
  if (nest.depth_outside) add(nest.depth);
  for (const AxisRole* window : nest.windows) add(window);
  if (!nest.depth_outside) add(nest.depth);
  std::vector<LayoutWriter::Part> order;
  for (int d = 0; d < static_cast<int>(filter->shape.size()); ++d) {
    const bool inner = std::find(reductions.begin(), reductions.end(), d) != reductions.end();
    if (d != c && !inner) order.push_back({d, 0});
  }
  if (levels > 1) order.push_back({c, 0});
  for (const int d : reductions) order.push_back({d, 0});
  if (levels == 3) order.push_back({c, 2});
  order.push_back({c, levels > 1 ? 1 : 0});
  draft.SetLayout(filter, writer.Ordered(order));
}

}  // namespace alt::search
