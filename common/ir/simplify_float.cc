// Float expressions: identities that hold bit for bit, and 0 * x = 0 (see expr.h). Sums are never
// reordered. A negation is written 0 - x and moves outwards until a sum or difference takes it.

#include "common/ir/simplify_internal.h"

namespace alt::ir::internal {
namespace {

bool IsFloatValue(const Expr& e, double value) {
  double actual;
  return IsFloat(e, &actual) && actual == value;
}

// x where e is 0 - x, also in all lanes; undefined for anything else.
Expr Negated(const Expr& e) {
  if (e->kind == ExprKind::kSub && IsFloatValue(e->args[0], 0)) return e->args[1];
  if (e->kind != ExprKind::kBroadcast) return Expr();
  Expr scalar = Negated(e->args[0]);
  return scalar.defined() ? Broadcast(std::move(scalar), e->dtype.lanes) : scalar;
}

Expr Negate(const Expr& e) {
  if (Expr x = Negated(e); x.defined()) return x;
  if (e->kind == ExprKind::kSub) return e->args[1] - e->args[0];
  return Zero(e->dtype) - e;
}

Expr FoldAdd(const Expr& a, const Expr& b) {
  if (IsFloatValue(a, 0)) return b;
  if (IsFloatValue(b, 0)) return a;
  if (Expr x = Negated(b); x.defined()) return a - x;
  if (Expr x = Negated(a); x.defined()) return b - x;
  return Expr();
}

Expr FoldSub(const Expr& a, const Expr& b) {
  if (IsFloatValue(b, 0)) return a;
  if (Expr x = Negated(b); x.defined()) return IsFloatValue(a, 0) ? x : a + x;
  if (IsFloatValue(a, 0) && b->kind == ExprKind::kSub) return Negate(b);
  return Expr();
}

Expr FoldMul(const Expr& a, const Expr& b) {
  const Expr negated[2] = {Negated(a), Negated(b)};
  for (int i = 0; i < 2; ++i) {
    const Expr& other = i == 0 ? b : a;
    double constant;
    if (!IsFloat(i == 0 ? a : b, &constant)) continue;
    if (constant == 0) return Zero(a->dtype);
    if (constant == 1) return other;
    if (constant == -1) return Negate(other);
    if (negated[1 - i].defined()) return FloatImm(-constant, a->dtype) * negated[1 - i];
  }
  if (negated[0].defined() && negated[1].defined()) return negated[0] * negated[1];
  if (negated[0].defined()) return Negate(negated[0] * b);
  if (negated[1].defined()) return Negate(a * negated[1]);
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
    case ExprKind::kTranspose:
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
