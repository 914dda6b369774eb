#include "worker/measure/operands.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/layout/layout.h"
#include "common/layout/pack_tensor.h"
#include "worker/measure/reference_check.h"

namespace alt::worker {
namespace {

bool IsExternal(const te::Graph& graph, const te::Tensor& tensor) {
  return graph.Producer(tensor.buffer) == nullptr;
}

const ir::Buffer& OutputBuffer(const te::Graph& graph) { return graph.stages.back().output; }

Cells RandomIntegers(const ir::BufferNode& tensor, int64_t magnitude, uint64_t seed) {
  base::Random random = base::Random(seed).Stream(tensor.name);
  Cells cells(static_cast<size_t>(ir::NumElements(tensor)));
  for (float& cell : cells) {
    const int64_t value = random.UniformInt(1, magnitude);
    cell = static_cast<float>(random.Uniform(2) == 0 ? value : -value);
  }
  return cells;
}

absl::StatusOr<layout::BoundLayout> LayoutOf(const lower::Parameter& parameter) {
  return layout::BoundLayout::Create(parameter.layout, parameter.tensor.buffer->shape);
}

int64_t NumCells(const layout::BoundLayout& layout) {
  int64_t cells = 1;
  for (int64_t extent : layout.physical_shape()) cells *= extent;
  return cells;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Operands>> Operands::Create(const workload::Workload& workload,
                                                           uint64_t seed, Evaluator evaluate) {
  ALT_ASSIGN_OR_RETURN(te::Graph graph, workload::MakeGraph(workload));
  std::unique_ptr<Operands> operands(new Operands(std::move(graph), workload, std::move(evaluate)));
  const int64_t magnitude = ExactMagnitude(operands->graph_);
  for (const te::Tensor& tensor : operands->graph_.tensors) {
    if (!IsExternal(operands->graph_, tensor)) continue;
    operands->logical_[tensor.buffer->name] = RandomIntegers(*tensor.buffer, magnitude, seed);
  }
  return operands;
}

absl::StatusOr<Cells> Operands::Evaluate(const te::Graph& graph) {
  std::vector<const Cells*> inputs;
  for (const te::Tensor& tensor : graph.tensors) {
    if (!IsExternal(graph, tensor)) continue;
    const auto found = logical_.find(tensor.buffer->name);
    if (found == logical_.end()) {
      return absl::InternalError(absl::StrCat("no operand named ", tensor.buffer->name));
    }
    inputs.push_back(&found->second);
  }
  return evaluate_(graph, inputs);
}

absl::StatusOr<const Cells*> Operands::CellsOf(const std::string& tensor,
                                               const workload::Algorithm& algorithm) {
  auto found = logical_.find(tensor);
  if (found != logical_.end()) return &found->second;
  const std::string key = absl::StrCat(workload::Print(algorithm), "/", tensor);
  found = logical_.find(key);
  if (found != logical_.end()) return &found->second;
  ALT_ASSIGN_OR_RETURN(const te::Graph graph, workload::MakeGraph(workload_, algorithm));
  ALT_ASSIGN_OR_RETURN(const te::Graph ahead, lower::AheadGraph(graph, tensor));
  ALT_ASSIGN_OR_RETURN(Cells cells, Evaluate(ahead), base::Annotate(_, key));
  return &(logical_[key] = std::move(cells));
}

absl::StatusOr<const Cells*> Operands::Reference() {
  const std::string key =
      absl::StrCat("/", OutputBuffer(graph_)->name);  // no external tensor's name
  const auto found = logical_.find(key);
  if (found != logical_.end()) return &found->second;
  ALT_ASSIGN_OR_RETURN(Cells cells, Evaluate(graph_), base::Annotate(_, "reference"));
  return &(logical_[key] = std::move(cells));
}

absl::StatusOr<const GuardedBuffer*> Operands::Input(const lower::Parameter& parameter,
                                                     const workload::Algorithm& algorithm,
                                                     int place) {
  const std::string& name = parameter.tensor.buffer->name;
  const bool external = logical_.count(name) > 0;
  const std::string key = absl::StrCat(name, "|", external ? "" : workload::Print(algorithm), "|",
                                       layout::Print(parameter.layout), "|", place);
  std::unique_ptr<GuardedBuffer>& buffer = inputs_[key];
  if (buffer != nullptr) return buffer.get();
  ALT_ASSIGN_OR_RETURN(const Cells* cells, CellsOf(name, algorithm));
  ALT_ASSIGN_OR_RETURN(const layout::BoundLayout bound, LayoutOf(parameter));
  ALT_ASSIGN_OR_RETURN(buffer, GuardedBuffer::Create(name, NumCells(bound), place));
  layout::PackTensor(bound, *cells, buffer->cells());
  packed_bytes_ += buffer->memory_bytes();
  return buffer.get();
}

absl::StatusOr<Operands::Output> Operands::OutputOf(const lower::Parameter& parameter, int place) {
  const std::string layout = layout::Print(parameter.layout);
  auto want = wanted_.find(layout);
  if (want == wanted_.end()) {
    ALT_ASSIGN_OR_RETURN(const Cells* reference, Reference());
    ALT_ASSIGN_OR_RETURN(const layout::BoundLayout bound, LayoutOf(parameter));
    Cells packed(static_cast<size_t>(NumCells(bound)));
    layout::PackTensor(bound, *reference, absl::MakeSpan(packed));
    packed_bytes_ += static_cast<int64_t>(packed.size() * sizeof(float));
    want = wanted_.emplace(layout, std::move(packed)).first;
  }
  std::unique_ptr<GuardedBuffer>& buffer = outputs_[absl::StrCat(layout, "|", place)];
  if (buffer == nullptr) {
    ALT_ASSIGN_OR_RETURN(buffer,
                         GuardedBuffer::Create(parameter.tensor.buffer->name,
                                               static_cast<int64_t>(want->second.size()), place));
    packed_bytes_ += buffer->memory_bytes();
  }
  return Output{buffer.get(), &want->second};
}

void Operands::Trim(int64_t bytes) {
  if (packed_bytes_ <= bytes) return;
  inputs_.clear();
  outputs_.clear();
  wanted_.clear();
  packed_bytes_ = 0;
}

}  // namespace alt::worker
