#include "common/ir/interval.h"

#include "common/ir/linear_sum.h"
#include "common/ir/range_scope.h"

namespace alt::ir {

std::optional<Interval> BoundsOf(const Expr& e, const RangeMap& ranges) {
  const Interval bounds = internal::RangeScope(ranges).Bound(e);
  if (!internal::IsBounded(bounds)) return std::nullopt;
  return bounds;
}

Linear ToLinear(const Expr& e) {
  internal::LinearSum sum;
  internal::AddExpr(e, 1, &sum);
  Linear linear;
  linear.constant = sum.constant;
  linear.terms.reserve(sum.terms.size());
  for (internal::SumTerm& term : sum.terms) {
    linear.terms.push_back({std::move(term.atom), term.coefficient});
  }
  return linear;
}

Expr FromLinear(const Linear& linear) {
  internal::LinearSum sum;
  sum.constant = linear.constant;
  for (const Linear::Term& term : linear.terms) {
    internal::AddTerm(term.atom, term.coefficient, &sum);
  }
  return internal::ToExpr(sum);
}

}  // namespace alt::ir
