#ifndef COMMON_IR_LANES_H_
#define COMMON_IR_LANES_H_

// Private to common/ir.

#include "common/ir/expr.h"

namespace alt::ir::internal {

// What a vector of indices or conditions is in lane `lane`, a scalar index expression; a scalar is
// the same in all lanes. Undefined where that cannot be said: loads, comparisons of floats.
Expr InLane(const Expr& e, const Expr& lane);

}  // namespace alt::ir::internal

#endif  // COMMON_IR_LANES_H_
