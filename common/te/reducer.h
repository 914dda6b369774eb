// How a reduction combines the values of its body.
#ifndef COMMON_TE_REDUCER_H_
#define COMMON_TE_REDUCER_H_

#include "common/ir/expr.h"

namespace alt::te {

// Combining is associative and commutative, up to rounding: loops may run in any order. Combining
// with the identity changes nothing: it is what an accumulator starts from.
struct Reducer {
  const char* name;  // in texts
  ir::Expr (*identity)(ir::DType dtype);
  ir::Expr (*combine)(ir::Expr a, ir::Expr b);
};

inline constexpr Reducer kSum = {"sum", ir::Zero, ir::operator+ };

}  // namespace alt::te

#endif  // COMMON_TE_REDUCER_H_
