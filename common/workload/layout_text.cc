#include "common/workload/layout_text.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "common/ir/visitor.h"

namespace alt::workload {
namespace {

// The axis that an index of a read is mostly about: a spatial one, since what slides over it is the
// window; else any.
std::string NameOf(const ir::Expr& index, const te::Stage& stage) {
  std::optional<std::string> name;
  ir::VisitExpr(index, [&](const ir::Expr& e) {
    if (e->kind != ir::ExprKind::kVar) return true;
    const bool spatial = std::any_of(stage.spatial.begin(), stage.spatial.end(),
                                     [&](const te::Axis& axis) { return axis.var == e->var; });
    if (!name || spatial) name = e->var->name;
    return true;
  });
  // Input channels of a filter, as in OIHW.
  if (name == "ic") return "i";
  return name.value_or("");
}

// The indices of the first read of a tensor.
std::vector<std::string> NamesInRead(const te::Stage& stage, const ir::Buffer& tensor) {
  std::vector<std::string> names;
  ir::VisitExpr(stage.body, [&](const ir::Expr& e) {
    if (names.empty() && e->kind == ir::ExprKind::kLoad && e->buffer == tensor) {
      for (const ir::Expr& index : e->args) names.push_back(NameOf(index, stage));
    }
    return names.empty();
  });
  return names;
}

// What a stage calls its output channels is the input channels of whoever reads them: "N H W C" is
// as good as "N H W O".
absl::StatusOr<layout::Layout> ParseBlocksOf(const te::Tensor& tensor,
                                             std::vector<std::string> names,
                                             absl::string_view text) {
  absl::StatusOr<layout::Layout> blocks = layout::ParseBlocks(text, names);
  if (blocks.ok() || tensor.role != te::Role::kOutput) return blocks;
  std::replace(names.begin(), names.end(), std::string("o"), std::string("c"));
  absl::StatusOr<layout::Layout> renamed = layout::ParseBlocks(text, names);
  return renamed.ok() ? renamed : blocks;
}

}  // namespace

std::vector<std::string> DimNames(const te::Graph& graph, const te::Tensor& tensor) {
  std::vector<std::string> names;
  if (const te::Stage* producer = graph.Producer(tensor.buffer)) {
    for (const te::Axis& axis : producer->spatial) names.push_back(axis.name());
    return names;
  }
  for (const te::Stage* reader : graph.Consumers(tensor.buffer)) {
    names = NamesInRead(*reader, tensor.buffer);
    break;
  }
  names.resize(tensor.buffer->shape.size());
  for (size_t d = 0; d < names.size(); ++d) {
    // An index without an axis, or one that has been named.
    const auto before = names.begin() + static_cast<std::ptrdiff_t>(d);
    if (names[d].empty() || std::find(names.begin(), before, names[d]) != before) {
      names[d] = absl::StrCat("d", d);
    }
  }
  return names;
}

absl::StatusOr<layout::Layout> ParseLayoutFor(const Workload& workload, const std::string& tensor,
                                              absl::string_view text) {
  ALT_ASSIGN_OR_RETURN(const te::Graph graph, MakeGraph(workload));
  const te::Tensor* known = graph.FindTensor(tensor);
  if (known == nullptr) {
    std::vector<std::string> tensors;
    for (const te::Tensor& t : graph.tensors) tensors.push_back(t.buffer->name);
    return absl::InvalidArgumentError(absl::StrCat("there is no tensor ", base::Quoted(tensor),
                                                   base::DidYouMean(tensor, tensors),
                                                   "; tensors are ", absl::StrJoin(tensors, ", ")));
  }
  text = absl::StripAsciiWhitespace(text);
  layout::Layout layout;
  if (!text.empty() && text != "plain") {
    const std::vector<std::string> names = DimNames(graph, *known);
    // Primitives are written small, blocks begin with a capital, a size or a parenthesis.
    if (!absl::ascii_islower(text[0])) {
      ALT_ASSIGN_OR_RETURN(layout, ParseBlocksOf(*known, names, text));
    } else if (text.find('(') == absl::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat(base::Quoted(text),
                       ": expected plain, primitives such as split(1,8), or dimensions such "
                       "as ",
                       absl::AsciiStrToUpper(absl::StrJoin(names, " "))));
    } else {
      ALT_ASSIGN_OR_RETURN(layout, layout::Parse(text));
    }
  }
  ALT_RETURN_IF_ERROR(layout::BoundLayout::Create(layout, known->buffer->shape).status());
  return layout;
}

}  // namespace alt::workload
