#include "worker/measure/operands.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/layout/layout.h"
#include "common/layout/pack_tensor.h"
#include "common/measure/preparation.h"
#include "worker/measure/output_sample.h"
#include "worker/measure/reference_check.h"

namespace alt::worker {
namespace {

bool IsExternal(const te::Graph& graph, const te::Tensor& tensor) {
  return graph.Producer(tensor.buffer) == nullptr;
}

const ir::Buffer& OutputBuffer(const te::Graph& graph) { return graph.stages.back().output; }

// So many of `value`; fewer once cancelled, for gigabytes of fresh pages take seconds.
Cells MakeCells(int64_t count, HostLoop& loop, float value = 0) {
  constexpr int64_t kStep = 1 << 24;
  Cells cells;
  cells.reserve(static_cast<size_t>(count));
  for (int64_t made = 0; made < count && loop.status().ok();) {
    made = std::min(count, made + kStep);
    cells.resize(static_cast<size_t>(made), value);
  }
  return cells;
}

// The same for a seed, whoever makes which part.
Cells RandomIntegers(const ir::BufferNode& tensor, int64_t magnitude, uint64_t seed,
                     HostLoop& loop) {
  constexpr int64_t kChunk = 1 << 16;
  const base::Random stream = base::Random(seed).Stream(tensor.name);
  const int64_t count = ir::NumElements(tensor);
  Cells cells = MakeCells(count, loop);
  loop.Run((count + kChunk - 1) / kChunk, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      base::Random random = stream.Stream(static_cast<uint64_t>(c));
      uint64_t bits = 0;
      for (int64_t i = c * kChunk; i < std::min(count, (c + 1) * kChunk); ++i) {
        // Four cells of one number: 15 bits for the size, one for the sign.
        bits = i % 4 == 0 ? random.Next() : bits >> 16;
        const int64_t value = 1 + ((static_cast<int64_t>(bits & 0x7fff) * magnitude) >> 15);
        cells[static_cast<size_t>(i)] = static_cast<float>((bits & 0x8000) == 0 ? value : -value);
      }
    }
  });
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

// Cancelled with the loop.
absl::Status Pack(const layout::BoundLayout& layout, const Cells& cells, absl::Span<float> to,
                  HostLoop& loop) {
  layout::PackTensor(
      layout, cells, to,
      [&](int64_t n, absl::FunctionRef<void(int64_t, int64_t)> body) { loop.Run(n, body); });
  return loop.status();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Operands>> Operands::Create(const workload::Workload& workload,
                                                           uint64_t seed, HostLoop& loop) {
  ALT_ASSIGN_OR_RETURN(te::Graph graph, workload::MakeGraph(workload));
  std::unique_ptr<Operands> operands(new Operands(std::move(graph), workload));
  const int64_t magnitude = ExactMagnitude(operands->graph_);
  for (const te::Tensor& tensor : operands->graph_.tensors) {
    if (!IsExternal(operands->graph_, tensor)) continue;
    operands->Keep(tensor.buffer->name, RandomIntegers(*tensor.buffer, magnitude, seed, loop));
    ALT_RETURN_IF_ERROR(loop.status());
  }
  return operands;
}

const Cells* Operands::Keep(const std::string& key, Cells cells) {
  logical_bytes_ += static_cast<int64_t>(cells.size() * sizeof(float));
  return &(logical_[key] = std::move(cells));
}

absl::StatusOr<Cells> Operands::Evaluate(const te::Graph& graph, const Evaluator& evaluate) {
  std::vector<const Cells*> inputs;
  for (const te::Tensor& tensor : graph.tensors) {
    if (!IsExternal(graph, tensor)) continue;
    const auto found = logical_.find(tensor.buffer->name);
    if (found == logical_.end()) {
      return absl::InternalError(absl::StrCat("no operand named ", tensor.buffer->name));
    }
    inputs.push_back(&found->second);
  }
  return evaluate(graph, inputs);
}

absl::StatusOr<const Cells*> Operands::CellsOf(const std::string& tensor,
                                               const workload::Algorithm& algorithm,
                                               const Evaluator& evaluate) {
  auto found = logical_.find(tensor);
  if (found != logical_.end()) return &found->second;
  const std::string key = absl::StrCat(workload::Print(algorithm), "/", tensor);
  found = logical_.find(key);
  if (found != logical_.end()) return &found->second;
  ALT_ASSIGN_OR_RETURN(const te::Graph graph, workload::MakeGraph(workload_, algorithm));
  ALT_ASSIGN_OR_RETURN(const te::Graph ahead, lower::AheadGraph(graph, tensor));
  ALT_ASSIGN_OR_RETURN(Cells cells, Evaluate(ahead, evaluate), base::Annotate(_, key));
  return Keep(key, std::move(cells));
}

absl::StatusOr<const Cells*> Operands::Reference(const Evaluator& evaluate, HostLoop& loop) {
  const std::string key =
      absl::StrCat("/", OutputBuffer(graph_)->name);  // no external tensor's name
  const auto found = logical_.find(key);
  if (found != logical_.end()) return &found->second;
  const OutputSample sample(graph_.stages.back(), measure::kMostReferenceFlops);
  const te::Graph graph = sample.is_whole() ? graph_ : sample.Restrict(graph_);
  ALT_ASSIGN_OR_RETURN(Cells cells, Evaluate(graph, evaluate), base::Annotate(_, "reference"));
  if (sample.is_whole()) return Keep(key, std::move(cells));
  Cells whole = MakeCells(ir::NumElements(*OutputBuffer(graph_)), loop, AnyNumber());
  ALT_RETURN_IF_ERROR(loop.status());
  sample.Scatter(cells, absl::MakeSpan(whole));
  return Keep(key, std::move(whole));
}

absl::StatusOr<const GuardedBuffer*> Operands::Input(const lower::Parameter& parameter,
                                                     const workload::Algorithm& algorithm,
                                                     int place, const Evaluator& evaluate,
                                                     HostLoop& loop) {
  const std::string& name = parameter.tensor.buffer->name;
  const bool external = logical_.count(name) > 0;
  const std::string key = absl::StrCat(name, "|", external ? "" : workload::Print(algorithm), "|",
                                       layout::Print(parameter.layout), "|", place);
  const auto found = inputs_.find(key);
  if (found != inputs_.end()) return found->second.get();
  ALT_ASSIGN_OR_RETURN(const Cells* cells, CellsOf(name, algorithm, evaluate));
  ALT_ASSIGN_OR_RETURN(const layout::BoundLayout bound, LayoutOf(parameter));
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<GuardedBuffer> buffer,
                       GuardedBuffer::Create(name, NumCells(bound), place));
  ALT_RETURN_IF_ERROR(Pack(bound, *cells, buffer->cells(), loop));
  packed_bytes_ += buffer->memory_bytes();
  return (inputs_[key] = std::move(buffer)).get();
}

absl::StatusOr<Operands::Output> Operands::OutputOf(const lower::Parameter& parameter, int place,
                                                    const Evaluator& evaluate, HostLoop& loop) {
  const std::string layout = layout::Print(parameter.layout);
  auto want = wanted_.find(layout);
  if (want == wanted_.end()) {
    ALT_ASSIGN_OR_RETURN(const Cells* reference, Reference(evaluate, loop));
    ALT_ASSIGN_OR_RETURN(const layout::BoundLayout bound, LayoutOf(parameter));
    Cells packed = MakeCells(NumCells(bound), loop);
    ALT_RETURN_IF_ERROR(loop.status());
    ALT_RETURN_IF_ERROR(Pack(bound, *reference, absl::MakeSpan(packed), loop));
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
