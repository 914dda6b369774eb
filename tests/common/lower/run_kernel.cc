#include "tests/common/lower/run_kernel.h"

#include <utility>

#include "common/base/status_macros.h"
#include "common/ir/interpreter.h"
#include "common/layout/conversion.h"
#include "tests/testing/evaluate.h"

namespace alt::testing {
namespace {

absl::StatusOr<std::vector<double>> Pack(const te::Tensor& tensor, const layout::Layout& layout,
                                         const std::vector<double>& values) {
  ALT_ASSIGN_OR_RETURN(te::Graph graph, layout::PackGraph(tensor, layout));
  ir::Memory memory;
  const te::Tensor* from = nullptr;
  const te::Tensor* to = nullptr;
  for (const te::Tensor& t : graph.tensors) (t.role == te::Role::kOutput ? to : from) = &t;
  memory[from->buffer.get()] = values;
  ALT_RETURN_IF_ERROR(testing::Evaluate(graph, memory));
  return memory[to->buffer.get()];
}

}  // namespace

absl::StatusOr<Outputs> RunOn(const Values& logical, const workload::Workload& workload,
                              const workload::Candidate& candidate, const target::Target& target) {
  ALT_ASSIGN_OR_RETURN(lower::Kernel kernel, lower::Lower(workload, candidate, target));
  ir::Memory physical;
  Outputs outputs;
  for (const lower::Parameter& param : kernel.params) {
    const std::vector<double>& values = logical.at(param.tensor.buffer->name);
    ALT_ASSIGN_OR_RETURN(std::vector<double> packed, Pack(param.tensor, param.layout, values));
    if (param.tensor.role == te::Role::kOutput) {
      outputs.reference = packed;
      packed.assign(packed.size(), 12345.0);  // every cell must be written
    }
    physical[param.buffer.get()] = std::move(packed);
  }
  ALT_RETURN_IF_ERROR(ir::Interpret(kernel.module.functions[0], physical));
  outputs.kernel = physical.at(kernel.params.back().buffer.get());
  return outputs;
}

absl::StatusOr<Outputs> RunBoth(const workload::Workload& workload,
                                const workload::Candidate& candidate, const target::Target& target,
                                base::Random& random) {
  ALT_ASSIGN_OR_RETURN(te::Graph graph, workload::MakeGraph(workload, candidate.algorithm));
  ir::Memory memory;
  for (const te::Tensor& tensor : graph.tensors) {
    if (graph.Producer(tensor.buffer) != nullptr) continue;
    std::vector<double>& values = memory[tensor.buffer.get()];
    values.resize(ir::NumElements(*tensor.buffer));
    for (double& value : values) value = static_cast<double>(random.UniformInt(-4, 4));
  }
  ALT_RETURN_IF_ERROR(testing::Evaluate(graph, memory));
  // Lower makes new buffers: tensors correspond by name.
  Values logical;
  for (const te::Tensor& tensor : graph.tensors) {
    logical[tensor.buffer->name] = std::move(memory[tensor.buffer.get()]);
  }
  return RunOn(logical, workload, candidate, target);
}

}  // namespace alt::testing
