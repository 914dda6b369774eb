// AssignAxes: the owner's axes, in its layout, by their part in the register tile.
//
//   vector    what the lanes run over
//   column    the last position, row the one before it; a single position is the row
//   kPosition lanes take the last position: the row is then the channel
//   batch     the rest, in their order: tiles and blocks of the layout among them
//
// Where positions are all one element, images take their place.

#include "server/search/space/loop_rule/rules.h"

namespace alt::search {

void AssignAxes(Nest& nest, const Draft& draft) {
  std::vector<NamedAxis> axes = draft.AxesOf(*nest.owner);
  TileAxes& parts = nest.axes;
  parts = {};
  std::vector<const AxisRole*> rows;
  for (const AxisRole* axis : nest.batch) {
    if (axis->part == AxisPart::kRow && axis->extent > 1) rows.push_back(axis);
  }
  size_t positions = 0;
  for (const AxisRole* axis : nest.positions) {
    if (axis->extent > 1) ++positions;
  }
  if (positions > 0 || rows.empty()) rows = nest.positions;
  switch (nest.lanes) {
    case Lanes::kGroup:
      parts.vector = TakeInnermost(nest.channel->name, axes);
      if (nest.channel->data.divisor > 1) {
        // Laid out as G/g .. C, g: the part before the lanes is whole in the tile.
        parts.unrolled = {TakeInnermost(nest.channel->name, axes)};
      }
      break;
    case Lanes::kPosition:
      parts.vector = TakeInnermost(nest.positions.back()->name, axes);
      if (!rows.empty() && rows.back() == nest.positions.back()) rows.pop_back();
      if (nest.channel != nullptr) parts.row = TakeInnermost(nest.channel->name, axes);
      if (!rows.empty()) parts.column = TakeInnermost(rows.back()->name, axes);
      break;
    case Lanes::kChannel:
      if (nest.channel != nullptr) parts.vector = TakeInnermost(nest.channel->name, axes);
      break;
  }
  if (nest.lanes != Lanes::kPosition && !rows.empty()) {
    if (rows.size() > 1) {
      parts.column = TakeInnermost(rows.back()->name, axes);
      rows.pop_back();
    }
    parts.row = TakeInnermost(rows.back()->name, axes);
  }
  parts.batch = std::move(axes);
}

}  // namespace alt::search
