#include "tests/testing/tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "common/base/check.h"
#include "tests/testing/evaluate.h"

namespace alt::testing {
namespace {

ir::Memory Inputs(const te::Graph& graph, absl::FunctionRef<double()> value) {
  ir::Memory memory;
  for (const te::Tensor& tensor : graph.tensors) {
    if (graph.Producer(tensor.buffer) != nullptr) continue;
    std::vector<double>& contents = memory[tensor.buffer.get()];
    contents.resize(ir::NumElements(*tensor.buffer));
    for (double& element : contents) element = value();
  }
  return memory;
}

}  // namespace

ir::Memory RandomInputs(const te::Graph& graph, base::Random& random) {
  return Inputs(graph, [&] { return static_cast<double>(random.UniformInt(-4, 4)); });
}

ir::Memory RandomRealInputs(const te::Graph& graph, base::Random& random) {
  return Inputs(graph, [&] { return 2 * random.UnitDouble() - 1; });
}

ir::Memory SameInputs(const te::Graph& from, const ir::Memory& memory, const te::Graph& to) {
  ir::Memory same;
  for (const te::Tensor& tensor : to.tensors) {
    if (to.Producer(tensor.buffer) != nullptr) continue;
    const te::Tensor* source = from.FindTensor(tensor.buffer->name);
    ALT_CHECK(source != nullptr) << tensor.buffer->name;
    same[tensor.buffer.get()] = memory.at(source->buffer.get());
  }
  return same;
}

std::vector<double> EvaluateTensor(const te::Graph& graph, ir::Memory inputs,
                                   const std::string& tensor) {
  const absl::Status status = Evaluate(graph, inputs);
  EXPECT_TRUE(status.ok()) << status;
  if (!status.ok()) return {};
  return inputs.at(graph.FindTensor(tensor)->buffer.get());
}

double MaxDifference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

}  // namespace alt::testing
