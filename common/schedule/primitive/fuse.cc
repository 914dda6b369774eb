// fuse(s.a, s.b):  for a in [0, A) for b in [0, B)  -->  for a_b in [0, A*B)
// with a = floordiv(a_b, B), b = floormod(a_b, B). Inverse: split.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status_macros.h"
#include "common/ir/simplify.h"
#include "common/schedule/apply.h"

namespace alt::schedule {

absl::Status Apply(const Fuse& fuse, LoopNest& nest) {
  ALT_ASSIGN_OR_RETURN(StageNest * stage, nest.FindStage(fuse.stage));
  if (fuse.axes.size() < 2) return absl::InvalidArgumentError("fuse takes at least two axes");
  ALT_ASSIGN_OR_RETURN(size_t first, nest.FindLoop(*stage, fuse.axes[0]));
  if (first < stage->fixed_loops) {
    return absl::FailedPreconditionError(
        "a stage is computed inside these loops: fuse before compute_at");
  }
  Loop fused;
  fused.max_extent = 1;
  for (size_t i = 0; i < fuse.axes.size(); ++i) {
    ALT_ASSIGN_OR_RETURN(size_t at, nest.FindLoop(*stage, fuse.axes[i]));
    const Loop& loop = stage->loops[at];
    int64_t extent = 0;
    if (at != first + i)
      return absl::FailedPreconditionError("the loops are not neighbours in this order");
    ALT_RETURN_IF_ERROR(CheckSerial(loop));
    if (!loop.prefetches.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("loop ", loop.name, " has prefetches: fuse first"));
    }
    if (loop.reduction != stage->loops[first].reduction) {
      return absl::FailedPreconditionError("a spatial and a reduction loop do not fuse");
    }
    if (!ir::IsInt(loop.extent, &extent)) {
      return absl::FailedPreconditionError(
          absl::StrCat("loop ", loop.name, " has a varying number of iterations"));
    }
    fused.max_extent *= extent;
  }
  fused.name = absl::StrJoin(fuse.axes, "_");
  if (stage->FindLoop(fused.name)) return absl::FailedPreconditionError("that name is taken");
  fused.var = ir::MakeVar(fused.name);
  fused.extent = ir::IntImm(fused.max_extent);
  fused.reduction = stage->loops[first].reduction;

  const std::vector<Loop> parts(stage->loops.begin() + first,
                                stage->loops.begin() + first + fuse.axes.size());
  ir::RangeMap ranges = nest.LoopRanges();
  ranges[fused.var.get()] = {0, fused.max_extent - 1};
  ir::VarMap values;
  int64_t stride = fused.max_extent;
  for (const Loop& part : parts) {
    stride /= part.max_extent;
    const ir::Expr value = ir::FloorMod(ir::FloorDiv(fused.var, stride), part.max_extent);
    values[part.var.get()] = ir::Simplify(value, ranges);
  }
  ALT_RETURN_IF_ERROR(SubstituteLoopVars(*stage, values, ranges));
  stage->loops.erase(stage->loops.begin() + first, stage->loops.begin() + first + parts.size());
  stage->loops.insert(stage->loops.begin() + first, fused);
  stage->touched = true;
  return absl::OkStatus();
}

}  // namespace alt::schedule
