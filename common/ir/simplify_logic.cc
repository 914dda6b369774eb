// && || ! of scalar conditions.

#include "common/ir/simplify_internal.h"

namespace alt::ir::internal {
namespace {

void AppendChain(const Expr& e, ExprKind kind, ConditionList* operands) {
  if (e->kind != kind) {
    operands->push_back(e);
    return;
  }
  AppendChain(e->args[0], kind, operands);
  AppendChain(e->args[1], kind, operands);
}

// Whether e is these operands chained to the left.
bool IsChain(const Expr& e, const ConditionList& operands) {
  const Expr* rest = &e;
  for (size_t i = operands.size(); i-- > 1;) {
    if ((*rest)->kind != e->kind || !(*rest)->args[1].same_as(operands[i])) return false;
    rest = &(*rest)->args[0];
  }
  return rest->same_as(operands[0]);
}

}  // namespace

// Each operand of a chain a && b && c is simplified knowing those before it. Then what a later one
// implies goes. The rest is chained to the left.
Expr Simplifier::RunAndOr(const Expr& e) {
  const bool is_and = e->kind == ExprKind::kAnd;
  const RangeScope::Mark mark = scope_.GetMark();
  ConditionList operands;
  const bool decided = !CollectOperands(e, e->kind, &operands);
  scope_.Restore(mark);
  if (decided) return BoolImm(!is_and);
  for (size_t i = 0; i < operands.size();) {
    const Interval known = ImpliedBound(operands, i, is_and);
    if (known == Point(!is_and)) return BoolImm(!is_and);
    if (known == Point(is_and)) {
      operands.erase(operands.begin() + i);
    } else {
      ++i;
    }
  }
  if (operands.empty()) return BoolImm(is_and);
  if (IsChain(e, operands)) return e;
  Expr result = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    result = is_and ? And(std::move(result), operands[i]) : Or(std::move(result), operands[i]);
  }
  return result;
}

// Simplifies the operands of e and assumes them one after the other; false when one of them decides
// the whole.
bool Simplifier::CollectOperands(const Expr& e, ExprKind kind, ConditionList* operands) {
  if (e->kind == kind) {
    return CollectOperands(e->args[0], kind, operands) &&
           CollectOperands(e->args[1], kind, operands);
  }
  const bool is_and = kind == ExprKind::kAnd;
  const Expr operand = Run(e);
  int64_t value;
  if (IsInt(operand, &value)) return value == is_and;
  scope_.Assume(operand, is_and);
  AppendChain(operand, kind, operands);
  return true;
}

// Bounds of operands[i] where a later operand holds (fails, in a chain of ||): decided by one that
// says more.
Interval Simplifier::ImpliedBound(const ConditionList& operands, size_t i, bool is_and) {
  const RangeScope::Mark mark = scope_.GetMark();
  for (size_t j = i + 1; j < operands.size(); ++j) {
    if ((operands[i]->var_filter & operands[j]->var_filter) == 0) continue;
    scope_.Assume(operands[j], is_and);
    const Interval bounds = scope_.Bound(operands[i]);
    scope_.Restore(mark);
    if (IsPoint(bounds)) return bounds;
  }
  return {0, 1};
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
