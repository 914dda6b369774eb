// split(s.a, f1, .., fk):  for a in [0, E)  -->  for a.0 in [0, ceil(E/(f1..fk))) .. for a.k
// with a = (..(a.0*f1 + a.1)*f2 + ..) + a.k. Where the factors do not divide E, the last iterations
// of the outer loops leave shorter inner ones. The stage has at most kMaxLoops loops then. Inverse:
// fuse.

#include "absl/strings/str_cat.h"
#include "common/base/math.h"
#include "common/base/status_macros.h"
#include "common/ir/simplify.h"
#include "common/schedule/apply.h"

namespace alt::schedule {
namespace {

// Of one stage: passes recurse into each, and no good program has as many.
constexpr size_t kMaxLoops = 64;

Loop Child(const Loop& parent, size_t index, int64_t max_extent, ir::Expr extent) {
  Loop loop;
  loop.name = absl::StrCat(parent.name, ".", index);
  loop.var = ir::MakeVar(loop.name);
  loop.max_extent = max_extent;
  loop.extent = std::move(extent);
  loop.reduction = parent.reduction;
  return loop;
}

}  // namespace

absl::Status Apply(const Split& split, LoopNest& nest) {
  ALT_ASSIGN_OR_RETURN(StageNest * stage, nest.FindStage(split.stage));
  ALT_ASSIGN_OR_RETURN(size_t at, nest.FindLoop(*stage, split.axis));
  if (at < stage->fixed_loops) {
    return absl::FailedPreconditionError(
        "a stage is computed inside this loop: split before compute_at");
  }
  const Loop parent = stage->loops[at];
  ALT_RETURN_IF_ERROR(CheckSerial(parent));
  if (!parent.prefetches.empty()) {
    return absl::FailedPreconditionError("the loop has prefetches: split first");
  }
  const size_t loops = stage->loops.size() + split.factors.size();
  if (loops > kMaxLoops) {
    return absl::FailedPreconditionError(
        absl::StrCat("the stage would have ", loops, " loops, the most is ", kMaxLoops));
  }
  int64_t rest = 1;
  for (int64_t factor : split.factors) {
    if (factor < 1 || factor > parent.max_extent) {
      return absl::FailedPreconditionError(
          absl::StrCat("factor ", factor, " is not within 1 and the extent ", parent.max_extent));
    }
    if (factor > 2 * parent.max_extent / rest) {  // before a product that may be too large
      return absl::FailedPreconditionError(
          absl::StrCat("the factors are larger than the extent ", parent.max_extent));
    }
    rest *= factor;
  }
  // Peel factors from the outside: what is left of the extent after the loops so far.
  ir::RangeMap ranges = nest.LoopRanges();
  std::vector<Loop> children;
  ir::Expr left = parent.extent;
  int64_t max_left = parent.max_extent;
  ir::Expr value = ir::IntImm(0);
  for (size_t i = 0; i <= split.factors.size(); ++i) {
    if (i > 0) rest /= split.factors[i - 1];
    const int64_t count = base::CeilDiv(max_left, rest);
    ir::Expr extent = ir::Simplify(ir::FloorDiv(left + ir::Expr(rest - 1), rest), ranges);
    Loop child = Child(parent, i, count, extent);
    ranges[child.var.get()] = {0, count - 1};
    value = value + ir::Expr(child.var) * ir::Expr(rest);
    left =
        ir::Simplify(ir::Min(ir::Expr(rest), left - ir::Expr(child.var) * ir::Expr(rest)), ranges);
    max_left = std::min(rest, max_left);
    children.push_back(std::move(child));
  }
  ALT_RETURN_IF_ERROR(
      SubstituteLoopVars(*stage, {{parent.var.get(), ir::Simplify(value, ranges)}}, ranges));
  stage->loops.erase(stage->loops.begin() + at);
  stage->loops.insert(stage->loops.begin() + at, children.begin(), children.end());
  stage->touched = true;
  return absl::OkStatus();
}

}  // namespace alt::schedule
