// floormod by a constant.

#include "common/base/math.h"
#include "common/ir/simplify_internal.h"

namespace alt::ir::internal {
namespace {

Expr BuildMod(const LinearSum& sum, int64_t c, const Expr& original) {
  const bool alike = original.defined() && original->kind == ExprKind::kFloorMod &&
                     IsIntValue(original->args[1], c);
  Expr dividend = ToExpr(sum, alike ? original->args[0] : Expr());
  if (alike && dividend.same_as(original->args[0])) return original;
  return FloorMod(std::move(dividend), c);
}

}  // namespace

void Simplifier::ReduceModulo(int64_t c, LinearSum* sum) {
  for (size_t i = 0; i < sum->terms.size();) {
    SumTerm& term = sum->terms[i];
    int64_t inner;
    if (term.atom->kind == ExprKind::kFloorMod && IsInt(term.atom->args[1], &inner) &&
        WrapMul(inner, term.coefficient) % c == 0) {
      const SumTerm outer = term;
      RemoveTerm(static_cast<int>(i), sum);
      AddExpr(outer.atom->args[0], outer.coefficient, sum);
      i = 0;
      continue;
    }
    term.coefficient %= c;
    if (term.coefficient == 0) {
      RemoveTerm(static_cast<int>(i), sum);
    } else {
      ++i;
    }
  }
}

LinearSum Simplifier::ModuloSum(LinearSum sum, int64_t c, const Expr& original) {
  LinearSum out, tail;  // tail: the lower digits, written last
  int64_t multiplier = 1;
  while (c != 1) {
    ReduceModulo(c, &sum);
    FoldPairs(&sum);
    // As in DivideSum: the least dividend is within [0, c).
    const Interval bounds = scope_.Bound(sum);
    const int64_t shift = base::FloorDiv(IsOpen(bounds.min) ? sum.constant : bounds.min, c);
    sum.constant -= shift * c;
    if (!IsOpen(bounds.min) && !IsOpen(bounds.max) && bounds.max - shift * c < c) {
      AddSum(sum, multiplier, &out);
      break;
    }
    LinearSum rest;
    if (const int64_t factor = SplitByFactor(c, &sum, &rest); factor != 0) {
      // floormod(f*x + r, f*c) is f*floormod(x, c) + r for 0 <= r < f.
      LinearSum digits;
      AddSum(rest, multiplier, &digits);
      AddSum(tail, 1, &digits);
      tail = std::move(digits);
      multiplier *= factor;
      c /= factor;
      continue;
    }
    LinearSum pushed;
    if (PushIntoArms(ExprKind::kFloorMod, sum, c, &pushed)) {
      AddSum(pushed, multiplier, &out);
    } else {
      AddTerm(BuildMod(sum, c, original), multiplier, &out);
    }
    break;
  }
  AddSum(tail, 1, &out);
  return out;
}

}  // namespace alt::ir::internal
