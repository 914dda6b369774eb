#include "server/search/space/space.h"

#include <variant>

#include "common/base/status_macros.h"
#include "common/lower/lower.h"
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

// Fixed layouts fit the tensors that they name.
absl::Status CheckFixed(const workload::Workload& workload, const SpaceOptions& options) {
  ALT_ASSIGN_OR_RETURN(te::Graph graph, workload::MakeGraph(workload));
  for (const auto& [tensor, layout] : options.fixed_layouts) {
    const te::Tensor* found = graph.FindTensor(tensor);
    if (found == nullptr) {
      return absl::InvalidArgumentError("--fix names tensor " + tensor +
                                        ", which the workload lacks");
    }
    auto bound = layout::BoundLayout::Create(layout, found->buffer->shape);
    if (!bound.ok()) return base::Annotate(bound.status(), "layout of " + tensor);
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

absl::StatusOr<workload::Candidate> DefaultCandidate(const workload::Workload& workload,
                                                     const target::Target& target,
                                                     const SpaceOptions& options) {
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<Space> space, Space::Create(workload, target, options));
  absl::Status last;
  for (const Point& seed : space->Seeds()) {
    auto candidate = space->Build(seed);
    if (candidate.ok()) {
      last = lower::Lower(workload, *candidate, target).status();
      if (last.ok()) return candidate;
    } else {
      last = candidate.status();
    }
  }
  // Plain loops are always legal.
  workload::Candidate plain;
  plain.layouts = options.fixed_layouts;
  ALT_RETURN_IF_ERROR(lower::Lower(workload, plain, target).status());
  return plain;
}

}  // namespace alt::search
