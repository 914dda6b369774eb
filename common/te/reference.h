#ifndef COMMON_TE_REFERENCE_H_
#define COMMON_TE_REFERENCE_H_

#include "absl/status/statusor.h"
#include "common/ir/interpreter.h"
#include "common/te/stage.h"

namespace alt::te {

// Evaluates every stage naively in double precision. `memory` holds every external tensor
// (logical, row-major); on return it holds all tensors. For tests and small shapes: about 50 ns a
// multiply-add; the worker compiles a strided loop nest instead.
absl::Status Evaluate(const Graph& graph, ir::Memory& memory);

}  // namespace alt::te

#endif  // COMMON_TE_REFERENCE_H_
