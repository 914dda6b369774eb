#include "worker/measure/stage_evaluator.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/lower/lower.h"
#include "worker/measure/builder.h"

namespace alt::worker {
namespace {

using measure::Outcome;

// What the runner needs beside the operands: threads, their stacks, the C library.
constexpr int64_t kRunnerBytes = int64_t{4} << 30;

absl::Status StatusOf(const Failure& failure) {
  if (failure.outcome == Outcome::kCancelled) return absl::CancelledError("cancelled");
  const auto code = failure.outcome == Outcome::kOomHost ? absl::StatusCode::kResourceExhausted
                                                         : absl::StatusCode::kUnavailable;
  return absl::Status(code,
                      absl::StrCat(measure::OutcomeName(failure.outcome), ": ", failure.message));
}

// The stage alone: what it reads comes from outside.
te::Graph GraphOf(const te::Stage& stage) {
  te::Graph graph;
  for (const ir::Buffer& read : te::ReadsOf(stage)) {
    graph.tensors.push_back({read, te::Role::kInput});
  }
  graph.tensors.push_back({stage.output, te::Role::kOutput});
  graph.stages.push_back(stage);
  return graph;
}

}  // namespace

absl::StatusOr<Cells> StageEvaluator::operator()(const te::Graph& graph,
                                                 const std::vector<const Cells*>& inputs) const {
  std::map<const ir::BufferNode*, const Cells*> cells;
  size_t next = 0;
  for (const te::Tensor& tensor : graph.tensors) {
    if (graph.Producer(tensor.buffer) == nullptr) cells[tensor.buffer.get()] = inputs.at(next++);
  }
  std::vector<std::unique_ptr<Cells>> results;
  for (const te::Stage& stage : graph.stages) {
    std::vector<const Cells*> reads;
    for (const ir::Buffer& read : te::ReadsOf(stage)) reads.push_back(cells.at(read.get()));
    ALT_ASSIGN_OR_RETURN(Cells result, Evaluate(stage, reads), base::Annotate(_, stage.name));
    results.push_back(std::make_unique<Cells>(std::move(result)));
    cells[stage.output.get()] = results.back().get();
  }
  return std::move(*results.back());
}

absl::StatusOr<Cells> StageEvaluator::Evaluate(const te::Stage& stage,
                                               const std::vector<const Cells*>& inputs) const {
  ALT_ASSIGN_OR_RETURN(ir::Module module, lower::LowerNaive(GraphOf(stage), target_, "reference"));
  ALT_ASSIGN_OR_RETURN(const BuiltKernel built,
                       BuildModule({.module = std::move(module)}, *codegen_, *link_));
  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  KernelImage image{.object_fd = built.object.get(),
                    .symbol = absl::StrCat(built.artifact.name, "_call"),
                    .params = {},
                    .workspace_bytes = built.artifact.workspace_bytes};
  int64_t bytes = built.artifact.workspace_bytes * target_.threads;
  const std::vector<ir::Buffer>& params = built.lowered.module.functions[0].params;
  for (size_t p = 0; p < params.size(); ++p) {
    const bool output = p == inputs.size();
    ALT_ASSIGN_OR_RETURN(
        auto buffer,
        GuardedBuffer::Create(params[p]->name, ir::NumElements(*params[p]), static_cast<int>(p)));
    if (!output) std::copy(inputs[p]->begin(), inputs[p]->end(), buffer->cells().begin());
    bytes += buffer->memory_bytes();
    image.params.push_back({buffer.get(), output});
    buffers.push_back(std::move(buffer));
  }
  runner_->SetMemoryLimit(kRunnerBytes + 2 * bytes);
  runner_->SetKernels({image});
  // Its copies of the operands would stay.
  const absl::Cleanup end = [this] { runner_->Restart(); };
  if (const std::optional<Failure> failure = runner_->Run(0, limit_)) return StatusOf(*failure);
  const absl::Span<const float> cells = buffers.back()->cells();
  return Cells(cells.begin(), cells.end());
}

}  // namespace alt::worker
