#include "server/search/space/main_loops.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/math.h"
#include "common/base/status_macros.h"

namespace alt::search {
namespace {

using schedule::Instruction;

constexpr int64_t kMaxWindowUnroll = 8;
constexpr int64_t kMaxWindowTaps = 49;  // reductions unrolled whole, and no more

// The decisions of a point, cut to the extents at hand.
struct Decisions {
  int64_t row_tile, row_block, column_tile, vector_tile, depth_block, depth_unroll, window_unroll;
  int64_t order, complete, producer, prefetch;
};

Decisions Read(const Parts& parts, const Knobs& knobs, const Point& point) {
  const auto value = [&](const char* name) { return knobs.Value(point, name); };
  Decisions d;
  d.row_tile = std::min(value("row_tile"), parts.row.extent);
  d.column_tile = std::min(value("column_tile"), parts.column.extent);
  d.vector_tile = std::min(value("vector_tile"), parts.vector.extent);
  d.row_block = std::min(value("row_block"), base::CeilDiv(parts.row.extent, d.row_tile));
  d.depth_block = value("depth_block") < parts.depth.extent ? value("depth_block") : 0;
  d.depth_unroll = std::min(value("depth_unroll"), parts.depth.extent);
  d.window_unroll = value("window_unroll");
  d.order = value("order");
  d.complete = value("complete");
  d.producer = value("producer");
  d.prefetch = value("prefetch");
  return d;
}

// Collects instructions on the main stage; loops are named as the splits name them.
class LoopWriter {
 public:
  LoopWriter(const Parts& parts, const Decisions& d, const target::Target& target)
      : parts_(parts), d_(d), target_(target) {}

  absl::StatusOr<schedule::Trace> Write(const std::vector<ProducerAxis>& producer_axes) {
    ALT_RETURN_IF_ERROR(CheckRegisters());
    if (d_.producer == kInlined && !parts_.producer.empty()) {
      trace_.instructions.push_back(schedule::Inline{parts_.producer});
    }
    TileSpatial();
    TileReduction();
    Order();
    ALT_RETURN_IF_ERROR(PlaceProducer(producer_axes));
    Annotate();
    return std::move(trace_);
  }

 private:
  absl::Status CheckRegisters() const {
    int64_t rows = d_.row_tile * d_.column_tile;
    for (const NamedAxis& axis : parts_.unrolled) rows *= axis.extent;
    const int64_t vectors = base::CeilDiv(d_.vector_tile, target::VecLanes(target_));
    // A tile that is completed one output at a time holds a window of inputs, not its sums.
    const int64_t needed = d_.complete ? vectors + 2 : rows * vectors + vectors + 1;
    const int registers = target::NumVectorRegisters(target_);
    if (needed > registers) {
      return absl::FailedPreconditionError(
          absl::StrCat("the tile needs ", needed, " vector registers of ", registers));
    }
    if (d_.complete && rows * Taps() * vectors > 640) {
      return absl::FailedPreconditionError("the unrolled tile is too large");
    }
    return absl::OkStatus();
  }

  int64_t Taps() const {
    int64_t taps = parts_.depth.extent;
    for (const NamedAxis& window : parts_.windows) taps *= window.extent;
    return taps;
  }

  void Split(const std::string& axis, std::vector<int64_t> factors) {
    trace_.instructions.push_back(schedule::Split{parts_.stage, axis, std::move(factors)});
  }

  void TileSpatial() {
    const std::string& row = parts_.row.name;
    if (!row.empty() && d_.row_block > 1 && d_.row_block * d_.row_tile < parts_.row.extent) {
      Split(row, {d_.row_block, d_.row_tile});
      row_outer_ = row + ".0", row_middle_ = row + ".1", row_inner_ = row + ".2";
    } else if (!row.empty()) {
      SplitInTwo(parts_.row, d_.row_tile, row_middle_, row_inner_);
    }
    if (!parts_.column.name.empty()) {
      SplitInTwo(parts_.column, d_.column_tile, column_outer_, column_inner_);
    }
    SplitInTwo(parts_.vector, d_.vector_tile, vector_outer_, vector_inner_);
  }

