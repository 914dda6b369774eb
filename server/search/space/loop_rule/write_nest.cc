// WriteNest: the instructions of a planned nest.
//
//   inline(tail stages but the last), inline(producer)
//   splits and order of the owner's loops
//   compute_at(core, owner's innermost loop over tiles)    where there is a tail
//   splits and order of the core's reductions and tile
//   place and vectors of the producer
//   parallel, unroll, vectorize, prefetch

#include <algorithm>

#include "common/base/math.h"
#include "common/te/stage.h"
#include "server/search/space/loop_rule/rules.h"

namespace alt::search {
namespace {

constexpr int64_t kMostTransposed = 128, kTransposed = 64;  // iterations of a transposed loop

class NestWriter {
 public:
  NestWriter(const Nest& nest, Draft& draft)
      : nest_(nest), draft_(draft), plan_(nest.plan), outer_(OuterLoops(nest)) {}

  void Write() {
    for (const te::Stage* stage : nest_.inlined) draft_.Add(schedule::Inline{stage->name});
    if (nest_.producer != nullptr && plan_.place == ProducerPlace::kInlined) {
      draft_.Add(schedule::Inline{nest_.producer->name});
    }
    tile_ = SplitOwner();
    if (nest_.has_tail()) {
      if (IsTransposed()) {
        // Stored in vectors along the column, where the sums' vectors run over another axis.
        Order(*nest_.owner, {outer_, {tile_.row}, tile_.unrolled, {tile_.vector, tile_.column}});
      } else {
        Order(*nest_.owner, {outer_, tile_.loops(), {tile_.vector}});
      }
      if (!outer_.empty()) {
        draft_.Add(schedule::ComputeAt{nest_.core->name, nest_.owner->name, outer_.back().name});
      }
      core_ = AxesOfCore();
    } else {
      core_ = tile_;
      core_.outer = outer_;
    }
    SplitReduction();
    OrderCore();
    WriteProducer();
    Annotate();
  }

 private:
  // Loops of one stage around and in the register tile.
  struct Tile {
    std::vector<NamedAxis> outer;
    NamedAxis column, row;
    std::vector<NamedAxis> unrolled;
    NamedAxis vector;
    std::vector<NamedAxis> loops() const {
      std::vector<NamedAxis> all{column, row};
      all.insert(all.end(), unrolled.begin(), unrolled.end());
      return all;
    }
  };

  void Split(const std::string& stage, const std::string& axis, std::vector<int64_t> factors) {
    draft_.Add(schedule::Split{stage, axis, std::move(factors)});
  }

  NamedAxis SplitInTwo(const NamedAxis& axis, int64_t tile) {
    const Digits digits = DigitsOf(axis, tile);
    if (digits.split()) Split(nest_.owner->name, axis.name, {tile});
    return digits.inner;
  }

  Tile SplitOwner() {
    Tile tile;
    const NamedAxis& row = nest_.axes.row;
    if (plan_.row_block > 1 && plan_.row_tile > 1) {
      Split(nest_.owner->name, row.name, {plan_.row_block, plan_.row_tile});
      tile.row = {row.name + ".2", plan_.row_tile};
    } else if (plan_.row_block > 1) {
      Split(nest_.owner->name, row.name, {plan_.row_block});
    } else {
      tile.row = SplitInTwo(row, plan_.row_tile);
    }
    tile.column = SplitInTwo(nest_.axes.column, plan_.column_tile);
    tile.vector = SplitInTwo(nest_.axes.vector, plan_.vector_tile);
    tile.unrolled = nest_.axes.unrolled;
    return tile;
  }

  // Inside the owner's loops the core covers one tile.
  Tile AxesOfCore() {
    std::vector<NamedAxis> axes = draft_.AxesOf(*nest_.core);
    Tile tile;
    tile.vector = axes.back();
    axes.pop_back();
    const auto take = [&](const NamedAxis& like) {
      const std::string logical = like.name.substr(0, like.name.find('.'));
      return like.exists() ? TakeInnermost(logical, axes) : NamedAxis{};
    };
    for (const NamedAxis& like : nest_.axes.unrolled) tile.unrolled.push_back(take(like));
    tile.column = take(nest_.axes.column);
    tile.row = take(nest_.axes.row);
    tile.outer = std::move(axes);
    return tile;
  }

