// TileRegisters: rows x columns x vectors whose sums stay in registers through the reduction.
//
// Legal: sums, one vector of the filter for each vector of the tile, and one of the data fit the
// registers. A short reduction (depthwise, pooling) may be completed for one vector after the other
// instead; then the unrolled body bounds the tile. First choice: the tile that keeps the
// multipliers busy, by
//
//   share of lanes, rows and columns that are no rest
//     x  sums / (sums + loads / 8)  x  min(1, sums / 8)
//
// (loads compete for issue slots; eight sums hide the latency of two multiply-add units).

#include <algorithm>
#include <initializer_list>

#include "common/base/math.h"
#include "server/search/space/loop_rule/rules.h"

namespace alt::search {
namespace {

constexpr int64_t kMostCompleteTaps = 49;
constexpr int64_t kMostCompleteBody = 320;  // its accesses to memory are compared with each other
const std::initializer_list<int64_t> kTiles = {1,  2,  3,  4,  5,  6,  7,  8, 9,
                                               10, 12, 13, 14, 16, 20, 24, 28};

std::vector<int64_t> VectorTiles(const Nest& nest, int64_t lanes) {
  const int64_t extent = nest.axes.vector.extent;
  std::vector<int64_t> tiles;
  const int64_t unit = nest.lanes == Lanes::kChannel ? nest.unit() : 0;
  if (unit > 1 && unit < nest.channel->extent) {
    // A vector reads one input channel: it stays within its group.
    for (int64_t tile = 1; tile <= std::min({unit, extent, 4 * lanes}); ++tile) {
      if (unit % tile == 0 && extent % tile == 0) tiles.push_back(tile);
    }
    const auto wide = std::lower_bound(tiles.begin(), tiles.end(), lanes / 4);
    if (wide != tiles.end()) tiles.erase(tiles.begin(), wide);
    return tiles;
  }
  tiles = UpTo(extent, {lanes / 4, lanes / 2, lanes, 2 * lanes, 3 * lanes, 4 * lanes});
  // A block of the layout is whole tiles, and so a whole number of the filter's packed blocks.
  const bool is_block =
      nest.channel != nullptr && extent < nest.channel->extent && nest.lanes == Lanes::kChannel;
  if (is_block) std::erase_if(tiles, [extent](int64_t tile) { return extent % tile != 0; });
  // A narrow axis may be one tile, of vectors of several widths: 14 is 8, 4 and 2.
  if (tiles.empty() || extent <= 4 * lanes) tiles.push_back(extent);
  if (nest.lanes == Lanes::kGroup) tiles = {extent};
  std::sort(tiles.begin(), tiles.end());
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  return tiles;
}

// Chooses tiles of one nest.
class RegisterTiler {
 public:
  RegisterTiler(const Nest& nest, const Draft& draft) : nest_(nest) {
    lanes_ = draft.lanes();
    registers_ = target::NumVectorRegisters(draft.target);
    for (const NamedAxis& axis : nest.axes.unrolled) unrolled_ *= axis.extent;
    row_ = nest.axes.row.extent;
    column_ = nest.axes.column.extent;
    transposes_ =
        nest.has_tail() && !IsPartOf(nest.axes.vector, draft.AxesOf(*nest.owner).back().name);
  }

  // The most rows x columns beside vectors of `tile` elements.
  int64_t MostRows(int64_t tile, bool complete) const {
    const int64_t vectors = VectorsIn(tile, lanes_) * unrolled_;
    if (complete) return std::max<int64_t>(1, kMostCompleteBody / (Taps(nest_) * vectors));
    // With several unrolled channels, the filter's vectors of one step are read one by one.
    const int64_t filter = VectorsIn(tile, lanes_);
    return std::max<int64_t>(1, (registers_ - 1 - filter) / vectors);
  }

  // What a tile is worth, by the formula above.
  double Worth(int64_t tile, int64_t columns, int64_t rows, bool complete) const {
    const double vectors = static_cast<double>(VectorsIn(tile, lanes_) * unrolled_);
    double sums = vectors * static_cast<double>(rows * columns);
    // Windows of inputs that a completed tile shares, with one sum in flight at a time: as large as
    // the registers hold them.
    if (complete) sums = std::min(sums, static_cast<double>(registers_ - 4));
    const double loads = vectors + static_cast<double>(rows * columns);
    // Blocks that are transposed on the way out are as wide as the columns.
    const bool narrow = transposes_ && columns < std::min<int64_t>(8, column_);
    return (narrow ? 0.9 : 1) * Share(nest_.axes.vector.extent, tile, lanes_) *
           Share(column_, columns, 1) * Share(row_, rows, 1) * sums / (sums + loads / 8) *
           std::min(1.0, sums / 8);
  }

  // The best rows for a tile and columns, and what they are worth.
  std::pair<int64_t, double> BestRows(int64_t tile, int64_t columns, bool complete) const {
    std::pair<int64_t, double> best{1, -1};
    for (const int64_t rows : RowTiles(tile, columns, complete)) {
      const double worth = Worth(tile, columns, rows, complete);
      if (worth > best.second) best = {rows, worth};
    }
    return best;
  }
  std::pair<int64_t, double> BestColumns(int64_t tile, bool complete) const {
    std::pair<int64_t, double> best{1, -1};
    for (const int64_t columns : ColumnTiles(tile, complete)) {
      const double worth = BestRows(tile, columns, complete).second;
      if (worth > best.second + 1e-9) best = {columns, worth};
    }
    return best;
  }
  int64_t BestVectors(const std::vector<int64_t>& tiles, bool complete) const {
    std::pair<int64_t, double> best{tiles[0], -1};
    for (const int64_t tile : tiles) {
      const double worth = BestColumns(tile, complete).second;
      if (worth > best.second + 1e-9) best = {tile, worth};
    }
    return best.first;
  }

