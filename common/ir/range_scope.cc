#include "common/ir/range_scope.h"

#include <numeric>
#include <utility>

#include "common/base/math.h"

namespace alt::ir::internal {
namespace {

// Divides by the common factor of the coefficients and makes the first one positive.
void Normalize(LinearSum* sum, Interval* range) {
  if (!IsOpen(range->min)) range->min -= sum->constant;
  if (!IsOpen(range->max)) range->max -= sum->constant;
  sum->constant = 0;
  int64_t factor = 0;
  for (const SumTerm& term : sum->terms) factor = std::gcd(factor, term.coefficient);
  if (factor == 0) return;
  if (sum->terms[0].coefficient < 0) {
    *range = *range * -1;
    for (SumTerm& term : sum->terms) term.coefficient = -term.coefficient;
  }
  if (factor == 1) return;
  for (SumTerm& term : sum->terms) term.coefficient /= factor;
  if (!IsOpen(range->min)) range->min = -base::FloorDiv(-range->min, factor);
  range->max = EndFloorDiv(range->max, factor);
}

Interval FloorDivBounds(Interval a, Interval b) {
  b.min = std::max<int64_t>(b.min, 1);
  if (IsPoint(b)) return {EndFloorDiv(a.min, b.min), EndFloorDiv(a.max, b.min)};
  if (b.max < b.min) return kEverything;
  const int64_t largest = b.max;
  // Dividing by more brings a number nearer to zero (or to minus one).
  const int64_t min = a.min < 0 ? EndFloorDiv(a.min, b.min) : a.min / largest;
  int64_t max = EndFloorDiv(a.max, b.min);
  if (a.max < 0) max = IsOpen(largest) ? -1 : EndFloorDiv(a.max, largest);
  return {min, max};
}

Interval FloorModBounds(Interval a, Interval b) {
  if (b.max < 1) return kEverything;
  if (IsPoint(b) && IsBounded(a)) {
    const int64_t c = b.min;
    if (base::FloorDiv(a.min, c) == base::FloorDiv(a.max, c)) {
      return {base::FloorMod(a.min, c), base::FloorMod(a.max, c)};
    }
  }
  const int64_t most = IsOpen(b.max) ? kPosInf : b.max - 1;
  // floormod(a, b) <= a for a >= 0.
  return {0, a.min >= 0 ? std::min(most, a.max) : most};
}

}  // namespace

void RangeScope::Restore(Mark mark) {
  ranges_.resize(mark.ranges);
  facts_.erase(facts_.begin() + mark.facts, facts_.end());
  decisions_.erase(decisions_.begin() + mark.decisions, decisions_.end());
  version_ = mark.version;
}

Interval RangeScope::RangeOf(const VarNode* var) const {
  for (size_t i = ranges_.size(); i-- > 0;) {
    if (ranges_[i].var == var) return ranges_[i].range;
  }
  for (const VarRange& known : permanent_) {
    if (known.var == var) return known.range;
  }
  if (base_.empty()) return kEverything;
  auto it = base_.find(var);
  return it == base_.end() ? kEverything : it->second;
}

void RangeScope::Assume(const Expr& condition, bool value) {
  switch (condition->kind) {
    case ExprKind::kNot:
      return Assume(condition->args[0], !value);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      // a || b tells nothing of either one alone.
      if (value != (condition->kind == ExprKind::kAnd)) return Decide(condition, value);
      Assume(condition->args[0], value);
      return Assume(condition->args[1], value);
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kEq:
      break;
    default:
      return Decide(condition, value);
  }
  if (condition->args[0]->dtype != kIndex) return Decide(condition, value);
  LinearSum difference;
  AddExpr(condition->args[0], 1, &difference);
  AddExpr(condition->args[1], -1, &difference);
  const bool less = condition->kind == ExprKind::kLt;
  if (condition->kind != ExprKind::kEq) {
    const Interval range =
        value ? Interval{kNegInf, less ? -1 : 0} : Interval{less ? 0 : 1, kPosInf};
    return AssumeSum(std::move(difference), range);
  }
  if (value) return AssumeSum(std::move(difference), Point(0));
  // x != end of the range of x.
  const Interval bounds = Bound(difference);
  if (bounds.min == 0) return AssumeSum(std::move(difference), {1, kPosInf});
  if (bounds.max == 0) return AssumeSum(std::move(difference), {kNegInf, -1});
  Decide(condition, value);
}

void RangeScope::Decide(const Expr& condition, bool value) {
  decisions_.push_back({condition, value});
  version_ = ++last_version_;
}

int RangeScope::Decided(const Expr& condition) const {
  for (const Decision& decision : decisions_) {
    if (SameAtom(decision.condition, condition)) return decision.value;
  }
  return -1;
}

void RangeScope::AssumeSum(LinearSum sum, Interval range) {
  if (sum.terms.empty()) return;
  Normalize(&sum, &range);
  Fact fact{std::move(sum), range};
  for (const Fact& known : facts_) {
    if (known.sum.terms.size() == fact.sum.terms.size() && FactorOf(known, fact.sum) == 1) {
      fact.range = Intersect(fact.range, known.range);
    }
  }
  NarrowVariables(fact);
  if (fact.sum.terms.size() > 1 || fact.sum.terms[0].atom->kind != ExprKind::kVar) {
    facts_.push_back(std::move(fact));
    version_ = ++last_version_;
  }
}

void RangeScope::NarrowVariables(const Fact& fact) {
  for (const SumTerm& term : fact.sum.terms) {
    if (term.atom->kind != ExprKind::kVar) continue;
    Interval rest = fact.range;
    for (const SumTerm& other : fact.sum.terms) {
      if (&other != &term) rest = rest + BoundAtom(other.atom) * -other.coefficient;
    }
    const int64_t c = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    if (term.coefficient < 0) rest = rest * -1;
    if (!IsOpen(rest.min)) rest.min = -base::FloorDiv(-rest.min, c);
    rest.max = EndFloorDiv(rest.max, c);
    const VarNode* var = term.atom->var.get();
    const Interval known = RangeOf(var);
    const Interval narrowed = Intersect(known, rest);
    if (narrowed != known) SetRange(var, narrowed);
  }
}

int64_t RangeScope::FactorOf(const Fact& fact, const LinearSum& sum) {
  if (fact.sum.terms.size() > sum.terms.size()) return 0;
  int64_t factor = 0;
  for (const SumTerm& term : fact.sum.terms) {
    const int found = FindTerm(sum, term.atom);
    if (found < 0) return 0;
    const int64_t coefficient = sum.terms[found].coefficient;
    if (coefficient % term.coefficient != 0) return 0;
    const int64_t quotient = coefficient / term.coefficient;
    if (factor != 0 && factor != quotient) return 0;
    factor = quotient;
  }
  return factor;
}

Interval RangeScope::BoundTerms(const LinearSum& sum) const {
  Interval total = Point(sum.constant);
  for (const SumTerm& term : sum.terms) {
    total = total + BoundAtom(term.atom) * term.coefficient;
    if (total == kEverything) break;
  }
  return total;
}

Interval RangeScope::BoundWithFacts(const LinearSum& sum) const {
  LinearSum rest = sum;
  Interval total = Point(0);
  for (size_t i = facts_.size(); i-- > 0;) {
    const Fact& fact = facts_[i];
    const int64_t factor = FactorOf(fact, rest);
    if (factor == 0) continue;
    total = total + Intersect(fact.range, BoundTerms(fact.sum)) * factor;
    AddSum(fact.sum, -factor, &rest);
  }
  return total + BoundTerms(rest);
}

Interval RangeScope::Bound(const LinearSum& sum) const {
  const Interval plain = BoundTerms(sum);
  return facts_.empty() ? plain : Intersect(plain, BoundWithFacts(sum));
}

Interval RangeScope::Bound(const Expr& e) const {
  switch (e->kind) {
    case ExprKind::kAdd:
    case ExprKind::kSub:
    case ExprKind::kMul:
      if (e->dtype == kIndex) {
        LinearSum sum;
        AddExpr(e, 1, &sum);
        // A product of two variables is its own only term.
        const bool is_atom = sum.terms.size() == 1 && sum.terms[0].atom.same_as(e);
        return is_atom ? BoundAtom(e) : Bound(sum);
      }
      return BoundAtom(e);
    case ExprKind::kIntImm:
    case ExprKind::kVar:
      return BoundAtom(e);
    default:
      break;
  }
  const Interval plain = BoundAtom(e);
  if (facts_.empty() || e->dtype != kIndex) return plain;
  LinearSum sum;
  AddTerm(e, 1, &sum);
  return Intersect(plain, BoundWithFacts(sum));
}

Interval RangeScope::BoundCompare(const Expr& e) const {
  const Expr& a = e->args[0];
  const Expr& b = e->args[1];
  if (a->dtype.scalar != ScalarType::kIndex) return {0, 1};
  Interval difference;
  if (a->dtype.lanes == 1) {
    LinearSum sum;
    AddExpr(a, 1, &sum);
    AddExpr(b, -1, &sum);
    difference = Bound(sum);
  } else {
    difference = Bound(a) + Bound(b) * -1;
  }
  if (e->kind == ExprKind::kEq) {
    if (difference == Point(0)) return Point(1);
    return difference.min > 0 || difference.max < 0 ? Point(0) : Interval{0, 1};
  }
  const int64_t limit = e->kind == ExprKind::kLt ? -1 : 0;
  if (difference.max <= limit) return Point(1);
  return difference.min > limit ? Point(0) : Interval{0, 1};
}

Interval RangeScope::BoundAtom(const Expr& e) const {
  const auto& args = e->args;
  switch (e->kind) {
    case ExprKind::kIntImm:
      return Point(e->int_value);
    case ExprKind::kVar:
      return RangeOf(e->var.get());
    case ExprKind::kAdd:
    case ExprKind::kSub:
      if (e->dtype.is_float()) return kEverything;
      return Bound(args[0]) + Bound(args[1]) * (e->kind == ExprKind::kAdd ? 1 : -1);
    case ExprKind::kMul:
      return e->dtype.is_float() ? kEverything : Product(Bound(args[0]), Bound(args[1]));
    case ExprKind::kFloorDiv:
      return FloorDivBounds(Bound(args[0]), Bound(args[1]));
    case ExprKind::kFloorMod:
      return FloorModBounds(Bound(args[0]), Bound(args[1]));
    case ExprKind::kMin:
    case ExprKind::kMax: {
      if (e->dtype.is_float()) return kEverything;
      const Interval a = Bound(args[0]);
      const Interval b = Bound(args[1]);
      if (e->kind == ExprKind::kMin) return {std::min(a.min, b.min), std::min(a.max, b.max)};
      return {std::max(a.min, b.min), std::max(a.max, b.max)};
    }
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kEq:
      return BoundCompare(e);
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      const Interval a = Bound(args[0]);
      const Interval b = Bound(args[1]);
      if (e->kind == ExprKind::kAnd) return {std::min(a.min, b.min), std::min(a.max, b.max)};
      return {std::max(a.min, b.min), std::max(a.max, b.max)};
    }
    case ExprKind::kNot: {
      const Interval a = Bound(args[0]);
      return {1 - a.max, 1 - a.min};
    }
    case ExprKind::kSelect:
      return e->dtype.is_float() ? kEverything : Hull(Bound(args[1]), Bound(args[2]));
    case ExprKind::kRamp: {
      const Interval lanes{0, e->dtype.lanes - 1};
      return Bound(args[0]) + Product(Bound(args[1]), lanes);
    }
    case ExprKind::kBroadcast:
      return Bound(args[0]);
    case ExprKind::kLoad:
      return e->dtype.scalar == ScalarType::kBool ? Interval{0, 1} : kEverything;
    default:
      return kEverything;
  }
}

}  // namespace alt::ir::internal
