// select of any type. Each arm is simplified knowing the condition.

#include "common/ir/lanes.h"
#include "common/ir/simplify_internal.h"

namespace alt::ir::internal {

Expr Simplifier::RunSelect(const Expr& e) {
  const Expr condition = Run(e->args[0]);
  int64_t decided;
  if (IsInt(condition, &decided)) return Run(e->args[decided ? 1 : 2]);
  // A condition on lanes is assumed for the lane at hand: the other lanes are not taken.
  Expr assumed = condition;
  const int lanes = condition->dtype.lanes;
  if (lanes > 1) assumed = InLane(condition, LaneOf(lanes));
  Expr arms[2];
  for (int i = 0; i < 2; ++i) {
    const RangeScope::Mark mark = scope_.GetMark();
    if (assumed.defined()) scope_.Assume(assumed, i == 0);
    arms[i] = Run(e->args[i + 1]);
    scope_.Restore(mark);
  }
  if (SameAtom(arms[0], arms[1])) return arms[0];
  if (condition.same_as(e->args[0]) && arms[0].same_as(e->args[1]) && arms[1].same_as(e->args[2])) {
    return e;
  }
  if (condition->kind == ExprKind::kBroadcast) {
    return Select(condition->args[0], std::move(arms[0]), std::move(arms[1]));
  }
  return Select(condition, std::move(arms[0]), std::move(arms[1]));
}

}  // namespace alt::ir::internal
