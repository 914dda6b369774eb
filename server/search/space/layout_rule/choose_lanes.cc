// ChooseLanes: over the channel, a position, or groups of few channels.
//
//   kChannel   legal unless neighbouring channels read data that stand apart
//   kPosition  legal where the data of neighbouring positions are neighbours (no stride), and stand
//              so where the data's layout is fixed
//   kGroup     legal where channels come in groups of few: a group's sums fill no vector
//
// First choice: the one that leaves fewest lanes idle, groups before channels before positions.

#include <algorithm>

#include "common/base/math.h"
#include "common/ir/simplify.h"
#include "server/search/space/layout_rule/rules.h"

namespace alt::search {
namespace {

constexpr int64_t kMostInGroup = 64;  // multiply-adds of a position in a group, for kGroup

bool ChannelIsLegal(const Nest& nest) {
  if (nest.channel == nullptr) return false;
  const AxisUse& data = nest.channel->data;
  return !data.used() || data.divisor > 1 || data.step == 1;
}

bool PositionIsLegal(const Nest& nest, const Draft& draft) {
  if (nest.positions.empty()) return false;
  const AxisUse& data = nest.positions.back()->data;
  if (data.step != 1 || data.divisor != 1 || !data.regular) return false;
  const ir::Buffer& tensor = nest.roles.data.tensor;
  return !draft.IsFixed(tensor) || draft.InnermostOf(tensor).dim == data.dim;
}

bool GroupIsLegal(const Nest& nest) {
  if (nest.roles.role != StageRole::kContraction || nest.channel == nullptr) return false;
  const AxisUse& data = nest.channel->data;
  if (!data.used() || !data.regular) return false;
  const int64_t in_group = data.divisor * data.step;
  return in_group > 1 && in_group <= kMostInGroup && nest.channel->extent > data.divisor;
}

// The share of lanes that work.
double Filled(int64_t extent, int64_t lanes) {
  return static_cast<double>(extent) / static_cast<double>(lanes * base::CeilDiv(extent, lanes));
}

Lanes FirstChoice(const Nest& nest, const std::vector<int64_t>& legal, int64_t lanes) {
  Lanes best = static_cast<Lanes>(legal[0]);
  double best_filled = 0;
  for (const int64_t choice : legal) {
    const Lanes over = static_cast<Lanes>(choice);
    double filled = 0;
    if (over == Lanes::kChannel) {
      const int64_t unit = nest.unit();
      filled = Filled(unit > 1 ? unit : nest.channel->extent, lanes);
    } else if (over == Lanes::kPosition) {
      filled = Filled(nest.positions.back()->extent, lanes) - 0.1;
    } else {
      filled = Filled(nest.channel->extent / nest.channel->data.divisor, lanes) + 0.05;
    }
    if (filled > best_filled + 0.02) best = over, best_filled = filled;
  }
  return best;
}

// How far neighbours on the innermost physical axis of a stage's output stand apart on a logical
// axis; 0 where that is not the same everywhere.
int64_t InnermostStep(const Draft& draft, const te::Stage& stage, const std::string& axis) {
  const auto bound = layout::BoundLayout::Create(draft.LayoutOf(stage.output), stage.output->shape);
  if (!bound.ok()) return 0;
  layout::Indices physical(bound->physical_shape().size(), ir::Expr(0));
  physical.back() = ir::Expr(1);
  const auto cell = bound->ToLogical(physical, {});
  if (!cell.ok()) return 0;
  for (size_t d = 0; d < stage.spatial.size(); ++d) {
    int64_t step = 0;
    if (stage.spatial[d].name() == axis && ir::IsInt(ir::Simplify(cell->indices[d]), &step)) {
      return step;
    }
  }
  return 0;
}

// Where the caller fixed the output, its innermost axis holds the vectors.
void ReadLanes(Nest& nest, const Draft& draft) {
  const NamedAxis innermost = draft.AxesOf(*nest.owner).back();
  nest.lanes = Lanes::kChannel;
  if (nest.channel != nullptr && IsPartOf(innermost, nest.channel->name)) {
    const AxisUse& data = nest.channel->data;
    const int64_t step = InnermostStep(draft, *nest.owner, nest.channel->name);
    if (!GroupIsLegal(nest) || step != data.divisor || innermost.extent == 1) return;
    if (data.divisor == 1 && data.step == 1) return;
    nest.lanes = Lanes::kGroup;
    nest.lane_groups = innermost.extent;
    return;
  }
  for (size_t i = 0; i < nest.positions.size(); ++i) {
    if (!IsPartOf(innermost, nest.positions[i]->name)) continue;
    std::rotate(nest.positions.begin() + static_cast<ptrdiff_t>(i),
                nest.positions.begin() + static_cast<ptrdiff_t>(i) + 1, nest.positions.end());
    nest.lanes = Lanes::kPosition;
    return;
  }
  // Images or groups innermost: they are positions like any other.
  for (size_t i = 0; i < nest.batch.size(); ++i) {
    if (!IsPartOf(innermost, nest.batch[i]->name)) continue;
    nest.positions.push_back(nest.batch[i]);
    nest.batch.erase(nest.batch.begin() + static_cast<ptrdiff_t>(i));
    nest.lanes = Lanes::kPosition;
    return;
  }
}

}  // namespace

void ChooseLanes(Nest& nest, Draft& draft) {
  if (draft.IsFixed(nest.owner->output) && !nest.has_tail()) {
    ReadLanes(nest, draft);
    return;
  }
  std::vector<int64_t> legal;
  const auto offer = [&](Lanes lanes, bool is_legal) {
    if (is_legal) legal.push_back(static_cast<int64_t>(lanes));
  };
  offer(Lanes::kChannel, ChannelIsLegal(nest));
  offer(Lanes::kPosition, PositionIsLegal(nest, draft));
  offer(Lanes::kGroup, GroupIsLegal(nest));
  if (legal.empty()) legal = {static_cast<int64_t>(Lanes::kChannel)};
  const Lanes first = FirstChoice(nest, legal, draft.lanes());
  nest.lanes = static_cast<Lanes>(
      draft.decide.Layout(nest.core->name + ".lanes", legal, static_cast<int64_t>(first)));
  if (nest.lanes == Lanes::kGroup) {
    const int64_t groups = base::CeilDiv(nest.channel->extent, nest.channel->data.divisor);
    nest.lane_groups = std::min<int64_t>(groups, draft.lanes());
  }
}

}  // namespace alt::search
