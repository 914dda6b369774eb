#include "common/schedule/loop_nest.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace alt::schedule {
namespace {

Loop MakeLoop(const te::Axis& axis, bool reduction) {
  Loop loop;
  loop.name = axis.name();
  loop.var = ir::MakeVar(axis.name());
  loop.max_extent = axis.extent;
  loop.extent = ir::IntImm(axis.extent);
  loop.reduction = reduction;
  return loop;
}

StageNest MakeStageNest(const te::Stage& stage) {
  StageNest nest;
  nest.stage = stage;
  const auto add = [&nest](const te::Axis& axis, bool reduction) {
    nest.loops.push_back(MakeLoop(axis, reduction));
    nest.axis_values[axis.var.get()] = ir::Expr(nest.loops.back().var);
  };
  for (const te::Axis& axis : stage.spatial) add(axis, false);
  for (const te::Axis& axis : stage.reduction) add(axis, true);
  return nest;
}

}  // namespace

std::optional<size_t> StageNest::FindLoop(absl::string_view name) const {
  for (size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].name == name) return i;
  }
  return std::nullopt;
}

LoopNest::LoopNest(const te::Graph& graph) : graph_(graph) {
  for (const te::Stage& stage : graph_.stages) {
    if (!te::RunsAhead(graph_, stage)) stages_.push_back(MakeStageNest(stage));
  }
}

absl::StatusOr<StageNest*> LoopNest::FindStage(absl::string_view stage) {
  for (StageNest& nest : stages_) {
    if (nest.stage.name != stage) continue;
    if (nest.inlined) {
      return absl::FailedPreconditionError(
          absl::StrCat("stage ", stage, " is inlined: it has no loops"));
    }
    return &nest;
  }
  const std::string known = absl::StrJoin(
      stages_, ", ", [](std::string* out, const StageNest& s) { out->append(s.stage.name); });
  return absl::InvalidArgumentError(absl::StrCat("no stage ", stage, "; stages are: ", known));
}

absl::StatusOr<size_t> LoopNest::FindLoop(const StageNest& stage, absl::string_view axis) const {
  if (const auto index = stage.FindLoop(axis)) return *index;
  const std::string known = absl::StrJoin(
      stage.loops, " ", [](std::string* out, const Loop& loop) { out->append(loop.name); });
  return absl::InvalidArgumentError(
      absl::StrCat("stage ", stage.stage.name, " has no loop ", axis, "; its loops are: ", known));
}

ir::RangeMap LoopNest::LoopRanges() const {
  ir::RangeMap ranges;
  for (const StageNest& stage : stages_) {
    for (const Loop& loop : stage.loops) ranges[loop.var.get()] = {0, loop.max_extent - 1};
  }
  return ranges;
}

void SubstituteLoopVar(StageNest& stage, const ir::Var& var, const ir::Expr& value) {
  const ir::VarMap values{{var.get(), value}};
  for (auto& [axis, expr] : stage.axis_values) expr = ir::Substitute(expr, values);
  for (Loop& loop : stage.loops) loop.extent = ir::Substitute(loop.extent, values);
}

}  // namespace alt::schedule