  // A tile of one leaves the loop outside, a tile of all leaves it inside.
  void SplitInTwo(const NamedAxis& axis, int64_t tile, std::string& outer, std::string& inner) {
    if (tile >= axis.extent) {
      inner = axis.name;
    } else if (tile == 1) {
      outer = axis.name;
    } else {
      Split(axis.name, {tile});
      outer = axis.name + ".0";
      inner = axis.name + ".1";
    }
  }

  void TileReduction() {
    const std::string& depth = parts_.depth.name;
    if (depth.empty()) return;
    const bool unroll = !d_.complete && d_.depth_unroll > 1;
    depth_inner_ = depth;
    if (!d_.complete && parts_.depth_split > 0) {
      FollowLayoutBlocks(unroll);
    } else if (!d_.complete && d_.depth_block > 0) {
      if (unroll && d_.depth_unroll < d_.depth_block) {
        Split(depth, {base::CeilDiv(d_.depth_block, d_.depth_unroll), d_.depth_unroll});
        depth_outer_ = depth + ".0", depth_inner_ = depth + ".1", depth_unrolled_ = depth + ".2";
      } else {
        Split(depth, {d_.depth_block});
        depth_outer_ = depth + ".0", depth_inner_ = depth + ".1";
      }
    } else if (unroll && d_.depth_unroll < parts_.depth.extent) {
      Split(depth, {d_.depth_unroll});
      depth_inner_ = depth + ".0", depth_unrolled_ = depth + ".1";
    }
  }

  // Blocks of the layout are a loop of their own, outside of the taps or next to the inner loop: an
  // address then needs no division.
  void FollowLayoutBlocks(bool unroll) {
    const std::string& depth = parts_.depth.name;
    if (unroll && d_.depth_unroll < parts_.depth_split) {
      Split(depth, {base::CeilDiv(parts_.depth_split, d_.depth_unroll), d_.depth_unroll});
      depth_unrolled_ = depth + ".2";
    } else {
      Split(depth, {parts_.depth_split});
    }
    (d_.depth_block > 0 ? depth_outer_ : depth_middle_) = depth + ".0";
    depth_inner_ = depth + ".1";
  }

  std::vector<std::string> OuterLoops() const {
    // Blocks of rows first: what they read stays in a cache while tiles of the block use it.
    switch (d_.order) {
      case 0:
        return {row_outer_, vector_outer_, row_middle_, column_outer_};
      case 1:
        return {row_outer_, row_middle_, vector_outer_, column_outer_};
      case 2:
        return {vector_outer_, row_outer_, row_middle_, column_outer_};
      case 3:
        return {row_outer_, row_middle_, column_outer_, vector_outer_};
      default:
        return {row_outer_, column_outer_, vector_outer_, row_middle_};
    }
  }

  std::vector<std::string> ReductionLoops() const {
    std::vector<std::string> loops{depth_outer_};
    for (const NamedAxis& window : parts_.windows) loops.push_back(window.name);
    loops.push_back(depth_middle_);
    loops.push_back(depth_inner_);
    loops.push_back(depth_unrolled_);
    return loops;
  }

  std::vector<std::string> TileLoops() const {
    std::vector<std::string> loops{column_inner_, row_inner_};
    for (const NamedAxis& axis : parts_.unrolled) loops.push_back(axis.name);
    return loops;
  }

  void Order() {
    schedule::Reorder reorder{parts_.stage, {}};
    const auto add = [&reorder](const std::vector<std::string>& loops) {
      for (const std::string& loop : loops) {
        if (!loop.empty()) reorder.axes.push_back(loop);
      }
    };
    for (const NamedAxis& axis : parts_.batch) add({axis.name});
    add(OuterLoops());
    if (d_.complete) {
      add(TileLoops());
      add(ReductionLoops());
    } else {
      add(ReductionLoops());
      add(TileLoops());
    }
    add({vector_inner_});
    trace_.instructions.push_back(std::move(reorder));
  }

