// OrderOuterLoops: blocks of rows first (what they read stays in a cache while the tiles of the
// block use it), then tiles of rows, columns and vectors in one of five orders.
//
// First choice: where the filter of all channels fits the second-level cache, blocks of rows around
// the channels, so that data stay in the first; else channels outside, so that each block of the
// filter is read once.

#include "common/base/math.h"
#include "server/search/space/loop_rule/rules.h"

namespace alt::search {
namespace {

constexpr int64_t kFilterInCache = 512 << 10;  // bytes

}  // namespace

Digits DigitsOf(const NamedAxis& axis, int64_t tile) {
  if (!axis.exists()) return {};
  if (tile >= axis.extent) return {{}, axis};
  if (tile == 1) return {axis, {}};
  return {{axis.name + ".0", base::CeilDiv(axis.extent, tile)}, {axis.name + ".1", tile}};
}

void OrderOuterLoops(Nest& nest, Draft& draft) {
  const std::string& stage = nest.core->name;
  LoopPlan& plan = nest.plan;
  const int64_t tiles = base::CeilDiv(nest.axes.row.extent, plan.row_tile);
  plan.row_block =
      draft.decide.Loop(stage + ".row_block", UpTo(tiles, {1, 2, 4, 7, 8, 14, 16, 28, 32, 64}),
                        std::min<int64_t>(8, base::CeilDiv(tiles, 2)));
  if (plan.row_block >= tiles) plan.row_block = 1;
  int64_t bytes = 4 * Taps(nest);
  if (nest.channel != nullptr) bytes *= nest.channel->extent;
  const bool keeps_filter = nest.roles.filter.defined() && bytes > kFilterInCache;
  plan.order = draft.decide.Loop(stage + ".order", {0, 1, 2, 3, 4}, keeps_filter ? 2 : 0);
}

std::vector<NamedAxis> OuterLoops(const Nest& nest) {
  const LoopPlan& plan = nest.plan;
  NamedAxis block, rows = DigitsOf(nest.axes.row, plan.row_tile).outer;
  if (plan.row_block > 1) {
    const int64_t tiles = base::CeilDiv(nest.axes.row.extent, plan.row_tile);
    block = {nest.axes.row.name + ".0", base::CeilDiv(tiles, plan.row_block)};
    rows = {nest.axes.row.name + ".1", plan.row_block};
  }
  const NamedAxis columns = DigitsOf(nest.axes.column, plan.column_tile).outer;
  const NamedAxis vectors = DigitsOf(nest.axes.vector, plan.vector_tile).outer;
  std::vector<NamedAxis> loops = nest.axes.batch;
  const auto add = [&loops](std::initializer_list<NamedAxis> more) {
    for (const NamedAxis& loop : more) {
      if (loop.exists()) loops.push_back(loop);
    }
  };
  switch (plan.order) {
    case 0:
      add({block, vectors, rows, columns});
      break;
    case 1:
      add({block, rows, vectors, columns});
      break;
    case 2:
      add({vectors, block, rows, columns});
      break;
    case 3:
      add({block, rows, columns, vectors});
      break;
    default:
      add({block, columns, vectors, rows});
  }
  return loops;
}

NamedAxis BlockLoop(const Nest& nest) {
  if (nest.plan.row_block > 1) return {nest.axes.row.name + ".0"};
  for (auto axis = nest.axes.batch.rbegin(); axis != nest.axes.batch.rend(); ++axis) {
    if (axis->extent > 1) return *axis;
  }
  return {};
}

}  // namespace alt::search
