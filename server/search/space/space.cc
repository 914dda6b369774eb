#include "server/search/space/space.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/search/space/conv_template.h"
#include "server/search/space/gemm_template.h"

namespace alt::search {
namespace {

std::unique_ptr<Space> MakeTemplate(const workload::Conv2d& conv, const target::Target& target,
                                    SpaceOptions options) {
  return MakeConvTemplate(conv, target, std::move(options));
}

std::unique_ptr<Space> MakeTemplate(const workload::Matmul& matmul, const target::Target& target,
                                    SpaceOptions options) {
  return MakeGemmTemplate(matmul, target, std::move(options));
}

// Fixed layouts fit the tensors that they name, and their loops have names.
absl::Status CheckFixed(const workload::Workload& workload, const SpaceOptions& options) {
  ALT_ASSIGN_OR_RETURN(te::Graph graph, workload::MakeGraph(workload));
  for (const auto& [tensor, layout] : options.fixed_layouts) {
    const te::Tensor* found = graph.FindTensor(tensor);
    if (found == nullptr) {
      return absl::InvalidArgumentError("--fix names tensor " + tensor +
                                        ", which the workload lacks");
    }
    const auto bound = layout::BoundLayout::Create(layout, found->buffer->shape);
    absl::Status fits = bound.status();
    if (const te::Stage* writer = graph.Producer(found->buffer); fits.ok() && writer != nullptr) {
      std::vector<std::string> names;
      for (const te::Axis& axis : writer->spatial) names.push_back(axis.name());
      fits = bound->PhysicalNames(names).status();
    }
    if (!fits.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("layout of ", tensor, ": ", std::string(fits.message())));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Space>> Space::Create(const workload::Workload& workload,
                                                     const target::Target& target,
                                                     SpaceOptions options) {
  ALT_RETURN_IF_ERROR(CheckFixed(workload, options));
  return std::visit([&](const auto& op) { return MakeTemplate(op, target, options); }, workload.op);
}

void Space::DropPlainLayouts(workload::Candidate& candidate) {
  std::erase_if(candidate.layouts, [](const auto& e) { return e.second.primitives.empty(); });
}

}  // namespace alt::search