  void SplitReduction() {
    if (nest_.depth == nullptr) return;
    const std::string& depth = nest_.depth->name;
    depth_inner_ = depth;
    if (plan_.complete || nest_.depth_outside) return;
    const int64_t layout_block = LayoutBlock();
    const int64_t block = layout_block > 0 ? layout_block : plan_.depth_block;
    const bool unroll = plan_.depth_unroll > 1;
    if (block > 0 && unroll && plan_.depth_unroll < block) {
      Split(nest_.core->name, depth,
            {base::CeilDiv(block, plan_.depth_unroll), plan_.depth_unroll});
      depth_inner_ = depth + ".1", depth_unrolled_ = depth + ".2";
    } else if (block > 0) {
      Split(nest_.core->name, depth, {block});
      depth_inner_ = depth + ".1";
    } else if (unroll && plan_.depth_unroll < nest_.depth->extent) {
      Split(nest_.core->name, depth, {plan_.depth_unroll});
      depth_inner_ = depth + ".0", depth_unrolled_ = depth + ".1";
      return;
    } else {
      return;
    }
    // Outside of the taps, or next to the inner loop.
    (plan_.depth_block > 0 ? depth_outer_ : depth_middle_) = depth + ".0";
  }

  // The block of channels in the data's layout that the loop must follow; 0: none.
  int64_t LayoutBlock() const {
    const AxisUse& channel = nest_.channel != nullptr ? nest_.channel->data : AxisUse{};
    if (channel.used() && channel.dim == nest_.depth->data.dim) return 0;  // within a group
    return nest_.input_block < nest_.depth->extent ? nest_.input_block : 0;
  }

  std::vector<std::string> ReductionLoops() const {
    std::vector<std::string> loops{depth_outer_};
    if (nest_.depth_outside) loops.push_back(depth_inner_);
    for (const AxisRole* window : nest_.windows) loops.push_back(window->name);
    loops.push_back(depth_middle_);
    if (!nest_.depth_outside) loops.push_back(depth_inner_);
    loops.push_back(depth_unrolled_);
    return loops;
  }

  void Order(const te::Stage& stage, const std::vector<std::vector<NamedAxis>>& parts) {
    schedule::Reorder reorder{stage.name, {}};
    for (const std::vector<NamedAxis>& part : parts) {
      for (const NamedAxis& loop : part) {
        if (loop.exists()) reorder.axes.push_back(loop.name);
      }
    }
    draft_.Add(std::move(reorder));
  }

  void OrderCore() {
    std::vector<NamedAxis> reductions;
    for (const std::string& loop : ReductionLoops()) reductions.push_back({loop});
    if (plan_.complete) {
      Order(*nest_.core, {core_.outer, core_.loops(), reductions, {core_.vector}});
    } else {
      Order(*nest_.core, {core_.outer, reductions, core_.loops(), {core_.vector}});
    }
  }

  void WriteProducer() {
    if (nest_.producer == nullptr || plan_.place == ProducerPlace::kInlined) return;
    const te::Stage& producer = *nest_.producer;
    const std::vector<NamedAxis> axes = draft_.AxesOf(producer);
    if (plan_.place == ProducerPlace::kAtBlock) {
      draft_.Add(schedule::ComputeAt{producer.name, nest_.owner->name, BlockLoop(nest_).name});
    } else if (draft_.target.threads > 1) {
      for (size_t i = 0; i + 1 < axes.size(); ++i) {
        if (axes[i].extent < 2 * draft_.target.threads) continue;
        draft_.Add(schedule::Parallel{producer.name, axes[i].name});
        break;
      }
    }
    if (axes.back().extent > 1) WriteCopy(producer, axes);
  }

  // Vectors along the innermost axis of what the producer writes; where it reads along another one,
  // blocks are transposed in registers.
  void WriteCopy(const te::Stage& stage, const std::vector<NamedAxis>& axes) {
    const ir::Buffer& source = nest_.producer_roles.data.tensor;
    const Innermost block = source != nullptr ? draft_.InnermostOf(source) : Innermost{};
    const std::string read = AxisOfReads(block.dim);
    if (read.empty() || IsPartOf(axes.back(), read)) {
      Vectorize(stage, SplitLong(stage, axes.back()));
      return;
    }
    const NamedAxis writes = SplitLong(stage, axes.back());
    std::vector<NamedAxis> outer(axes.begin(), axes.end() - 1);
    const NamedAxis along = TakeInnermost(read, outer);
    if (writes.name != axes.back().name) outer.push_back({axes.back().name + ".0"});
    NamedAxis reads = along;
    // Within a block of the layout that is read.
    int64_t most = along.extent > kMostTransposed ? kTransposed : along.extent;
    if (block.extent < source->shape[static_cast<size_t>(block.dim)]) {
      most = std::min(most, block.extent);
    }
    if (along.extent > most) {
      Split(stage.name, along.name, {most});
      outer.push_back({along.name + ".0"});
      reads = {along.name + ".1", most};
    }
    Order(stage, {outer, {writes, reads}});
    Transpose(stage, writes, reads);
  }

