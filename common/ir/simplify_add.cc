// Sums: collecting terms, and pairs of terms that are one.

#include "common/ir/simplify_internal.h"

namespace alt::ir::internal {
namespace {

// The constant divisor of a FloorDiv or FloorMod, 0 for anything else.
int64_t DivisorOf(const Expr& e, ExprKind kind) {
  return e->kind == kind && e->args[1]->kind == ExprKind::kIntImm ? e->args[1]->int_value : 0;
}

LinearSum SumOf(const Expr& e) {
  LinearSum sum;
  AddExpr(e, 1, &sum);
  return sum;
}

bool HasDivOrMod(const LinearSum& sum) {
  for (const SumTerm& term : sum.terms) {
    if (term.atom->kind == ExprKind::kFloorDiv || term.atom->kind == ExprKind::kFloorMod) {
      return true;
    }
  }
  return false;
}

}  // namespace

LinearSum Simplifier::CollectSum(const Expr& e) {
  LinearSum sum;
  Collect(e, 1, &sum);
  FoldPairs(&sum);
  return sum;
}

void Simplifier::Collect(const Expr& e, int64_t coefficient, LinearSum* sum) {
  const auto& args = e->args;
  switch (e->kind) {
    case ExprKind::kIntImm:
      sum->constant = WrapAdd(sum->constant, WrapMul(coefficient, e->int_value));
      return;
    case ExprKind::kVar:
      return AddExpr(RunVar(e), coefficient, sum);
    case ExprKind::kAdd:
    case ExprKind::kSub:
      Collect(args[0], coefficient, sum);
      return Collect(args[1], e->kind == ExprKind::kAdd ? coefficient : -coefficient, sum);
    case ExprKind::kMul: {
      for (int i = 0; i < 2; ++i) {
        if (args[i]->kind != ExprKind::kIntImm) continue;
        return Collect(args[1 - i], WrapMul(coefficient, args[i]->int_value), sum);
      }
      return AddExpr(RunArgs(e), coefficient, sum);
    }
    case ExprKind::kFloorDiv:
    case ExprKind::kFloorMod:
      return CollectDivMod(e, coefficient, sum);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return AddExpr(RunMinMax(e), coefficient, sum);
    case ExprKind::kSelect:
      return AddExpr(RunSelect(e), coefficient, sum);
    case ExprKind::kLoad:
      return AddExpr(RunLoad(e), coefficient, sum);
    default:
      return AddExpr(RunArgs(e), coefficient, sum);
  }
}

void Simplifier::FoldPairs(LinearSum* sum) {
  if (sum->terms.size() < 2 || !HasDivOrMod(*sum)) return;
  while (FoldDivModPair(sum) || FoldToMod(sum)) {
  }
}

bool Simplifier::AreCongruent(const LinearSum& a, const LinearSum& b, int64_t c) {
  LinearSum difference = a;
  AddSum(b, -1, &difference);
  ReduceModulo(c, &difference);
  return difference.terms.empty() && difference.constant % c == 0;
}

// k * c * floordiv(x, w * c) + k * floormod(y, c) is k * floordiv(x, w) when y and floordiv(x, w)
// are congruent modulo c.
bool Simplifier::FoldDivModPair(LinearSum* sum) {
  for (size_t i = 0; i < sum->terms.size(); ++i) {
    const int64_t c = DivisorOf(sum->terms[i].atom, ExprKind::kFloorMod);
    if (c == 0) continue;
    const int64_t k = sum->terms[i].coefficient;
    for (size_t j = 0; j < sum->terms.size(); ++j) {
      if (i == j || sum->terms[j].coefficient != WrapMul(k, c)) continue;
      const Expr& other = sum->terms[j].atom;
      const int64_t divisor = DivisorOf(other, ExprKind::kFloorDiv);
      if (divisor == 0) {
        if (FoldModModPair(static_cast<int>(i), static_cast<int>(j), sum)) return true;
        continue;
      }
      if (divisor % c != 0) continue;
      const LinearSum quotient = DivideSum(SumOf(other->args[0]), divisor / c);
      if (!AreCongruent(quotient, SumOf(sum->terms[i].atom->args[0]), c)) continue;
      RemoveTerm(static_cast<int>(std::max(i, j)), sum);
      RemoveTerm(static_cast<int>(std::min(i, j)), sum);
      AddSum(quotient, k, sum);
      return true;
    }
  }
  return false;
}

// The same with a further floormod around the division: two digits of one number.
// k * c * floormod(floordiv(x, w * c) + r, e) + k * floormod(y, c) is k * floormod(q, c * e) with
// q = floordiv(x, w) + c * r, when y and q are congruent modulo c.
bool Simplifier::FoldModModPair(int mod, int other, LinearSum* sum) {
  const Expr high = sum->terms[other].atom;
  const int64_t e = DivisorOf(high, ExprKind::kFloorMod);
  if (e == 0) return false;
  const Expr low = sum->terms[mod].atom;
  const int64_t k = sum->terms[mod].coefficient;
  const int64_t c = low->args[1]->int_value;
  const LinearSum digits = SumOf(high->args[0]);
  for (size_t i = 0; i < digits.terms.size(); ++i) {
    const Expr& atom = digits.terms[i].atom;
    const int64_t divisor = DivisorOf(atom, ExprKind::kFloorDiv);
    if (divisor == 0 || divisor % c != 0 || digits.terms[i].coefficient != 1) continue;
    LinearSum q = DivideSum(SumOf(atom->args[0]), divisor / c);
    LinearSum rest = digits;
    RemoveTerm(static_cast<int>(i), &rest);
    AddSum(rest, c, &q);
    if (!AreCongruent(q, SumOf(low->args[0]), c)) continue;
    RemoveTerm(std::max(mod, other), sum);
    RemoveTerm(std::min(mod, other), sum);
    AddSum(ModuloSum(std::move(q), c * e), k, sum);
    return true;
  }
  return false;
}

// k * x - k * c * floordiv(x, c) is k * floormod(x, c).
bool Simplifier::FoldToMod(LinearSum* sum) {
  for (size_t i = 0; i < sum->terms.size(); ++i) {
    const int64_t c = DivisorOf(sum->terms[i].atom, ExprKind::kFloorDiv);
    if (c == 0 || sum->terms[i].coefficient % c != 0) continue;
    const int64_t k = -(sum->terms[i].coefficient / c);
    LinearSum x = SumOf(sum->terms[i].atom->args[0]);
    bool present = true;
    for (const SumTerm& term : x.terms) {
      const int found = FindTerm(*sum, term.atom);
      present &= found >= 0 && sum->terms[found].coefficient == WrapMul(k, term.coefficient);
    }
    if (!present) continue;
    RemoveTerm(static_cast<int>(i), sum);
    AddSum(x, -k, sum);
    AddSum(ModuloSum(std::move(x), c), k, sum);
    return true;
  }
  return false;
}

}  // namespace alt::ir::internal
