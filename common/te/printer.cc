#include "common/te/printer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/ir/printer.h"

namespace alt::te {
namespace {

std::string PrintAxes(const std::vector<Axis>& axes) {
  return absl::StrJoin(axes, ", ", [](std::string* out, const Axis& axis) {
    absl::StrAppend(out, axis.name(), "<", axis.extent);
  });
}

}  // namespace

const char* RoleName(Role role) {
  switch (role) {
    case Role::kInput:
      return "input";
    case Role::kConstant:
      return "constant";
    case Role::kIntermediate:
      return "intermediate";
    case Role::kOutput:
      return "output";
  }
  ALT_CHECK(false) << "role " << static_cast<int>(role);
  return "";
}

std::string Print(const Stage& stage) {
  const std::string reduce =
      stage.reduction.empty()
          ? ""
          : absl::StrCat(stage.reducer->name, "(", PrintAxes(stage.reduction), ") ");
  return absl::StrCat(stage.name, ": ", stage.output->name, "[", PrintAxes(stage.spatial),
                      "] = ", reduce, ir::Print(stage.body));
}

std::string Print(const Graph& graph) {
  std::string text;
  for (const Tensor& tensor : graph.tensors) {
    absl::StrAppend(&text, tensor.buffer->name, ": ", RoleName(tensor.role), " [",
                    absl::StrJoin(tensor.buffer->shape, ", "), "]\n");
  }
  for (const Stage& stage : graph.stages) absl::StrAppend(&text, Print(stage), "\n");
  return text;
}

}  // namespace alt::te
