#include "server/search/space/make_nests.h"

#include <algorithm>

#include "common/ir/visitor.h"

namespace alt::search {
namespace {

// The one stage that reads a tensor; null where none or several do.
const te::Stage* OnlyConsumer(const te::Graph& graph, const ir::Buffer& tensor) {
  const std::vector<const te::Stage*> consumers = graph.Consumers(tensor);
  return consumers.size() == 1 ? consumers[0] : nullptr;
}

// Whether a stage without reduction reads the tensor at its own indices, and nowhere else.
bool WorksElementForElement(const te::Stage& stage, const ir::Buffer& tensor) {
  if (!stage.reduction.empty() || stage.output->shape != tensor->shape) return false;
  bool same = true;
  ir::VisitExpr(stage.body, [&](const ir::Expr& e) {
    if (e->kind != ir::ExprKind::kLoad || e->buffer != tensor) return true;
    for (size_t d = 0; d < e->args.size(); ++d) {
      same =
          same && e->args[d]->kind == ir::ExprKind::kVar && e->args[d]->var == stage.spatial[d].var;
    }
    return true;
  });
  return same;
}

void FindTail(const te::Graph& graph, Nest& nest) {
  nest.owner = nest.core;
  while (const te::Stage* next = OnlyConsumer(graph, nest.owner->output)) {
    if (!WorksElementForElement(*next, nest.owner->output)) break;
    if (nest.owner != nest.core) nest.inlined.push_back(nest.owner);
    nest.owner = next;
  }
}

void FindProducer(const te::Graph& graph, Nest& nest) {
  const te::Stage* producer = graph.Producer(nest.roles.data.tensor);
  if (producer == nullptr || !producer->reduction.empty()) return;
  if (te::RunsAhead(graph, *producer)) return;
  if (OnlyConsumer(graph, producer->output) != nest.core) return;
  nest.producer = producer;
  nest.producer_roles = RolesOf(graph, *producer);
}

// The axis that vectors run over by preference: the longest that the filter follows; without a
// filter the longest that no window slides along.
const AxisRole* FindChannel(const StageRoles& roles) {
  const AxisRole* channel = nullptr;
  const auto prefer = [&channel](const AxisRole& axis) {
    if (channel == nullptr || axis.extent > channel->extent) channel = &axis;
  };
  for (const AxisRole& axis : roles.spatial) {
    if (axis.part == AxisPart::kColumn) prefer(axis);
  }
  if (channel != nullptr) return channel;
  for (const AxisRole& axis : roles.spatial) {
    if (roles.filter.defined() ? axis.part == AxisPart::kBatch : !axis.slides) prefer(axis);
  }
  return channel;
}

void SortAxes(Nest& nest) {
  nest.channel = FindChannel(nest.roles);
  const bool any_slides = std::any_of(nest.roles.spatial.begin(), nest.roles.spatial.end(),
                                      [](const AxisRole& axis) { return axis.slides; });
  for (const AxisRole& axis : nest.roles.spatial) {
    if (&axis == nest.channel) continue;
    const bool position = axis.part == AxisPart::kRow && (axis.slides || !any_slides);
    (position ? nest.positions : nest.batch).push_back(&axis);
  }
  for (const AxisRole& axis : nest.roles.reduction) {
    if (axis.part == AxisPart::kDepth &&
        (nest.depth == nullptr || axis.extent > nest.depth->extent)) {
      nest.depth = &axis;
    }
  }
  for (const AxisRole& axis : nest.roles.reduction) {
    if (&axis != nest.depth) nest.windows.push_back(&axis);
  }
}

}  // namespace

std::vector<Nest> MakeNests(const te::Graph& graph) {
  std::vector<Nest> nests;
  for (const te::Stage& stage : graph.stages) {
    if (te::RunsAhead(graph, stage)) continue;
    StageRoles roles = RolesOf(graph, stage);
    if (!roles.is_core()) continue;
    Nest& nest = nests.emplace_back();
    nest.core = &stage;
    nest.roles = std::move(roles);
    FindTail(graph, nest);
    FindProducer(graph, nest);
  }
  // Pointers into roles hold from here on: nests are not moved any more.
  for (Nest& nest : nests) SortAxes(nest);
  return nests;
}

}  // namespace alt::search
