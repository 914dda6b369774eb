#include "common/schedule/apply.h"

#include <variant>

#include "common/base/status_macros.h"

namespace alt::schedule {

absl::Status Apply(const Instruction& instruction, LoopNest& nest) {
  return std::visit([&nest](const auto& i) { return Apply(i, nest); }, instruction);
}

absl::StatusOr<LoopNest> ApplyTrace(const te::Graph& graph, const Trace& trace) {
  LoopNest nest(graph);
  for (const Instruction& instruction : trace.instructions) {
    absl::Status status = Apply(instruction, nest);
    if (!status.ok()) return base::Annotate(status, Print(instruction));
  }
  return nest;
}

}  // namespace alt::schedule