  absl::Status PlaceProducer(const std::vector<ProducerAxis>& axes) {
    if (parts_.producer.empty() || d_.producer == kInlined) return absl::OkStatus();
    if (d_.producer == kAtBlock) {
      const std::string at = BlockLoop();
      if (at.empty())
        return absl::FailedPreconditionError("there is no block to compute the producer at");
      trace_.instructions.push_back(schedule::ComputeAt{parts_.producer, parts_.stage, at});
    } else if (target_.threads > 1) {
      for (const ProducerAxis& axis : axes) {
        if (&axis == &axes.back() || axis.extent < 2 * target_.threads) continue;
        trace_.instructions.push_back(schedule::Parallel{parts_.producer, axis.name});
        break;
      }
    }
    VectorizeProducer(axes.back());
    return absl::OkStatus();
  }

  void VectorizeProducer(const ProducerAxis& axis) {
    if (axis.extent <= 1) return;
    std::string loop = axis.name;
    // Long rows run as a loop of whole vectors.
    if (axis.extent > 8 * target::VecLanes(target_)) {
      const int64_t least = d_.producer == kAtBlock ? axis.least : axis.extent;
      trace_.instructions.push_back(schedule::Split{
          parts_.producer, loop, {std::min<int64_t>(4 * target::VecLanes(target_), least)}});
      loop += ".1";
    }
    trace_.instructions.push_back(schedule::Vectorize{parts_.producer, loop, 0});
  }

  // The outermost loop over blocks of rows (or of tiles, where the layout has them).
  std::string BlockLoop() const {
    if (!row_outer_.empty()) return row_outer_;
    for (auto axis = parts_.batch.rbegin(); axis != parts_.batch.rend(); ++axis) {
      if (axis->extent > 1) return axis->name;
    }
    return "";
  }

  void Annotate() {
    const auto unroll = [this](const std::string& loop) {
      if (!loop.empty()) trace_.instructions.push_back(schedule::Unroll{parts_.stage, loop});
    };
    if (target_.threads > 1) Parallelize();
    for (const std::string& loop : TileLoops()) unroll(loop);
    for (size_t i = 0; i < parts_.windows.size(); ++i) {
      const int64_t inner = static_cast<int64_t>(parts_.windows.size() - i);
      const bool is_short = parts_.windows[i].extent <= kMaxWindowUnroll;
      if (d_.complete || (is_short && d_.window_unroll >= inner)) unroll(parts_.windows[i].name);
    }
    if (d_.complete && parts_.depth.extent > 1) unroll(depth_inner_);
    unroll(depth_unrolled_);
    if (!vector_inner_.empty()) {
      trace_.instructions.push_back(schedule::Vectorize{parts_.stage, vector_inner_, 0});
    }
    if (d_.prefetch > 0 && !d_.complete && !depth_inner_.empty()) {
      trace_.instructions.push_back(
          schedule::Prefetch{parts_.stage, depth_inner_, parts_.streamed, d_.prefetch});
    }
  }

  void Parallelize() {
    std::vector<std::pair<std::string, int64_t>> loops;
    for (const NamedAxis& axis : parts_.batch) loops.emplace_back(axis.name, axis.extent);
    for (const std::string& loop : OuterLoops()) loops.emplace_back(loop, IterationsOf(loop));
    for (const auto& [loop, iterations] : loops) {
      if (loop.empty() || iterations < target_.threads) continue;
      trace_.instructions.push_back(schedule::Parallel{parts_.stage, loop});
      return;
    }
  }

  int64_t IterationsOf(const std::string& loop) const {
    if (loop.empty()) return 1;
    if (loop == row_outer_) return base::CeilDiv(parts_.row.extent, d_.row_block * d_.row_tile);
    if (loop == row_middle_) {
      return row_outer_.empty() ? base::CeilDiv(parts_.row.extent, d_.row_tile) : d_.row_block;
    }
    if (loop == column_outer_) return base::CeilDiv(parts_.column.extent, d_.column_tile);
    return base::CeilDiv(parts_.vector.extent, d_.vector_tile);
  }

