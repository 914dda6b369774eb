// TilePositions: H, W -> H/h, W/w, .., h, w: a tile of the output stands together, and where a
// stage of the workload computes the data, what a tile reads stands together too (unfold), so that
// a tile is a small tensor of its own.
//
// Tiles divide their axis. A tile of one axis is whole in the others. First choice: none.

#include "server/search/space/layout_rule/rules.h"

namespace alt::search {

void TilePositions(Nest& nest, Draft& draft) {
  const std::string& stage = nest.core->name;
  const bool has_taps = !nest.windows.empty() && nest.depth != nullptr;
  if (nest.lanes != Lanes::kGroup && has_taps && nest.input_block == 0) {
    nest.depth_outside = draft.decide.Layout(stage + ".depth_outside", {0, 1}, 0) != 0;
  }
  if (nest.lanes != Lanes::kChannel || draft.IsFixed(nest.owner->output)) return;
  bool any = false;
  for (const AxisRole* position : nest.positions) {
    std::vector<int64_t> tiles =
        ProperDivisors(position->extent, {2, 4, 6, 7, 8, 12, 14, 16, 28, 32, 64});
    tiles.insert(tiles.begin(), 0);
    const int64_t tile = draft.decide.Layout(stage + ".tile_" + position->name, tiles, 0);
    nest.tiles[position->name] = tile;
    any = any || tile > 0;
  }
  if (!any) nest.tiles.clear();
  for (const AxisRole* position : nest.positions) {
    if (any && nest.tiles[position->name] == 0) nest.tiles[position->name] = position->extent;
  }
}

}  // namespace alt::search
