#include "common/lower/lower.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/ir/simplify.h"
#include "common/ir/verify.h"
#include "common/layout/apply_layouts.h"
#include "common/lower/create_loop_nest.h"
#include "common/lower/expanded_size.h"
#include "common/lower/flatten_buffers.h"
#include "common/lower/partition_loops.h"
#include "common/lower/promote_accumulators.h"
#include "common/lower/transpose_loops.h"
#include "common/lower/unroll_loops.h"
#include "common/lower/vectorize_loops.h"
#include "common/schedule/apply.h"

namespace alt::lower {
namespace {

// Half a second of compile time, seldom one and a half (expanded_size.h).
constexpr int64_t kMaxExpandedSize = 100000;

layout::Layout LayoutOf(const workload::Candidate& candidate, const std::string& tensor) {
  const auto it = candidate.layouts.find(tensor);
  return it == candidate.layouts.end() ? layout::Layout{} : it->second;
}

// External inputs, constants (external or computed) that the kernel's own stages read, the result.
std::vector<Parameter> MakeParameters(const te::Graph& logical, const te::Graph& physical,
                                      const workload::Candidate& candidate) {
  std::vector<Parameter> params;
  const auto add = [&](size_t i) {
    params.push_back({logical.tensors[i], LayoutOf(candidate, logical.tensors[i].buffer->name),
                      physical.tensors[i].buffer});
  };
  for (size_t i = 0; i < physical.tensors.size(); ++i) {
    const te::Tensor& tensor = physical.tensors[i];
    if (tensor.role == te::Role::kInput) add(i);  // also where padding hides all of it
    if (tensor.role != te::Role::kConstant) continue;
    for (const te::Stage* reader : physical.Consumers(tensor.buffer)) {
      if (te::RunsAhead(physical, *reader)) continue;
      add(i);
      break;
    }
  }
  for (size_t i = 0; i < physical.tensors.size(); ++i) {
    if (physical.tensors[i].role == te::Role::kOutput) add(i);
  }
  return params;
}

}  // namespace

absl::StatusOr<Kernel> LowerToLoops(const workload::Workload& workload,
                                    const workload::Candidate& candidate, const std::string& name) {
  ALT_ASSIGN_OR_RETURN(te::Graph logical, workload::MakeGraph(workload, candidate.algorithm));
  ALT_ASSIGN_OR_RETURN(te::Graph physical, layout::ApplyLayouts(logical, candidate.layouts));
  ALT_ASSIGN_OR_RETURN(schedule::LoopNest nest, schedule::ApplyTrace(physical, candidate.trace));
  ALT_ASSIGN_OR_RETURN(ir::Stmt body, CreateLoopNest(nest));
  // Partitioning reads conditions in simplified form only.
  body = ir::Simplify(body);
  body = PartitionLoops(body);
  Kernel kernel{{}, MakeParameters(logical, physical, candidate)};
  ir::Function function{name, {}, body};
  for (const Parameter& param : kernel.params) function.params.push_back(param.buffer);
  // What each instruction does to the accesses is known by now.
  ALT_RETURN_IF_ERROR(CheckTransposes(function));
  kernel.module.functions.push_back(std::move(function));
  return kernel;
}

int64_t ExpandedSize(const Kernel& loops, const target::Target& target) {
  return ExpandedSize(loops.module.functions[0].body, target::VecLanes(target));
}

absl::Status CheckSize(const Kernel& loops, const target::Target& target) {
  const int64_t size = ExpandedSize(loops, target);
  if (size <= kMaxExpandedSize) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("unrolled and vectorized, the program is of size ", size,
                   " (operations, accesses, index terms); the most is ", kMaxExpandedSize));
}

absl::StatusOr<Kernel> Lower(const workload::Workload& workload,
                             const workload::Candidate& candidate, const target::Target& target,
                             const std::string& name) {
  ALT_ASSIGN_OR_RETURN(Kernel loops, LowerToLoops(workload, candidate, name));
  return Lower(std::move(loops), target);
}

absl::StatusOr<Kernel> Lower(Kernel kernel, const target::Target& target) {
  ALT_RETURN_IF_ERROR(CheckSize(kernel, target));
  // A vector access is one ramp only in a buffer of one dimension.
  ir::Function function = FlattenBuffers(kernel.module.functions[0]);
  // Pairs of loops first: what is left of them is vectorized.
  function.body = TransposeLoops(function.body, target::VecLanes(target));
  // Vectors before copies: unrolling then finds whole vectors to repeat.
  function.body = VectorizeLoops(function.body, target::VecLanes(target));
  // Short indices before they are copied.
  function.body = ir::Simplify(function.body);
  function.body = UnrollLoops(function.body);
  // Table entries at constant indices fold here, and terms by zeros vanish.
  function.body = ir::Simplify(function.body);
  // Needs constant indices.
  function.body = PromoteAccumulators(function.body);
  for (size_t i = 0; i < kernel.params.size(); ++i) kernel.params[i].buffer = function.params[i];
  kernel.module.functions[0] = std::move(function);
  ALT_RETURN_IF_ERROR(ir::Verify(kernel.module));
  return kernel;
}

}  // namespace alt::lower
