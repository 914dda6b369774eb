#include "common/te/op/convert.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/mutator.h"
#include "common/ir/visitor.h"

namespace alt::te {
namespace {

class BufferReplacer : public ir::Mutator {
 public:
  BufferReplacer(ir::Buffer from, ir::Buffer to) : from_(std::move(from)), to_(std::move(to)) {}

  ir::Expr MutateExpr(const ir::Expr& e) override {
    const ir::Expr changed = Mutator::MutateExpr(e);
    if (changed->kind != ir::ExprKind::kLoad || changed->buffer != from_) return changed;
    return ir::Load(to_, {changed->args.begin(), changed->args.end()});
  }

 private:
  const ir::Buffer from_, to_;
};

// Names for the dimensions of an input: of the axes by which its first reader goes through it,
// where each dimension has one of its own.
std::vector<std::string> DimNames(const Graph& graph, const ir::Buffer& input) {
  std::vector<std::string> names;
  for (size_t d = 0; d < input->shape.size(); ++d) names.push_back(absl::StrCat("d", d));
  for (const Stage* reader : graph.Consumers(input)) {
    ir::VisitExpr(reader->body, [&](const ir::Expr& e) {
      if (e->kind != ir::ExprKind::kLoad || e->buffer != input) return true;
      for (size_t d = 0; d < names.size(); ++d) {
        if (e->args[d]->kind == ir::ExprKind::kVar) names[d] = e->args[d]->var->name;
      }
      return false;
    });
    break;
  }
  return names;
}

Stage MakeCopy(const std::string& name, const ir::Buffer& from, const ir::Buffer& to,
               const std::vector<std::string>& names) {
  Stage stage{.name = name, .output = to};
  std::vector<ir::Expr> index;
  for (size_t d = 0; d < names.size(); ++d) {
    stage.spatial.push_back(MakeAxis(names[d], to->shape[d]));
    index.push_back(stage.spatial.back().var);
  }
  stage.body = ir::Load(from, index);
  return stage;
}

}  // namespace

absl::StatusOr<Graph> Convert(Graph graph, const std::string& tensor) {
  const Tensor* found = graph.FindTensor(tensor);
  const bool converts =
      found != nullptr && (found->role == Role::kInput || found->role == Role::kOutput);
  if (!converts) {
    return absl::InvalidArgumentError(
        absl::StrCat("convert(", tensor, "): ", tensor, " is no input or output"));
  }
  const std::string copy_name = absl::StrCat(tensor, "_c"), name = absl::StrCat("convert_", tensor);
  if (graph.FindTensor(copy_name) != nullptr || graph.FindStage(name) != nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("convert(", tensor, ") stands twice"));
  }
  const ir::Buffer end = found->buffer;
  const ir::Buffer copy = ir::MakeBuffer(copy_name, end->shape, end->dtype);
  if (found->role == Role::kInput) {
    const Stage stage = MakeCopy(name, end, copy, DimNames(graph, end));
    for (Stage& reader : graph.stages) {
      reader.body = BufferReplacer(end, copy).MutateExpr(reader.body);
    }
    graph.stages.insert(graph.stages.begin(), stage);
  } else {
    Stage& last = graph.stages.back();
    last.output = copy;
    std::vector<std::string> names;
    for (const Axis& axis : last.spatial) names.push_back(axis.name());
    graph.stages.push_back(MakeCopy(name, copy, end, names));
  }
  graph.tensors.push_back({copy, Role::kIntermediate});
  return graph;
}

}  // namespace alt::te