  // The axis along which the producer reads neighbours, that dimension being innermost in what it
  // reads; "" where there is none.
  std::string AxisOfReads(int dim) const {
    for (const AxisRole& axis : nest_.producer_roles.spatial) {
      if (axis.data.dim == dim && axis.data.step == 1) return axis.name;
    }
    return "";
  }

  // Long rows run as a loop of whole vectors. At a block the stage may cover less: no split there
  // is wider than what one vector of the core reads.
  NamedAxis SplitLong(const te::Stage& stage, const NamedAxis& axis) {
    const int64_t lanes = draft_.lanes();
    if (axis.extent <= 8 * lanes) return axis;
    const int64_t least = plan_.place == ProducerPlace::kAtBlock ? ReadByOneVector() : axis.extent;
    const int64_t size = std::min(4 * lanes, least);
    Split(stage.name, axis.name, {size});
    return {axis.name + ".1", size};
  }

  // Of the data's innermost axis: what one vector tile needs.
  int64_t ReadByOneVector() const {
    const AxisRole* lanes =
        nest_.lanes == Lanes::kPosition ? nest_.positions.back() : nest_.channel;
    if (lanes == nullptr) return 1;
    if (nest_.lanes == Lanes::kPosition) return plan_.vector_tile;
    if (nest_.lanes == Lanes::kGroup) return nest_.lane_groups;
    const int64_t depth = nest_.depth != nullptr ? nest_.depth->extent : 1;
    if (!lanes->data.used()) return depth;
    return std::max<int64_t>(1, plan_.vector_tile / lanes->data.divisor) * depth;
  }

  void Annotate() {
    if (draft_.target.threads > 1) Parallelize();
    const auto unroll = [this](const te::Stage& stage, const std::string& loop) {
      if (!loop.empty()) draft_.Add(schedule::Unroll{stage.name, loop});
    };
    for (const NamedAxis& loop : core_.loops()) unroll(*nest_.core, loop.name);
    const size_t windows = nest_.windows.size();
    for (size_t i = 0; i < windows; ++i) {
      const auto inner = static_cast<int64_t>(windows - i);
      if (plan_.complete || plan_.window_unroll >= inner) {
        unroll(*nest_.core, nest_.windows[i]->name);
      }
    }
    if (plan_.complete && nest_.depth != nullptr && nest_.depth->extent > 1) {
      unroll(*nest_.core, depth_inner_);
    }
    unroll(*nest_.core, depth_unrolled_);
    Vectorize(*nest_.core, core_.vector);
    if (plan_.prefetch > 0) {
      draft_.Add(schedule::Prefetch{nest_.core->name, depth_inner_, nest_.roles.filter.tensor->name,
                                    plan_.prefetch});
    }
    if (!nest_.has_tail()) return;
    if (IsTransposed()) {
      Transpose(*nest_.owner, tile_.vector, tile_.column);
      return;
    }
    for (const NamedAxis& loop : tile_.loops()) unroll(*nest_.owner, loop.name);
    Vectorize(*nest_.owner, tile_.vector);
  }

  // Whether the owner's innermost axis is another than the one that the core's vectors run over.
  bool IsTransposed() const {
    const std::string innermost = draft_.AxesOf(*nest_.owner).back().name;
    return nest_.has_tail() && innermost == nest_.axes.column.name;
  }

  void Vectorize(const te::Stage& stage, const NamedAxis& loop) {
    if (loop.exists()) draft_.Add(schedule::Vectorize{stage.name, loop.name, 0});
  }
  void Transpose(const te::Stage& stage, const NamedAxis& a, const NamedAxis& b) {
    if (!a.exists()) return Vectorize(stage, b);
    if (!b.exists()) return Vectorize(stage, a);
    draft_.Add(schedule::Transpose{stage.name, a.name, b.name});
  }

  // The first loop that gives every thread something to do.
  void Parallelize() {
    for (const NamedAxis& loop : outer_) {
      if (loop.extent < draft_.target.threads) continue;
      draft_.Add(schedule::Parallel{nest_.owner->name, loop.name});
      return;
    }
  }

  const Nest& nest_;
  Draft& draft_;
  const LoopPlan& plan_;
  const std::vector<NamedAxis> outer_;
  Tile tile_;  // of the owner
  Tile core_;
  std::string depth_outer_, depth_middle_, depth_inner_, depth_unrolled_;
};

}  // namespace

void WriteNest(const Nest& nest, Draft& draft) { NestWriter(nest, draft).Write(); }

}  // namespace alt::search
