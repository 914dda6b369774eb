#ifndef COMMON_IR_LINEAR_SUM_H_
#define COMMON_IR_LINEAR_SUM_H_

// The working form of Linear (interval.h) inside the simplifier: no heap for short sums. Private to
// common/ir.

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "common/ir/expr.h"

namespace alt::ir::internal {

struct SumTerm {
  Expr atom;
  int64_t coefficient = 0;
};

// constant + the terms; no two atoms equal, no zero coefficient, in order of first occurrence.
struct LinearSum {
  absl::InlinedVector<SumTerm, 6> terms;
  int64_t constant = 0;
};

// Equal variables, or structurally equal.
bool SameAtom(const Expr& a, const Expr& b);
// Index of the term of this atom, -1 when there is none.
int FindTerm(const LinearSum& sum, const Expr& atom);
// sum += coefficient * atom, where atom is not itself a sum.
void AddTerm(const Expr& atom, int64_t coefficient, LinearSum* sum);
// sum += coefficient * e, taking e apart. e is a scalar index expression.
void AddExpr(const Expr& e, int64_t coefficient, LinearSum* sum);
void AddSum(const LinearSum& other, int64_t coefficient, LinearSum* sum);
void RemoveTerm(int index, LinearSum* sum);

// The normal form of a sum: the first positive term moves ahead of leading negative ones, the
// constant stands last, or first where it alone is positive. `original`, when it has that form
// already, is returned instead of a copy.
Expr ToExpr(const LinearSum& sum, const Expr& original = Expr());

// Wrapping arithmetic: index arithmetic never overflows, and if it did, it must not be undefined.
inline int64_t WrapAdd(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
inline int64_t WrapMul(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

}  // namespace alt::ir::internal

#endif  // COMMON_IR_LINEAR_SUM_H_
