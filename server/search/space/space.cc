#include "server/search/space/space.h"

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/search/space/draft.h"
#include "server/search/space/layout_rule/rules.h"
#include "server/search/space/loop_rule/rules.h"
#include "server/search/space/make_nests.h"
#include "server/search/space/seed/seeds.h"

namespace alt::search {
namespace {

// Fixed layouts fit the tensors that they name, and their loops have names.
absl::Status CheckFixed(const te::Graph& graph, const SpaceOptions& options) {
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
  auto space = absl::WrapUnique(new Space(target, std::move(options)));
  ALT_RETURN_IF_ERROR(space->AddForms(workload));
  space->seeds_ = NamedLayouts(MakeNests(space->forms_.front().graph), target);
  return space;
}

absl::Status Space::AddForms(const workload::Workload& workload) {
  const workload::Algorithm base =
      options_.algorithm ? *options_.algorithm : workload::Algorithms(workload).front();
  ALT_ASSIGN_OR_RETURN(te::Graph graph, workload::MakeGraph(workload, base));
  ALT_RETURN_IF_ERROR(CheckFixed(graph, options_));
  if (!options_.algorithm) {
    for (const ConvertibleEnd& end : ConvertibleEnds(graph, options_.fixed_layouts)) {
      ends_.push_back(end.tensor);
      converts_.push_back(end.worthwhile ? 1 : 0);
    }
  }
  forms_.push_back({base, std::move(graph)});
  for (size_t bits = 1; bits < size_t{1} << ends_.size(); ++bits) {
    workload::Algorithm algorithm = base;
    for (size_t i = 0; i < ends_.size(); ++i) {
      if (bits >> i & 1) algorithm.rewrites.push_back(workload::Convert{ends_[i]});
    }
    ALT_ASSIGN_OR_RETURN(te::Graph converted, workload::MakeGraph(workload, algorithm));
    forms_.push_back({std::move(algorithm), std::move(converted)});
  }
  return absl::OkStatus();
}

const Space::Form& Space::ChooseForm(Decider& decide) const {
  size_t bits = 0;
  for (size_t i = 0; i < ends_.size(); ++i) {
    const int64_t converts = decide.Layout(ends_[i] + ".convert", {0, 1}, converts_[i]);
    bits |= static_cast<size_t>(converts) << i;
  }
  return forms_[bits];
}

Point Space::Build(Choose choose) const {
  Decider decide(choose);
  const Form& form = ChooseForm(decide);
  Draft draft(form.graph, target_, options_.fixed_layouts, decide);
  std::vector<Nest> nests = MakeNests(form.graph);
  for (Nest& nest : nests) {
    ChooseLanes(nest, draft);
    BlockChannels(nest, draft);
    TilePositions(nest, draft);
    LayOutTensors(nest, draft);
    AssignAxes(nest, draft);
    TileRegisters(nest, draft);
    PackFilter(nest, draft);
    PanelData(nest, draft);
    OrderOuterLoops(nest, draft);
    PlaceProducer(nest, draft);
    BlockReduction(nest, draft);
    PrefetchFilter(nest, draft);
  }
  for (const Nest& nest : nests) WriteNest(nest, draft);

  Point point;
  point.decisions = decide.Take();
  point.candidate.algorithm = form.algorithm;
  point.candidate.layouts = options_.fixed_layouts;
  point.candidate.layouts.merge(std::move(draft.layouts));
  // As candidates are printed and parsed.
  std::erase_if(point.candidate.layouts, [](const auto& e) { return e.second.primitives.empty(); });
  point.candidate.trace = std::move(draft.trace);
  return point;
}

Point Space::At(const Wishes& wishes) const {
  return Build([&wishes](const Decision& decision) {
    const auto wish = wishes.find(decision.name);
    return wish == wishes.end() ? decision.value : NearestChoice(decision.choices, wish->second);
  });
}

}  // namespace alt::search
