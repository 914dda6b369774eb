#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/lower/lower.h"

namespace alt::lower {

absl::StatusOr<te::Graph> AheadGraph(const te::Graph& graph, const std::string& tensor) {
  const te::Tensor* result = graph.FindTensor(tensor);
  const te::Stage* last = result == nullptr ? nullptr : graph.Producer(result->buffer);
  if (last == nullptr || !te::RunsAhead(graph, *last)) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor ", tensor, " is not computed ahead of time"));
  }
  absl::flat_hash_set<const ir::BufferNode*> needed{result->buffer.get()};
  te::Graph ahead;
  for (auto stage = graph.stages.rbegin(); stage != graph.stages.rend(); ++stage) {
    if (!needed.contains(stage->output.get())) continue;
    for (const ir::Buffer& read : te::ReadsOf(*stage)) needed.insert(read.get());
    ahead.stages.push_back(*stage);
  }
  std::reverse(ahead.stages.begin(), ahead.stages.end());
  for (te::Tensor t : graph.tensors) {
    if (!needed.contains(t.buffer.get())) continue;
    if (t.buffer == result->buffer) {
      t.role = te::Role::kOutput;
    } else if (graph.Producer(t.buffer) != nullptr) {
      t.role = te::Role::kIntermediate;
    }
    ahead.tensors.push_back(t);
  }
  return ahead;
}

}  // namespace alt::lower
