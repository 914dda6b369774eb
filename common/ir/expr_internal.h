#ifndef COMMON_IR_EXPR_INTERNAL_H_
#define COMMON_IR_EXPR_INTERNAL_H_

// Shared by the makers of expr.cc and expr_makers.cc.

#include "common/ir/expr.h"

namespace alt::ir::internal {

// An IntImm of dtype kIndex or kBool, broadcast to dtype's lanes.
Expr IntConstant(int64_t value, DType dtype);

}  // namespace alt::ir::internal

#endif  // COMMON_IR_EXPR_INTERNAL_H_
