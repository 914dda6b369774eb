// Float expressions: identities that hold bit for bit, and 0 * x = 0 (see expr.h). Sums are never
// reordered. A negation is written 0 - x and moves outwards until a sum or difference takes it.

#include "common/ir/simplify_internal.h"

namespace alt::ir::internal {
namespace {

bool IsFloatValue(const Expr& e, double value) {
  double actual;
  return IsFloat(e, &actual) && actual == value;
}

bool IsNegation(const Expr& e) { return e->kind == ExprKind::kSub && IsFloatValue(e->args[0], 0); }

Expr Negate(const Expr& e) {
  if (e->kind == ExprKind::kSub) {
    return IsFloatValue(e->args[0], 0) ? e->args[1] : e->args[1] - e->args[0];
  }
  return Zero(e->dtype) - e;
}

Expr FoldAdd(const Expr& a, const Expr& b) {
  if (IsFloatValue(a, 0)) return b;
  if (IsFloatValue(b, 0)) return a;
  if (IsNegation(b)) return a - b->args[1];
  if (IsNegation(a)) return b - a->args[1];
  return Expr();
}

Expr FoldSub(const Expr& a, const Expr& b) {
  if (IsFloatValue(b, 0)) return a;
  if (IsNegation(b)) return IsFloatValue(a, 0) ? b->args[1] : a + b->args[1];
  if (IsFloatValue(a, 0) && b->kind == ExprKind::kSub) return Negate(b);
  return Expr();
}

Expr FoldMul(const Expr& a, const Expr& b) {
  for (int i = 0; i < 2; ++i) {
    const Expr& x = i == 0 ? a : b;
    const Expr& y = i == 0 ? b : a;
    double constant;
    if (IsFloat(x, &constant)) {
      if (constant == 0) return Zero(a->dtype);
      if (constant == 1) return y;
      if (constant == -1) return Negate(y);
      if (IsNegation(y)) return FloatImm(-constant, a->dtype) * y->args[1];
    }
  }
  if (IsNegation(a) && IsNegation(b)) return a->args[1] * b->args[1];
  if (IsNegation(a)) return Negate(a->args[1] * b);
  if (IsNegation(b)) return Negate(a * b->args[1]);
  return Expr();
}

// min(min(x, y), y) is min(x, y).
Expr FoldMinMax(ExprKind kind, const Expr& a, const Expr& b) {
  if (SameAtom(a, b)) return a;
  if (a->kind == kind && (SameAtom(a->args[0], b) || SameAtom(a->args[1], b))) return a;
  if (b->kind == kind && (SameAtom(b->args[0], a) || SameAtom(b->args[1], a))) return b;
  return Expr();
}

Expr Build(ExprKind kind, const Expr& a, const Expr& b) {
  switch (kind) {
    case ExprKind::kAdd:
      return a + b;
    case ExprKind::kSub:
      return a - b;
    case ExprKind::kMul:
      return a * b;
    case ExprKind::kDiv:
      return a / b;
    case ExprKind::kMin:
      return Min(a, b);
    default:
      return Max(a, b);
  }
}

// What the operator makes of simplified operands; undefined when no rule fits.
Expr FoldFloat(ExprKind kind, const Expr& a, const Expr& b) {
  switch (kind) {
    case ExprKind::kAdd:
      return FoldAdd(a, b);
    case ExprKind::kSub:
      return FoldSub(a, b);
    case ExprKind::kMul:
      return FoldMul(a, b);
    case ExprKind::kDiv:
      if (IsFloatValue(b, 1)) return a;
      if (IsFloatValue(b, -1)) return Negate(a);
      return Expr();
    case ExprKind::kMin:
    case ExprKind::kMax:
      return FoldMinMax(kind, a, b);
    default:
      return Expr();
  }
}

}  // namespace

Expr Simplifier::RunFloat(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kFloatImm:
      return e;
    case ExprKind::kLoad:
      return RunLoad(e);
    case ExprKind::kSelect:
      return RunSelect(e);
    case ExprKind::kBroadcast:
    case ExprKind::kCast:
      return RunArgs(e);
    default:
      break;
  }
  const Expr a = Run(e->args[0]);
  const Expr b = Run(e->args[1]);
  const bool same = a.same_as(e->args[0]) && b.same_as(e->args[1]);
  if (a->kind == ExprKind::kBroadcast && b->kind == ExprKind::kBroadcast) {
    Expr scalar = FoldFloat(e->kind, a->args[0], b->args[0]);
    if (!scalar.defined()) scalar = Build(e->kind, a->args[0], b->args[0]);
    return Broadcast(std::move(scalar), e->dtype.lanes);
  }
  if (Expr folded = FoldFloat(e->kind, a, b); folded.defined()) return folded;
  return same ? e : WithArgs(e, {a, b});
}

}  // namespace alt::ir::internal
