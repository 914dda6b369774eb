#ifndef TESTS_TESTING_EVALUATE_H_
#define TESTS_TESTING_EVALUATE_H_

#include "absl/status/statusor.h"
#include "common/ir/interpreter.h"
#include "common/te/stage.h"

namespace alt::testing {

// Evaluates every stage naively in double precision. `memory` holds every external tensor
// (logical, row-major); on return it holds all tensors. For small shapes: about 50 ns a
// multiply-add.
absl::Status Evaluate(const te::Graph& graph, ir::Memory& memory);

}  // namespace alt::testing

#endif  // TESTS_TESTING_EVALUATE_H_