  const Parts& parts_;
  const Decisions& d_;
  const target::Target& target_;
  schedule::Trace trace_;
  std::string row_outer_, row_middle_, row_inner_, column_outer_, column_inner_, vector_outer_,
      vector_inner_, depth_outer_, depth_middle_, depth_inner_, depth_unrolled_;
};

std::vector<int64_t> VectorTiles(const Parts& parts, int64_t lanes) {
  std::vector<int64_t> tiles =
      UpTo(parts.vector.extent, {lanes / 2, lanes, 2 * lanes, 3 * lanes, 4 * lanes});
  // Twenty channels a group are no multiple of eight or sixteen lanes.
  for (int64_t tile = lanes / 4; tile <= std::min(parts.vector_unit, 4 * lanes); ++tile) {
    if (parts.vector_unit % tile == 0) tiles.push_back(tile);
  }
  // A narrow axis may be one tile, of vectors of several widths: 14 is 8, 4 and 2.
  if (tiles.empty() || parts.vector.extent <= 4 * lanes) tiles.push_back(parts.vector.extent);
  std::sort(tiles.begin(), tiles.end());
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  return tiles;
}

}  // namespace

std::vector<NamedAxis> PhysicalAxes(const layout::Layout& layout, const std::vector<int64_t>& shape,
                                    const std::vector<std::string>& names) {
  const auto bound = layout::BoundLayout::Create(layout, shape);
  ALT_CHECK_OK(bound);
  const auto named = bound->PhysicalNames(names);
  ALT_CHECK_OK(named);
  const std::vector<std::string>& physical = *named;
  std::vector<NamedAxis> axes;
  for (size_t i = 0; i < physical.size(); ++i) {
    axes.push_back({physical[i], bound->physical_shape()[i]});
  }
  return axes;
}

void AddLoopKnobs(const Parts& parts, const target::Target& target, Knobs& knobs) {
  knobs.Add("vector_tile", VectorTiles(parts, target::VecLanes(target)));
  knobs.Add("row_tile",
            UpTo(parts.row.extent, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16, 20, 24, 28}));
  knobs.Add("column_tile",
            UpTo(parts.column.extent, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16, 20, 24, 28}));
  knobs.Add("row_block", UpTo(parts.row.extent, {1, 2, 4, 7, 8, 14, 16, 28, 32, 64}));
  std::vector<int64_t> blocks = UpTo(parts.depth.extent - 1, {16, 32, 64, 128, 256, 512});
  blocks.insert(blocks.begin(), 0);
  knobs.Add("depth_block", blocks);
  knobs.Add("depth_unroll", UpTo(std::max<int64_t>(1, parts.depth.extent), {1, 2, 4, 8}));
  std::vector<int64_t> windows{0};
  for (size_t i = 0; i < parts.windows.size(); ++i) windows.push_back(static_cast<int64_t>(i + 1));
  knobs.Add("window_unroll", windows);
  int64_t taps = parts.depth.extent;
  for (const NamedAxis& window : parts.windows) taps *= window.extent;
  knobs.Add("complete",
            taps <= kMaxWindowTaps ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{0});
  knobs.Add("order", {0, 1, 2, 3, 4});
  knobs.Add("producer", parts.producer.empty() ? std::vector<int64_t>{kAtRoot}
                                               : std::vector<int64_t>{kAtRoot, kAtBlock, kInlined});
  knobs.Add("prefetch", {0, 8, 16, 32, 64});
}

absl::StatusOr<schedule::Trace> BuildLoops(const Parts& parts, const Knobs& knobs,
                                           const Point& point, const target::Target& target,
                                           const std::vector<ProducerAxis>& producer_axes) {
  const Decisions decisions = Read(parts, knobs, point);
  return LoopWriter(parts, decisions, target).Write(producer_axes);
}

}  // namespace alt::search
