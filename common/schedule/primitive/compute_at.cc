// compute_at(p, s.a):  p computes the region of its output that one iteration of s.a reads, inside
// that loop and before the rest of its body; p's loops then run over the region, clipped to the
// tensor. What several iterations read is computed in each. Precondition: nothing was done to p
// yet, all its readers stand inside s.a, and what they read there follows from the loops around.

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/schedule/apply.h"
#include "common/schedule/region.h"

namespace alt::schedule {
namespace {

// The loops of a stage again, over a region.
void RestrictTo(const Region& region, StageNest& stage) {
  for (size_t d = 0; d < stage.stage.spatial.size(); ++d) {
    Loop& loop = stage.loops[d];
    loop.max_extent = region.max_count[d];
    loop.extent = region.count[d];
    stage.axis_values[stage.stage.spatial[d].var.get()] = region.min[d] + ir::Expr(loop.var);
  }
}

}  // namespace

absl::Status Apply(const ComputeAt& compute_at, LoopNest& nest) {
  ALT_ASSIGN_OR_RETURN(StageNest * stage, nest.FindStage(compute_at.stage));
  ALT_ASSIGN_OR_RETURN(StageNest * target, nest.FindStage(compute_at.target_stage));
  ALT_ASSIGN_OR_RETURN(size_t at, nest.FindLoop(*target, compute_at.target_axis));
  if (stage == target) return absl::InvalidArgumentError("a stage is not computed inside itself");
  if (stage->touched || stage->attachment || stage->fixed_loops > 0) {
    return absl::FailedPreconditionError(
        "compute_at must come before other instructions on the stage");
  }
  for (size_t i = 0; i <= at; ++i) {
    const ir::ForKind kind = target->loops[i].kind;
    if (kind == ir::ForKind::kVectorized || kind == ir::ForKind::kTransposed) {
      return absl::FailedPreconditionError(
          absl::StrCat("loop ", target->loops[i].name, " is ",
                       kind == ir::ForKind::kVectorized ? "vectorized" : "transposed"));
    }
  }
  ALT_ASSIGN_OR_RETURN(Region region, RegionReadInside(nest, *stage, *target, at));
  RestrictTo(region, *stage);
  stage->attachment = Attachment{compute_at.target_stage, compute_at.target_axis, region};
  target->fixed_loops = std::max(target->fixed_loops, at + 1);
  return absl::OkStatus();
}

}  // namespace alt::schedule
