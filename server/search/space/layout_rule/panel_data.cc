// PanelData: M, K -> M/t, K, t: what one step of the reduction reads for a register tile stands
// together. For data without windows; t is the tile of the last
// position. First choice: none, each row whole.

#include "server/search/space/layout_rule/rules.h"

namespace alt::search {

void PanelData(Nest& nest, Draft& draft) {
  const ir::Buffer& data = nest.roles.data.tensor;
  if (nest.depth == nullptr || nest.positions.empty() || draft.IsFixed(data)) return;
  const AxisRole& position = *nest.positions.back();
  if (position.slides || nest.tiled() || nest.input_block > 0) return;
  const int64_t tile = nest.lanes == Lanes::kPosition ? nest.plan.vector_tile
                       : nest.axes.column.exists()    ? nest.plan.column_tile
                                                      : nest.plan.row_tile;
  if (tile <= 1 || tile >= position.extent || position.data.dim < 0) return;
  if (draft.decide.Layout(nest.core->name + ".panels", {0, 1}, 0) == 0) return;
  const int p = position.data.dim, k = nest.depth->data.dim;
  LayoutWriter writer(static_cast<int>(data->shape.size()));
  writer.Split(p, {tile});
  std::vector<LayoutWriter::Part> order;
  for (int d = 0; d < static_cast<int>(data->shape.size()); ++d) {
    if (d != p && d != k) order.push_back({d, 0});
  }
  for (const LayoutWriter::Part& part : {LayoutWriter::Part{p, 0}, {k, 0}, {p, 1}}) {
    order.push_back(part);
  }
  draft.SetLayout(data, writer.Ordered(order));
}

}  // namespace alt::search