  std::vector<int64_t> ColumnTiles(int64_t tile, bool complete) const {
    return UpTo(std::min(column_, MostRows(tile, complete)), kTiles);
  }
  std::vector<int64_t> RowTiles(int64_t tile, int64_t columns, bool complete) const {
    return UpTo(std::min(row_, MostRows(tile, complete) / columns), kTiles);
  }

 private:
  // Of an extent cut into tiles whose size is rounded up to `step`: the share that is no rest.
  static double Share(int64_t extent, int64_t tile, int64_t step) {
    const int64_t whole = extent / tile, rest = extent % tile;
    const int64_t one = VectorsIn(tile, step), last = VectorsIn(rest, step);
    // A rest is computed at the price of half of what it lacks.
    const double lacking = rest > 0 ? 0.5 * static_cast<double>(one - last) : 0;
    return static_cast<double>(extent) /
           (static_cast<double>(step) * (static_cast<double>(whole * one + last) + lacking));
  }

  const Nest& nest_;
  int64_t lanes_, registers_, unrolled_ = 1, row_, column_;
  bool transposes_;
};

}  // namespace

int64_t Taps(const Nest& nest) {
  int64_t taps = nest.depth != nullptr ? nest.depth->extent : 1;
  for (const AxisRole* window : nest.windows) taps *= window->extent;
  return taps;
}

int64_t VectorsIn(int64_t elements, int64_t lanes) {
  int64_t vectors = elements / lanes;
  for (int64_t rest = elements % lanes; rest > 0; rest &= rest - 1) ++vectors;
  return vectors;
}

int64_t VectorsOf(const Nest& nest, const Draft& draft) {
  int64_t vectors =
      VectorsIn(nest.plan.vector_tile, draft.lanes()) * nest.plan.row_tile * nest.plan.column_tile;
  for (const NamedAxis& axis : nest.axes.unrolled) vectors *= axis.extent;
  return vectors;
}

int64_t BodiesOf(const Nest& nest, bool inlined, bool unrolls_taps) {
  int64_t bodies = 1;
  const auto rests = [&bodies](const NamedAxis& axis, int64_t tile) {
    if (axis.exists() && tile < axis.extent && axis.extent % tile != 0) bodies *= 2;
  };
  const LoopPlan& plan = nest.plan;
  rests(nest.axes.row, plan.row_tile);
  rests(nest.axes.column, plan.column_tile);
  rests(nest.axes.vector, plan.vector_tile);
  if (!inlined || nest.producer == nullptr) return bodies;
  const te::Stage& producer = *nest.producer;
  if (producer.body->kind != ir::ExprKind::kSelect) return bodies;
  // A guard that names an unrolled or vectorized axis cuts the loop around it: first, middle, last.
  const auto cuts = [&](const NamedAxis& axis, int64_t tile) {
    for (const AxisRole* position : nest.positions) {
      if (!axis.exists() || !IsPartOf(axis, position->name) || position->data.dim < 0) continue;
      const auto dim = static_cast<size_t>(position->data.dim);
      const ir::Buffer& source = nest.producer_roles.data.tensor;
      const bool padded =
          source->shape.size() > dim && source->shape[dim] != producer.output->shape[dim];
      if (padded && (tile > 1 || unrolls_taps)) {
        bodies *= std::min<int64_t>(3, base::CeilDiv(position->extent, tile));
      }
    }
  };
  cuts(nest.axes.row, plan.row_tile);
  cuts(nest.axes.column, plan.column_tile);
  if (nest.lanes == Lanes::kPosition) cuts(nest.axes.vector, plan.vector_tile);
  return bodies;
}

void TileRegisters(Nest& nest, Draft& draft) {
  const std::string& stage = nest.core->name;
  const RegisterTiler tiler(nest, draft);
  LoopPlan& plan = nest.plan;
  const bool is_short = Taps(nest) <= kMostCompleteTaps && Taps(nest) > 1;
  const bool shallow = nest.depth == nullptr || nest.depth->extent == 1;
  plan.complete = draft.decide.Loop(stage + ".complete",
                                    is_short ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{0},
                                    shallow ? 1 : 0) != 0;
  const std::vector<int64_t> vectors = VectorTiles(nest, draft.lanes());
  plan.vector_tile =
      draft.decide.Loop(stage + ".vector_tile", vectors, tiler.BestVectors(vectors, plan.complete));
  plan.column_tile =
      draft.decide.Loop(stage + ".column_tile", tiler.ColumnTiles(plan.vector_tile, plan.complete),
                        tiler.BestColumns(plan.vector_tile, plan.complete).first);
  plan.row_tile = draft.decide.Loop(
      stage + ".row_tile", tiler.RowTiles(plan.vector_tile, plan.column_tile, plan.complete),
      tiler.BestRows(plan.vector_tile, plan.column_tile, plan.complete).first);
}

}  // namespace alt::search
