#ifndef COMMON_CODEGEN_LLVM_LANE_FORM_H_
#define COMMON_CODEGEN_LLVM_LANE_FORM_H_

// Vector index expressions seen lane by lane. No LLVM in here.

#include <cstdint>
#include <optional>

#include "common/ir/expr.h"

namespace alt::codegen {

// base + stride * lane, both scalar; stride in elements of the index.
struct AffineLanes {
  ir::Expr base;
  int64_t stride = 0;
};

// How a vector index moves from lane to lane when it does so by a constant: sums, differences and
// products by constants of ramps and broadcasts. nullopt for everything else (a floordiv of a ramp,
// a ramp by a variable stride). A scalar has stride 0.
std::optional<AffineLanes> ToAffineLanes(const ir::Expr& e);

// The scalar expression that lane `lane` of `e` computes.
ir::Expr LaneOf(const ir::Expr& e, int lane);

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_LANE_FORM_H_
