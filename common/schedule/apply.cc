#include "common/schedule/apply.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::schedule {

absl::Status Apply(const Instruction& instruction, LoopNest& nest) {
  return std::visit([&nest](const auto& i) { return Apply(i, nest); }, instruction);
}

absl::StatusOr<LoopNest> ApplyTrace(const te::Graph& graph, const Trace& trace) {
  LoopNest nest(graph);
  for (size_t i = 0; i < trace.instructions.size(); ++i) {
    const Instruction& instruction = trace.instructions[i];
    const absl::Status status = Apply(instruction, nest);
    if (!status.ok()) {
      return base::Annotate(status, absl::StrCat("instruction ", i + 1, ", ", Print(instruction)));
    }
  }
  return nest;
}

}  // namespace alt::schedule
