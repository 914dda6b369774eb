// CreateLoopNest: the loops that a trace left, as statements.
//
// A stage with a reduction combines in a local accumulator: at its outermost reduction loop stands,
// for a sum,
//   allocate acc[inner spatial loops] { acc = 0; reduction loops { acc += body }; output = acc }
// so the output is written once, and accumulators of an unrolled and vectorized tile become
// registers (promote_accumulators.h). Stages computed inside a loop stand before the rest of its
// body, in a buffer of their region.
// Shown by tests/common/lower/create_loop_nest_test.cc.

#ifndef COMMON_LOWER_CREATE_LOOP_NEST_H_
#define COMMON_LOWER_CREATE_LOOP_NEST_H_

#include "absl/status/statusor.h"
#include "common/ir/stmt.h"
#include "common/schedule/loop_nest.h"

namespace alt::lower {

// The statement is not simplified. Intermediate tensors are allocated in it; external tensors and
// the result are free buffers. FailedPrecondition names the stage whose body is too long over the
// loops (ir/limits.h).
absl::StatusOr<ir::Stmt> CreateLoopNest(const schedule::LoopNest& nest);

}  // namespace alt::lower

#endif  // COMMON_LOWER_CREATE_LOOP_NEST_H_
