// floordiv by a constant.

#include <algorithm>
#include <numeric>

#include "common/base/math.h"
#include "common/ir/simplify_internal.h"

namespace alt::ir::internal {
namespace {

bool IsSingleAtom(const LinearSum& sum) {
  return sum.terms.size() == 1 && sum.terms[0].coefficient == 1;
}

// The candidates of SplitByFactor, largest first.
absl::InlinedVector<int64_t, 6> CommonFactors(const LinearSum& sum, int64_t c) {
  absl::InlinedVector<int64_t, 6> factors;
  for (const SumTerm& term : sum.terms) {
    const int64_t factor = std::gcd(term.coefficient, c);
    if (factor > 1 && std::find(factors.begin(), factors.end(), factor) == factors.end()) {
      factors.push_back(factor);
    }
  }
  std::sort(factors.begin(), factors.end(), std::greater<int64_t>());
  return factors;
}

// The part of sum whose coefficients are multiples of factor, divided by it; the rest in *rest.
LinearSum TakeMultiples(const LinearSum& sum, int64_t factor, LinearSum* rest) {
  LinearSum multiples;
  rest->constant = sum.constant;
  for (const SumTerm& term : sum.terms) {
    if (term.coefficient % factor == 0) {
      multiples.terms.push_back({term.atom, term.coefficient / factor});
    } else {
      rest->terms.push_back(term);
    }
  }
  return multiples;
}

// Moves multiples of c from *sum to *out, where they count 1/c.
void TakeOut(int64_t c, LinearSum* sum, LinearSum* out) {
  for (size_t i = 0; i < sum->terms.size();) {
    const SumTerm& term = sum->terms[i];
    if (term.coefficient % c != 0) {
      ++i;
      continue;
    }
    AddTerm(term.atom, term.coefficient / c, out);
    RemoveTerm(static_cast<int>(i), sum);
  }
}

Expr BuildDiv(const LinearSum& sum, int64_t c, const Expr& original) {
  const bool alike = original.defined() && original->kind == ExprKind::kFloorDiv &&
                     IsIntValue(original->args[1], c);
  Expr dividend = ToExpr(sum, alike ? original->args[0] : Expr());
  if (alike && dividend.same_as(original->args[0])) return original;
  return FloorDiv(std::move(dividend), c);
}

}  // namespace

void Simplifier::CollectDivMod(const Expr& e, int64_t coefficient, LinearSum* sum) {
  const bool is_div = e->kind == ExprKind::kFloorDiv;
  const Expr divisor = RunIndex(e->args[1]);
  if (divisor->kind == ExprKind::kIntImm) {
    const int64_t c = divisor->int_value;
    LinearSum dividend = CollectSum(e->args[0]);
    AddSum(is_div ? DivideSum(std::move(dividend), c, e) : ModuloSum(std::move(dividend), c, e),
           coefficient, sum);
    return;
  }
  const Expr dividend = RunIndex(e->args[0]);
  if (scope_.Bound(dividend).min >= 0 && DifferenceOf(dividend, divisor).max < 0) {
    if (!is_div) AddExpr(dividend, coefficient, sum);
    return;
  }
  const bool same = dividend.same_as(e->args[0]) && divisor.same_as(e->args[1]);
  AddTerm(same ? e : WithArgs(e, {dividend, divisor}), coefficient, sum);
}

LinearSum Simplifier::DivideSum(LinearSum sum, int64_t c, const Expr& original) {
  LinearSum out;
  while (c != 1) {
    TakeOut(c, &sum, &out);
    // The constant is chosen so that the least dividend is within [0, c).
    const Interval bounds = scope_.Bound(sum);
    const int64_t shift = base::FloorDiv(IsOpen(bounds.min) ? sum.constant : bounds.min, c);
    out.constant += shift;
    sum.constant -= shift * c;
    if (!IsOpen(bounds.min) && !IsOpen(bounds.max) && bounds.max - shift * c < c) return out;
    if (DivideReduced(sum, c, &out)) return out;
    if (const int64_t factor = SplitByFactor(c, &sum, nullptr); factor != 0) {
      c /= factor;
      FoldPairs(&sum);
      continue;
    }
    if (DivideNested(&sum, &c)) continue;
    sum.constant += shift * c;
    out.constant -= shift;
    if (PushIntoArms(ExprKind::kFloorDiv, sum, c, &out)) return out;
    sum.constant -= shift * c;
    out.constant += shift;
    AddTerm(BuildDiv(sum, c, original), 1, &out);
    return out;
  }
  AddSum(sum, 1, &out);
  return out;
}

int64_t Simplifier::SplitByFactor(int64_t c, LinearSum* sum, LinearSum* rest) {
  for (int64_t factor : CommonFactors(*sum, c)) {
    LinearSum remainder;
    LinearSum quotient = TakeMultiples(*sum, factor, &remainder);
    const Interval bounds = scope_.Bound(remainder);
    if (!IsBounded(bounds)) continue;
    const int64_t block = base::FloorDiv(bounds.min, factor);
    if (base::FloorDiv(bounds.max, factor) != block) continue;
    quotient.constant = block;
    *sum = std::move(quotient);
    if (rest != nullptr) {
      remainder.constant -= block * factor;
      *rest = std::move(remainder);
    }
    return factor;
  }
  return 0;
}

// Coefficients above c: floordiv(17*a + b, 16) is a + floordiv(a + b, 16), which is written so only
// where the division vanishes.
bool Simplifier::DivideReduced(const LinearSum& sum, int64_t c, LinearSum* out) {
  LinearSum reduced, quotient;
  reduced.constant = sum.constant;
  for (const SumTerm& term : sum.terms) {
    if (term.coefficient / c != 0) quotient.terms.push_back({term.atom, term.coefficient / c});
    if (term.coefficient % c != 0) reduced.terms.push_back({term.atom, term.coefficient % c});
  }
  if (quotient.terms.empty()) return false;
  const Interval bounds = scope_.Bound(reduced);
  if (!IsBounded(bounds)) return false;
  quotient.constant = base::FloorDiv(bounds.min, c);
  if (base::FloorDiv(bounds.max, c) != quotient.constant) return false;
  AddSum(quotient, 1, out);
  return true;
}

bool Simplifier::DivideNested(LinearSum* sum, int64_t* c) {
  if (!IsSingleAtom(*sum)) return false;
  const Expr atom = sum->terms[0].atom;
  int64_t inner;
  if (atom->kind == ExprKind::kFloorDiv && IsInt(atom->args[1], &inner)) {
    // floordiv(floordiv(x, a) + k, c) is floordiv(x + a*k, a*c).
    LinearSum dividend;
    AddExpr(atom->args[0], 1, &dividend);
    dividend.constant = WrapAdd(dividend.constant, WrapMul(inner, sum->constant));
    *sum = std::move(dividend);
    *c *= inner;
    return true;
  }
  if (atom->kind == ExprKind::kFloorMod && IsInt(atom->args[1], &inner) && inner % *c == 0 &&
      sum->constant == 0) {
    // floordiv(floormod(x, a*c), c) is floormod(floordiv(x, c), a).
    LinearSum dividend;
    AddExpr(atom->args[0], 1, &dividend);
    *sum = ModuloSum(DivideSum(std::move(dividend), *c), inner / *c);
    *c = 1;
    return true;
  }
  return false;
}

bool Simplifier::PushIntoArms(ExprKind kind, const LinearSum& sum, int64_t c, LinearSum* out) {
  if (!IsSingleAtom(sum)) return false;
  const Expr& atom = sum.terms[0].atom;
  const bool is_select = atom->kind == ExprKind::kSelect;
  const bool is_minmax = atom->kind == ExprKind::kMin || atom->kind == ExprKind::kMax;
  // floordiv is monotonous, floormod is not.
  if (!is_select && !(is_minmax && kind == ExprKind::kFloorDiv)) return false;
  Expr arms[2];
  for (int i = 0; i < 2; ++i) {
    LinearSum arm;
    AddExpr(atom->args[is_select ? i + 1 : i], 1, &arm);
    arm.constant = WrapAdd(arm.constant, sum.constant);
    arm = kind == ExprKind::kFloorDiv ? DivideSum(std::move(arm), c) : ModuloSum(std::move(arm), c);
    for (const SumTerm& term : arm.terms) {
      if (term.atom->kind == ExprKind::kFloorDiv || term.atom->kind == ExprKind::kFloorMod) {
        return false;
      }
    }
    arms[i] = ToExpr(arm);
  }
  if (is_minmax) {
    AddExpr(BuildMinMax(atom->kind, arms[0], arms[1]), 1, out);
  } else {
    AddExpr(SameAtom(arms[0], arms[1]) ? arms[0] : Select(atom->args[0], arms[0], arms[1]), 1, out);
  }
  return true;
}

}  // namespace alt::ir::internal
