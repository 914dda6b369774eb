// && || ! of scalar conditions.

#include "common/ir/simplify_internal.h"

namespace alt::ir::internal {

// The second operand is simplified knowing the first: when the first alone decides, the second is
// not asked. Then the first one goes if the second implies it.
Expr Simplifier::RunAndOr(const Expr& e) {
  const bool is_and = e->kind == ExprKind::kAnd;
  const int64_t neutral = is_and ? 1 : 0;
  const Expr a = Run(e->args[0]);
  if (IsIntValue(a, neutral)) return Run(e->args[1]);
  if (IsIntValue(a, !neutral)) return a;
  const RangeScope::Mark mark = scope_.GetMark();
  scope_.Assume(a, is_and);
  const Expr b = Run(e->args[1]);
  scope_.Restore(mark);
  if (IsIntValue(b, neutral)) return a;
  if (IsIntValue(b, !neutral)) return b;
  scope_.Assume(b, is_and);
  const Interval first = scope_.Bound(a);
  scope_.Restore(mark);
  if (first == Point(neutral)) return b;
  if (first == Point(!neutral)) return BoolImm(!neutral);
  if (a.same_as(e->args[0]) && b.same_as(e->args[1])) return e;
  return is_and ? And(a, b) : Or(a, b);
}

Expr Simplifier::RunNot(const Expr& e) {
  const Expr& arg = e->args[0];
  switch (arg->kind) {
    case ExprKind::kNot:
      return Run(arg->args[0]);
    case ExprKind::kLt:
    case ExprKind::kLe:
      // Not for floats: a comparison with NaN is false.
      if (arg->args[0]->dtype.is_float()) break;
      return Run(arg->kind == ExprKind::kLt ? arg->args[1] <= arg->args[0]
                                            : arg->args[1] < arg->args[0]);
    case ExprKind::kAnd:
      return Run(Or(Not(arg->args[0]), Not(arg->args[1])));
    case ExprKind::kOr:
      return Run(And(Not(arg->args[0]), Not(arg->args[1])));
    default:
      break;
  }
  return RunArgs(e);
}

}  // namespace alt::ir::internal
