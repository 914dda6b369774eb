#ifndef COMMON_IR_EXPR_INTERNAL_H_
#define COMMON_IR_EXPR_INTERNAL_H_

// Shared by the makers of expr.cc and expr_makers.cc.

#include "common/ir/expr.h"

namespace alt::ir::internal {

// An IntImm of dtype kIndex or kBool, broadcast to dtype's lanes.
Expr IntConstant(int64_t value, DType dtype);

inline int64_t FloorDivInt(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return q * b > a ? q - 1 : q;  // b > 0
}
inline int64_t FloorModInt(int64_t a, int64_t b) { return a - FloorDivInt(a, b) * b; }

}  // namespace alt::ir::internal

#endif  // COMMON_IR_EXPR_INTERNAL_H_
