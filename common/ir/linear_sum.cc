#include "common/ir/linear_sum.h"

#include <utility>

#include "common/ir/equality.h"

namespace alt::ir::internal {
namespace {

// Where the first term of the written sum stands: the first positive one, or simply the first. None
// where a positive constant saves the sum from beginning with a negative term.
size_t LeadingTerm(const LinearSum& sum) {
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (sum.terms[i].coefficient > 0) return i;
  }
  return sum.constant > 0 ? sum.terms.size() : 0;
}

// e == |coefficient| * atom as BuildProduct makes it?
bool IsProduct(const Expr& e, int64_t coefficient, const Expr& atom) {
  if (coefficient == 1) return e.same_as(atom);
  return e->kind == ExprKind::kMul && e->args[0]->kind == ExprKind::kIntImm &&
         e->args[0]->int_value == coefficient && e->args[1].same_as(atom);
}

Expr BuildProduct(int64_t coefficient, const Expr& atom) {
  return coefficient == 1 ? atom : Expr(coefficient) * atom;
}

// Whether e is the chain that ToExpr would build, without building it: the chain is walked from its
// last operation to its first.
bool HasNormalForm(const Expr& e, const LinearSum& sum) {
  const size_t n = sum.terms.size();
  if (n == 0) return e->kind == ExprKind::kIntImm && e->int_value == sum.constant;
  const size_t leading = LeadingTerm(sum);
  const Expr* rest = &e;
  if (sum.constant != 0 && leading < n) {
    const int64_t constant = sum.constant;
    const ExprKind kind = constant > 0 ? ExprKind::kAdd : ExprKind::kSub;
    if ((*rest)->kind != kind || (*rest)->args[1]->kind != ExprKind::kIntImm) return false;
    if ((*rest)->args[1]->int_value != (constant > 0 ? constant : -constant)) return false;
    rest = &(*rest)->args[0];
  }
  for (size_t i = n; i-- > 0;) {
    if (i == leading) continue;
    const SumTerm& term = sum.terms[i];
    const ExprKind kind = term.coefficient > 0 ? ExprKind::kAdd : ExprKind::kSub;
    if ((*rest)->kind != kind) return false;
    const int64_t magnitude = term.coefficient > 0 ? term.coefficient : -term.coefficient;
    if (!IsProduct((*rest)->args[1], magnitude, term.atom)) return false;
    rest = &(*rest)->args[0];
  }
  if (leading == n) return IsIntValue(*rest, sum.constant);
  return IsProduct(*rest, sum.terms[leading].coefficient, sum.terms[leading].atom);
}

}  // namespace

bool SameAtom(const Expr& a, const Expr& b) {
  if (a.same_as(b)) return true;
  if (a->hash != b->hash) return false;
  return a->kind == ExprKind::kVar ? a->var == b->var : StructurallyEqual(a, b);
}

int FindTerm(const LinearSum& sum, const Expr& atom) {
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (SameAtom(sum.terms[i].atom, atom)) return static_cast<int>(i);
  }
  return -1;
}

void RemoveTerm(int index, LinearSum* sum) { sum->terms.erase(sum->terms.begin() + index); }

void AddTerm(const Expr& atom, int64_t coefficient, LinearSum* sum) {
  if (coefficient == 0) return;
  const int found = FindTerm(*sum, atom);
  if (found < 0) {
    sum->terms.push_back({atom, coefficient});
    return;
  }
  int64_t& total = sum->terms[found].coefficient;
  total = WrapAdd(total, coefficient);
  if (total == 0) RemoveTerm(found, sum);
}

void AddExpr(const Expr& e, int64_t coefficient, LinearSum* sum) {
  switch (e->kind) {
    case ExprKind::kIntImm:
      sum->constant = WrapAdd(sum->constant, WrapMul(coefficient, e->int_value));
      return;
    case ExprKind::kAdd:
    case ExprKind::kSub:
      AddExpr(e->args[0], coefficient, sum);
      AddExpr(e->args[1], e->kind == ExprKind::kAdd ? coefficient : -coefficient, sum);
      return;
    case ExprKind::kMul:
      for (int i = 0; i < 2; ++i) {
        if (e->args[i]->kind != ExprKind::kIntImm) continue;
        AddExpr(e->args[1 - i], WrapMul(coefficient, e->args[i]->int_value), sum);
        return;
      }
      break;
    default:
      break;
  }
  AddTerm(e, coefficient, sum);
}

void AddSum(const LinearSum& other, int64_t coefficient, LinearSum* sum) {
  for (const SumTerm& term : other.terms) {
    AddTerm(term.atom, WrapMul(coefficient, term.coefficient), sum);
  }
  sum->constant = WrapAdd(sum->constant, WrapMul(coefficient, other.constant));
}

Expr ToExpr(const LinearSum& sum, const Expr& original) {
  if (original.defined() && HasNormalForm(original, sum)) return original;
  if (sum.terms.empty()) return Expr(sum.constant);
  const size_t leading = LeadingTerm(sum);
  const bool constant_leads = leading == sum.terms.size();
  Expr e = constant_leads ? Expr(sum.constant)
                          : BuildProduct(sum.terms[leading].coefficient, sum.terms[leading].atom);
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    if (i == leading) continue;
    const SumTerm& term = sum.terms[i];
    e = term.coefficient > 0 ? std::move(e) + BuildProduct(term.coefficient, term.atom)
                             : std::move(e) - BuildProduct(-term.coefficient, term.atom);
  }
  if (constant_leads) return e;
  if (sum.constant > 0) return std::move(e) + Expr(sum.constant);
  if (sum.constant < 0) return std::move(e) - Expr(-sum.constant);
  return e;
}

}  // namespace alt::ir::internal
