// min and max of indices.

#include "common/ir/simplify_internal.h"

namespace alt::ir::internal {
namespace {

// Moves the terms that both sums have from them to *common.
void TakeCommonTerms(LinearSum* a, LinearSum* b, LinearSum* common) {
  for (size_t i = 0; i < a->terms.size();) {
    const int found = FindTerm(*b, a->terms[i].atom);
    if (found < 0 || b->terms[found].coefficient != a->terms[i].coefficient) {
      ++i;
      continue;
    }
    common->terms.push_back(a->terms[i]);
    RemoveTerm(static_cast<int>(i), a);
    RemoveTerm(found, b);
  }
}

}  // namespace

Interval Simplifier::DifferenceOf(const Expr& a, const Expr& b) const {
  LinearSum difference;
  AddExpr(a, 1, &difference);
  AddExpr(b, -1, &difference);
  return scope_.Bound(difference);
}

Expr Simplifier::RunMinMax(const Expr& e) {
  return BuildMinMax(e->kind, RunIndex(e->args[0]), RunIndex(e->args[1]), e);
}

Expr Simplifier::BuildMinMax(ExprKind kind, Expr a, Expr b, const Expr& original) {
  Interval difference = DifferenceOf(a, b);
  if (kind == ExprKind::kMax) difference = difference * -1;
  if (difference.max <= 0) return a;
  if (difference.min >= 0) return b;
  if (Expr folded = FoldNestedMinMax(kind, a, b); folded.defined()) return folded;
  if (Expr folded = FoldNestedMinMax(kind, b, a); folded.defined()) return folded;
  LinearSum x, y, common;
  AddExpr(a, 1, &x);
  AddExpr(b, 1, &y);
  TakeCommonTerms(&x, &y, &common);
  if (!common.terms.empty()) {
    AddExpr(BuildMinMax(kind, ToExpr(x), ToExpr(y)), 1, &common);
    FoldPairs(&common);
    return ToExpr(common);
  }
  if (a->kind == ExprKind::kIntImm) std::swap(a, b);
  if (original.defined() && original->kind == kind && a.same_as(original->args[0]) &&
      b.same_as(original->args[1])) {
    return original;
  }
  return kind == ExprKind::kMin ? Min(std::move(a), std::move(b)) : Max(std::move(a), std::move(b));
}

// min(min(p, q), b) where one of the three does not matter; undefined where all do.
Expr Simplifier::FoldNestedMinMax(ExprKind kind, const Expr& a, const Expr& b) {
  if (a->kind != ExprKind::kMin && a->kind != ExprKind::kMax) return Expr();
  for (int i = 0; i < 2; ++i) {
    Interval difference = DifferenceOf(a->args[i], b);
    if (kind == ExprKind::kMax) difference = difference * -1;
    if (a->kind == kind) {
      if (difference.max <= 0) return a;
      if (difference.min >= 0) return BuildMinMax(kind, a->args[1 - i], b);
    } else {
      // min(max(p, q), b) with b <= p.
      if (difference.min >= 0) return b;
    }
  }
  return Expr();
}

}  // namespace alt::ir::internal
