// Comparisons of indices. Everything moves to one side, sum <= limit, where ranges and common
// factors decide or tighten; what remains is written with positive terms on both sides of a `<`.

#include <algorithm>
#include <numeric>

#include "common/base/math.h"
#include "common/ir/simplify_internal.h"

namespace alt::ir::internal {
namespace {

int64_t CommonFactor(const LinearSum& sum) {
  int64_t factor = 0;
  for (const SumTerm& term : sum.terms) factor = std::gcd(factor, term.coefficient);
  return factor;
}

// The negative terms of sum, negated, in *negatives; the positive ones in *positives.
void SplitBySign(const LinearSum& sum, LinearSum* positives, LinearSum* negatives) {
  for (const SumTerm& term : sum.terms) {
    if (term.coefficient > 0) {
      positives->terms.push_back(term);
    } else {
      negatives->terms.push_back({term.atom, -term.coefficient});
    }
  }
}

Expr BuildCompare(ExprKind kind, const LinearSum& left, const LinearSum& right, const Expr& e) {
  Expr a = ToExpr(left, e->args[0]);
  Expr b = ToExpr(right, e->args[1]);
  if (e->kind == kind && a.same_as(e->args[0]) && b.same_as(e->args[1])) return e;
  return kind == ExprKind::kEq ? Eq(std::move(a), std::move(b)) : std::move(a) < std::move(b);
}

}  // namespace

Expr Simplifier::RunCompare(const Expr& e) {
  if (e->args[0]->dtype != kIndex) return RunArgs(e);
  return e->kind == ExprKind::kEq ? RunEqual(e) : RunLess(e);
}

Expr Simplifier::RunLess(const Expr& e) {
  LinearSum sum;
  Collect(e->args[0], 1, &sum);
  Collect(e->args[1], -1, &sum);
  FoldPairs(&sum);
  int64_t limit = (e->kind == ExprKind::kLt ? -1 : 0) - sum.constant;
  sum.constant = 0;
  do {
    const Interval bounds = scope_.Bound(sum);
    if (bounds.max <= limit) return BoolImm(true);
    if (bounds.min > limit) return BoolImm(false);
    if (const int64_t factor = CommonFactor(sum); factor > 1) {
      for (SumTerm& term : sum.terms) term.coefficient /= factor;
      limit = base::FloorDiv(limit, factor);
    }
  } while (TightenLess(&sum, &limit));
  LinearSum left, right;
  SplitBySign(sum, &left, &right);
  // left - right <= limit, that is left < right + limit + 1.
  const int64_t constant = limit + 1;
  if (right.terms.empty() || (!left.terms.empty() && constant >= 0)) {
    right.constant = constant;
  } else {
    left.constant = -constant;
  }
  return BuildCompare(ExprKind::kLt, left, right, e);
}

bool Simplifier::TightenLess(LinearSum* sum, int64_t* limit) {
  // A part that is too small to matter: 4*a + b <= 55 with 0 <= b < 4 is a <= 13.
  absl::InlinedVector<int64_t, 6> factors;
  for (const SumTerm& term : sum->terms) {
    const int64_t factor = std::abs(term.coefficient);
    if (factor > 1 && std::find(factors.begin(), factors.end(), factor) == factors.end()) {
      factors.push_back(factor);
    }
  }
  std::sort(factors.begin(), factors.end(), std::greater<int64_t>());
  for (int64_t factor : factors) {
    LinearSum quotient, rest;
    for (const SumTerm& term : sum->terms) {
      if (term.coefficient % factor == 0) {
        quotient.terms.push_back({term.atom, term.coefficient / factor});
      } else {
        rest.terms.push_back(term);
      }
    }
    const Interval bounds = scope_.Bound(rest);
    if (!IsBounded(bounds)) continue;
    const int64_t tight = base::FloorDiv(*limit - bounds.max, factor);
    if (base::FloorDiv(*limit - bounds.min, factor) != tight) continue;
    *sum = std::move(quotient);
    *limit = tight;
    return true;
  }
  // The only floordiv goes: floordiv(x, c) + y <= k is x + c*y <= c*k + c-1, and
  // y - floordiv(x, c) <= k is c*y - x <= c*k.
  int only = -1;
  for (size_t i = 0; i < sum->terms.size(); ++i) {
    if (sum->terms[i].atom->kind != ExprKind::kFloorDiv) continue;
    if (only >= 0) return false;
    only = static_cast<int>(i);
  }
  if (only < 0) return false;
  const SumTerm term = sum->terms[only];
  int64_t c;
  if (std::abs(term.coefficient) != 1 || !IsInt(term.atom->args[1], &c)) return false;
  LinearSum scaled;
  for (size_t i = 0; i < sum->terms.size(); ++i) {
    if (static_cast<int>(i) == only) {
      AddExpr(term.atom->args[0], term.coefficient, &scaled);
    } else {
      AddTerm(sum->terms[i].atom, WrapMul(c, sum->terms[i].coefficient), &scaled);
    }
  }
  FoldPairs(&scaled);
  *limit = WrapMul(*limit, c) + (term.coefficient > 0 ? c - 1 : 0) - scaled.constant;
  scaled.constant = 0;
  *sum = std::move(scaled);
  return true;
}

Expr Simplifier::RunEqual(const Expr& e) {
  LinearSum sum;
  Collect(e->args[0], 1, &sum);
  Collect(e->args[1], -1, &sum);
  FoldPairs(&sum);
  const Interval bounds = scope_.Bound(sum);
  if (bounds == Point(0)) return BoolImm(true);
  if (bounds.min > 0 || bounds.max < 0) return BoolImm(false);
  if (const int64_t factor = CommonFactor(sum); factor > 1) {
    if (sum.constant % factor != 0) return BoolImm(false);
    for (SumTerm& term : sum.terms) term.coefficient /= factor;
    sum.constant /= factor;
  }
  if (sum.terms[0].coefficient < 0) {
    for (SumTerm& term : sum.terms) term.coefficient = -term.coefficient;
    sum.constant = -sum.constant;
  }
  LinearSum left, right;
  SplitBySign(sum, &left, &right);
  if (sum.constant > 0 && !right.terms.empty()) {
    left.constant = sum.constant;
  } else {
    right.constant = -sum.constant;
  }
  return BuildCompare(ExprKind::kEq, left, right, e);
}

}  // namespace alt::ir::internal
