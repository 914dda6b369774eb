// Contents of tensors for tests that evaluate graphs.
#ifndef TESTS_TESTING_TENSORS_H_
#define TESTS_TESTING_TENSORS_H_

#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/ir/interpreter.h"
#include "common/te/stage.h"

namespace alt::testing {

// Integers from -4 to 4 for every tensor that no stage writes: sums of products of these are exact
// in single precision too.
ir::Memory RandomInputs(const te::Graph& graph, base::Random& random);
// The same with real numbers in [-1, 1).
ir::Memory RandomRealInputs(const te::Graph& graph, base::Random& random);

// Copies the contents of the external tensors to those of the same names in another graph.
ir::Memory SameInputs(const te::Graph& from, const ir::Memory& memory, const te::Graph& to);

// Evaluates the graph on `inputs` (evaluate.h) and returns the contents of the tensor of that
// name. A failure is reported to gtest and gives nothing.
std::vector<double> EvaluateTensor(const te::Graph& graph, ir::Memory inputs,
                                   const std::string& tensor);

// Largest absolute difference; infinity where the sizes differ.
double MaxDifference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace alt::testing

#endif  // TESTS_TESTING_TENSORS_H_
