// LayOutTensors: the decisions on lanes, blocks and tiles, as layouts.
//
//              output                           data
//   kChannel   B, P.., C                        B, P.., I
//     blocks   B, C/c, P.., c                   B, I/i, P.., i
//     tiles    B, P/p.., C/c, p.., c            B, P/p.., I/i, what p.. reads, i
//   kPosition  B, C, P..                        B, I, P..
//   kGroup     B, G/g, P.., C, g                B, G/g, P.., I, g
//
// B: images, groups, batched matrices; P: positions; C: the channel; I: the data's channels.

#include <algorithm>

#include "common/base/check.h"
#include "server/search/space/layout_rule/rules.h"

namespace alt::search {
namespace {

using Part = LayoutWriter::Part;

// A tensor's dimensions by their meaning, and how they are taken apart.
struct Dims {
  std::vector<int> batch, positions;
  int channel = -1;
  int64_t channel_block = 0;  // 0: whole
  int64_t group_size = 1;     // kGroup: channels of a group
  struct Window {
    int64_t size, stride;
  };
  std::vector<Window> tiles;  // of the positions; empty: none
  bool unfolds = false;       // tiles overlap
};

layout::Layout Write(const Dims& dims, const Nest& nest, const std::vector<int64_t>& shape) {
  LayoutWriter writer(static_cast<int>(shape.size()));
  const int64_t block = dims.channel < 0 ? 0
                        : dims.channel_block == 0 && !dims.tiles.empty()
                            ? shape[static_cast<size_t>(dims.channel)]
                            : dims.channel_block;
  const bool groups = nest.lanes == Lanes::kGroup;
  // In the order of the dimensions: texts read better.
  for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
    if (d == dims.channel && groups) {
      writer.Split(d, dims.group_size > 1 ? std::vector<int64_t>{nest.lane_groups, dims.group_size}
                                          : std::vector<int64_t>{nest.lane_groups});
    } else if (d == dims.channel && block > 0) {
      writer.Split(d, {block});
    }
    const auto position = std::find(dims.positions.begin(), dims.positions.end(), d);
    if (position == dims.positions.end() || dims.tiles.empty()) continue;
    const Dims::Window& tile = dims.tiles[static_cast<size_t>(position - dims.positions.begin())];
    if (dims.unfolds) {
      writer.Unfold(d, tile.size, tile.stride);
    } else {
      writer.Split(d, {tile.size});
    }
  }
  std::vector<Part> order;
  const auto add = [&order](const std::vector<int>& list, int level) {
    for (const int d : list) order.push_back({d, level});
  };
  add(dims.batch, 0);
  const int c = dims.channel;
  if (c < 0) {
    add(dims.positions, 0);
  } else if (groups) {
    order.push_back({c, 0});
    add(dims.positions, 0);
    if (dims.group_size > 1) order.push_back({c, 2});
    order.push_back({c, 1});
  } else if (nest.lanes == Lanes::kPosition) {
    order.push_back({c, 0});
    add(dims.positions, 0);
  } else if (!dims.tiles.empty()) {
    add(dims.positions, 0);
    order.push_back({c, 0});
    add(dims.positions, 1);
    order.push_back({c, 1});
  } else {
    if (block > 0) order.push_back({c, 0});
    add(dims.positions, 0);
    order.push_back({c, block > 0 ? 1 : 0});
  }
  return writer.Ordered(order);
}

Dims OutputDims(const Nest& nest) {
  Dims dims;
  for (const AxisRole* axis : nest.batch) dims.batch.push_back(DimOf(*nest.core, axis->name));
  for (const AxisRole* axis : nest.positions) {
    dims.positions.push_back(DimOf(*nest.core, axis->name));
    if (nest.tiled()) dims.tiles.push_back({nest.tiles.at(axis->name), 0});
  }
  if (nest.channel != nullptr) {
    dims.channel = DimOf(*nest.core, nest.channel->name);
    dims.group_size = nest.channel->data.divisor;
  }
  dims.channel_block = nest.channel_block;
  return dims;
}

// Inputs that `tile` neighbouring positions read, in one dimension.
Dims::Window WindowOf(const Nest& nest, const AxisRole& position, int64_t tile) {
  int64_t taps = 1;
  for (const AxisRole* window : nest.windows) {
    if (window->data.dim == position.data.dim) taps += window->data.step * (window->extent - 1);
  }
  return {position.data.step * (tile - 1) + taps, position.data.step * tile};
}

Dims DataDims(const Nest& nest) {
  Dims dims;
  const AxisRole* channels = nest.depth != nullptr ? nest.depth : nest.channel;
  if (channels != nullptr) dims.channel = channels->data.dim;
  for (const AxisRole* axis : nest.positions) {
    dims.positions.push_back(axis->data.dim);
    if (!nest.tiled()) continue;
    dims.tiles.push_back(WindowOf(nest, *axis, nest.tiles.at(axis->name)));
    dims.unfolds = dims.unfolds || axis->slides;
  }
  const int rank = static_cast<int>(nest.roles.data.tensor->shape.size());
  for (int d = 0; d < rank; ++d) {
    const bool is_position =
        std::find(dims.positions.begin(), dims.positions.end(), d) != dims.positions.end();
    if (d != dims.channel && !is_position) dims.batch.push_back(d);
  }
  if (nest.channel != nullptr) dims.group_size = nest.channel->data.step;
  dims.channel_block = nest.input_block;
  return dims;
}

// Each dimension of the data has one meaning.
bool IsRegular(const Nest& nest) {
  std::vector<int> seen;
  for (const AxisRole* axis : nest.positions) {
    const AxisUse& use = axis->data;
    if (!use.used() || !use.regular) return false;
    if (std::find(seen.begin(), seen.end(), use.dim) != seen.end()) return false;
    seen.push_back(use.dim);
  }
  return true;
}

}  // namespace

void LayOutTensors(Nest& nest, Draft& draft) {
  const Dims output = OutputDims(nest);
  draft.SetLayout(nest.owner->output, Write(output, nest, nest.owner->output->shape));
  if (nest.has_tail()) {
    // What the tail reads is a tile of its own, in the order of the vectors.
    Dims tile = output;
    tile.channel_block = 0;
    tile.tiles.clear();
    draft.SetLayout(nest.core->output, Write(tile, nest, nest.core->output->shape));
  }
  if (!IsRegular(nest)) return;
  const ir::Buffer& data = nest.roles.data.tensor;
  Dims dims = DataDims(nest);
  draft.SetLayout(data, Write(dims, nest, data->shape));
  if (nest.producer == nullptr) return;
  // The producer reads element for element: its own data stand in the same order, without tiles.
  const StageRoles& roles = nest.producer_roles;
  const te::Tensor* source =
      roles.data.defined() ? draft.graph.FindTensor(roles.data.tensor) : nullptr;
  if (source == nullptr || source->role != te::Role::kInput ||
      source->buffer->shape.size() != data->shape.size()) {
    return;
  }
  dims.tiles.clear();
  draft.SetLayout(source->buffer, Write(dims, nest, source->buffer->shape));
}

}  // namespace alt::search
