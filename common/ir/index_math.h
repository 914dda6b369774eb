// Index arithmetic that leaves out what has no effect: expressions stay small before Simplify.
#ifndef COMMON_IR_INDEX_MATH_H_
#define COMMON_IR_INDEX_MATH_H_

#include "common/ir/expr.h"

namespace alt::ir {

// divisor > 0.
inline Expr DivBy(const Expr& e, int64_t divisor) {
  return divisor == 1 ? e : FloorDiv(e, divisor);
}
inline Expr ModBy(const Expr& e, int64_t divisor) {
  return divisor == 1 ? Expr(0) : FloorMod(e, divisor);
}
inline Expr Plus(const Expr& a, const Expr& b) {
  if (IsIntValue(a, 0)) return b;
  if (IsIntValue(b, 0)) return a;
  return a + b;
}
inline Expr Times(const Expr& e, int64_t factor) { return factor == 1 ? e : e * factor; }

}  // namespace alt::ir

#endif  // COMMON_IR_INDEX_MATH_H_
