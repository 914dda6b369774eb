#include "common/schedule/loop_nest.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status_macros.h"
#include "common/ir/simplify.h"

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

absl::Status CheckSerial(const Loop& loop) {
  const char* kind = nullptr;
  switch (loop.kind) {
    case ir::ForKind::kSerial:
      return absl::OkStatus();
    case ir::ForKind::kParallel:
      kind = "parallel";
      break;
    case ir::ForKind::kVectorized:
      kind = "vectorized";
      break;
    case ir::ForKind::kUnrolled:
      kind = "unrolled";
      break;
    case ir::ForKind::kTransposed:
      kind = "transposed";
      break;
  }
  return absl::FailedPreconditionError(absl::StrCat("loop ", loop.name, " is ", kind, " already"));
}

absl::Status CheckKinds(absl::Span<const Loop> loops) {
  const Loop* parallel = nullptr;
  const Loop* vectorized = nullptr;
  for (size_t i = loops.size(); i-- > 0;) {  // from the inside
    const Loop& loop = loops[i];
    const auto refuse = [&](const char* why, const Loop& inner) {
      return absl::FailedPreconditionError(absl::StrCat(
          why, " loop ", loop.name, " would be around the parallel loop ", inner.name));
    };
    if (parallel != nullptr) {
      if (loop.reduction) return refuse("the reduction", *parallel);
      if (loop.kind == ir::ForKind::kParallel) return refuse("the parallel", *parallel);
      if (loop.kind == ir::ForKind::kVectorized) return refuse("the vectorized", *parallel);
      if (loop.kind == ir::ForKind::kUnrolled) return refuse("the unrolled", *parallel);
    }
    if (loop.kind == ir::ForKind::kTransposed && i + 1 < loops.size() &&
        loops[i + 1].kind != ir::ForKind::kTransposed) {
      return absl::FailedPreconditionError(
          absl::StrCat("loop ", loops[i + 1].name, " would be inside the transposed loop ",
                       loop.name, ": transposed loops are the innermost"));
    }
    if (loop.kind == ir::ForKind::kVectorized && loops.back().kind == ir::ForKind::kTransposed) {
      return absl::FailedPreconditionError(
          absl::StrCat("loop ", loop.name, " would be vectorized around the transposed loop ",
                       loops.back().name));
    }
    if (loop.kind == ir::ForKind::kVectorized && vectorized != nullptr) {
      return absl::FailedPreconditionError(absl::StrCat(
          "loops ", loop.name, " and ", vectorized->name, " would both be vectorized"));
    }
    if (loop.kind == ir::ForKind::kParallel) parallel = &loop;
    if (loop.kind == ir::ForKind::kVectorized) vectorized = &loop;
  }
  return absl::OkStatus();
}

absl::Status SubstituteLoopVars(StageNest& stage, const ir::VarMap& values,
                                const ir::RangeMap& ranges) {
  const auto substitute = [&](const ir::Expr& e) -> absl::StatusOr<ir::Expr> {
    ir::Expr result = ir::Substitute(e, values);
    ALT_RETURN_IF_ERROR(ir::LimitIndices(ranges, {&result, 1}));
    return result;
  };
  ir::VarMap axis_values = stage.axis_values;
  for (auto& [axis, value] : axis_values) {
    ALT_ASSIGN_OR_RETURN(value, substitute(value));
  }
  std::vector<ir::Expr> extents;
  for (const Loop& loop : stage.loops) {
    ALT_ASSIGN_OR_RETURN(ir::Expr extent, substitute(loop.extent));
    extents.push_back(std::move(extent));
  }
  stage.axis_values = std::move(axis_values);
  for (size_t i = 0; i < extents.size(); ++i) stage.loops[i].extent = std::move(extents[i]);
  return absl::OkStatus();
}

}  // namespace alt::schedule
