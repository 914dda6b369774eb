#include "common/te/verify.h"

#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/ir/visitor.h"
#include "common/te/printer.h"

namespace alt::te {
namespace {

absl::Status Broken(const std::string& where, const std::string& reason) {
  return absl::InternalError(absl::StrCat(where, ": ", reason));
}

absl::Status VerifyAxes(const Stage& stage) {
  absl::flat_hash_set<std::string> names;
  for (const std::vector<Axis>* axes : {&stage.spatial, &stage.reduction}) {
    for (const Axis& axis : *axes) {
      if (!names.insert(axis.name()).second) {
        return Broken(stage.name, absl::StrCat("two axes are named ", axis.name()));
      }
      if (axis.extent < 1) return Broken(stage.name, absl::StrCat(axis.name(), " is empty"));
    }
  }
  if (stage.output->shape.size() != stage.spatial.size()) {
    return Broken(stage.name, absl::StrCat(stage.spatial.size(), " spatial axes for ",
                                           stage.output->shape.size(), " dimensions"));
  }
  for (size_t i = 0; i < stage.spatial.size(); ++i) {
    if (stage.output->shape[i] != stage.spatial[i].extent) {
      return Broken(stage.name, absl::StrCat("axis ", stage.spatial[i].name(), " has extent ",
                                             stage.spatial[i].extent, ", its dimension ",
                                             stage.output->shape[i]));
    }
  }
  return absl::OkStatus();
}

// `readable`: the external tensors and those that earlier stages wrote.
absl::Status VerifyBody(const Stage& stage,
                        const absl::flat_hash_set<const ir::BufferNode*>& readable) {
  if (!stage.body.defined()) return Broken(stage.name, "it has no body");
  const ir::RangeMap axes = RangesOf(stage);
  absl::Status status;
  ir::VisitExpr(stage.body, [&](const ir::Expr& e) {
    if (!status.ok()) return false;
    if (e->kind == ir::ExprKind::kVar && !axes.contains(e->var.get())) {
      status = Broken(stage.name, absl::StrCat("variable ", e->var->name, " is no axis"));
    }
    if (e->kind == ir::ExprKind::kLoad && e->buffer->scope != ir::Scope::kTable &&
        !readable.contains(e->buffer.get())) {
      status = Broken(stage.name, absl::StrCat("it reads ", e->buffer->name,
                                               ", which no earlier stage has written"));
    }
    return status.ok();
  });
  return status;
}

absl::Status VerifyRole(const Graph& graph, const Tensor& tensor) {
  const Stage* producer = graph.Producer(tensor.buffer);
  const bool computed = producer != nullptr;
  const bool fits = [&] {
    switch (tensor.role) {
      case Role::kInput:
        return !computed;
      case Role::kConstant:
        return !computed || RunsAhead(graph, *producer);
      case Role::kIntermediate:
        return computed && !RunsAhead(graph, *producer);
      case Role::kOutput:
        return computed && producer == &graph.stages.back();
    }
    return false;
  }();
  if (fits) return absl::OkStatus();
  return Broken(
      tensor.buffer->name,
      absl::StrCat("role ", RoleName(tensor.role), " does not fit a tensor that ",
                   computed ? "stage " + producer->name : std::string("no stage"), " writes"));
}

}  // namespace

absl::Status Verify(const Graph& graph) {
  if (graph.stages.empty()) return Broken("graph", "it has no stage");
  absl::flat_hash_set<std::string> names;
  absl::flat_hash_set<const ir::BufferNode*> known, readable, written;
  for (const Tensor& tensor : graph.tensors) {
    if (!names.insert(tensor.buffer->name).second) {
      return Broken("graph", absl::StrCat("two tensors are named ", tensor.buffer->name));
    }
    known.insert(tensor.buffer.get());
    if (graph.Producer(tensor.buffer) == nullptr) readable.insert(tensor.buffer.get());
  }
  names.clear();
  for (const Stage& stage : graph.stages) {
    if (!names.insert(stage.name).second) {
      return Broken("graph", absl::StrCat("two stages are named ", stage.name));
    }
    if (!known.contains(stage.output.get())) return Broken(stage.name, "its output is no tensor");
    ALT_RETURN_IF_ERROR(VerifyAxes(stage));
    ALT_RETURN_IF_ERROR(VerifyBody(stage, readable));
    if (!written.insert(stage.output.get()).second) {
      return Broken(stage.name, "its output has a writer already");
    }
    readable.insert(stage.output.get());
  }
  for (const Tensor& tensor : graph.tensors) ALT_RETURN_IF_ERROR(VerifyRole(graph, tensor));
  if (graph.FindTensor(graph.stages.back().output)->role != Role::kOutput) {
    return Broken("graph", "its last stage does not write the output");
  }
  return absl::OkStatus();
}

}  // namespace alt::te
