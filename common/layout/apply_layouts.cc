#include "common/layout/apply_layouts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status_macros.h"
#include "common/ir/mutator.h"
#include "common/ir/simplify.h"
#include "common/ir/substitute.h"
#include "common/layout/access_rewrite.h"

namespace alt::layout {
namespace {

// A tensor that is not plain.
struct Physical {
  BoundLayout layout;
  ir::Buffer buffer;
};
using PhysicalTensors = absl::flat_hash_map<const ir::BufferNode*, Physical>;

absl::StatusOr<PhysicalTensors> BindLayouts(const te::Graph& graph,
                                            const std::map<std::string, Layout>& layouts) {
  PhysicalTensors tensors;
  for (const auto& [name, layout] : layouts) {
    const te::Tensor* tensor = graph.FindTensor(name);
    if (tensor == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          "layout ", name, ": no such tensor; there are ",
          absl::StrJoin(graph.tensors, ", ", [](std::string* out, const te::Tensor& t) {
            absl::StrAppend(out, t.buffer->name);
          })));
    }
    if (layout.primitives.empty()) continue;
    const ir::BufferNode& logical = *tensor->buffer;
    ALT_ASSIGN_OR_RETURN(BoundLayout bound, BoundLayout::Create(layout, logical.shape),
                         base::Annotate(_, absl::StrCat("layout ", name)));
    ir::Buffer buffer =
        ir::MakeBuffer(logical.name, bound.physical_shape(), logical.dtype, logical.scope);
    tensors.insert({&logical, Physical{std::move(bound), std::move(buffer)}});
  }
  return tensors;
}

// Replaces loads of logical tensors by loads of physical ones, still over the logical axes. In that
// domain an access has the form that unfold's rules speak of, and the ranges are exact where the
// stage has data.
class ReadRewriter : public ir::Mutator {
 public:
  ReadRewriter(const PhysicalTensors& tensors, const AccessContext& context)
      : tensors_(tensors), context_(context) {}

  ir::Expr MutateExpr(const ir::Expr& e) override {
    if (e->kind != ir::ExprKind::kLoad) return Mutator::MutateExpr(e);
    const auto it = tensors_.find(e->buffer.get());
    if (it == tensors_.end()) return Mutator::MutateExpr(e);
    Indices logical;
    for (const ir::Expr& index : e->args) logical.push_back(MutateExpr(index));
    absl::StatusOr<Indices> physical = MapRead(it->second.layout, logical, context_);
    if (!physical.ok()) {
      status_ = base::Annotate(physical.status(), absl::StrCat("reading ", e->buffer->name));
      return e;
    }
    return ir::Load(it->second.buffer, *std::move(physical));
  }

  const absl::Status& status() const { return status_; }

 private:
  const PhysicalTensors& tensors_;
  const AccessContext& context_;
  absl::Status status_;
};

absl::StatusOr<ir::Expr> RewriteReads(const te::Stage& stage, const PhysicalTensors& tensors) {
  AccessContext context = {.ranges = te::RangesOf(stage), .reduction = {}};
  for (const te::Axis& axis : stage.reduction) context.reduction.insert(axis.var.get());
  ReadRewriter rewriter(tensors, context);
  ir::Expr body = rewriter.MutateExpr(stage.body);
  if (!rewriter.status().ok()) return rewriter.status();
  return body;
}

// select(holds_data, body, 0), to be simplified. A body that is a select against zero already, as
// that of padding, takes holds_data into its condition, where it mostly follows from the rest.
ir::Expr GuardBody(const ir::Expr& holds_data, const ir::Expr& body) {
  if (ir::IsIntValue(holds_data, 1)) return body;
  if (body->kind == ir::ExprKind::kSelect && ir::IsZero(body->args[2])) {
    return ir::Select(ir::And(body->args[0], holds_data), body->args[1], body->args[2]);
  }
  return ir::Select(holds_data, body, ir::Zero(body->dtype));
}

// Axes of the physical dimensions. Names are unique within the stage.
absl::StatusOr<std::vector<te::Axis>> PhysicalAxes(const te::Stage& stage,
                                                   const BoundLayout& layout) {
  std::vector<std::string> logical, taken;
  for (const te::Axis& axis : stage.spatial) logical.push_back(axis.name());
  for (const te::Axis& axis : stage.reduction) taken.push_back(axis.name());
  ALT_ASSIGN_OR_RETURN(const std::vector<std::string> names, layout.PhysicalNames(logical));
  std::vector<te::Axis> axes;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name = names[i];
    for (int n = 2; std::find(taken.begin(), taken.end(), name) != taken.end(); ++n) {
      name = absl::StrCat(names[i], "_", n);
    }
    taken.push_back(name);
    axes.push_back(te::MakeAxis(std::move(name), layout.physical_shape()[i]));
  }
  return axes;
}

absl::StatusOr<te::Stage> RewriteStage(const te::Stage& stage, const PhysicalTensors& tensors) {
  te::Stage result = stage;
  ALT_ASSIGN_OR_RETURN(result.body, RewriteReads(stage, tensors));
  ALT_RETURN_IF_ERROR(ir::CheckBody(result.body));
  const auto it = tensors.find(stage.output.get());
  if (it == tensors.end()) {
    if (!result.body.same_as(stage.body)) {
      result.body = ir::Simplify(result.body, te::RangesOf(result));
    }
    return result;
  }
  result.output = it->second.buffer;
  const std::string writing = absl::StrCat("writing ", result.output->name);
  ALT_ASSIGN_OR_RETURN(result.spatial, PhysicalAxes(stage, it->second.layout),
                       base::Annotate(_, writing));
  Indices physical;
  for (const te::Axis& axis : result.spatial) physical.push_back(axis.var);
  const ir::RangeMap ranges = te::RangesOf(result);
  ALT_ASSIGN_OR_RETURN(const LogicalCell cell, it->second.layout.ToLogical(physical, ranges),
                       base::Annotate(_, writing));
  ir::VarMap logical_axes;
  for (size_t i = 0; i < stage.spatial.size(); ++i) {
    logical_axes[stage.spatial[i].var.get()] = cell.indices[i];
  }
  const ir::Expr body = GuardBody(cell.holds_data, ir::Substitute(result.body, logical_axes));
  ALT_RETURN_IF_ERROR(base::Annotate(ir::CheckBody(body), writing));
  result.body = ir::Simplify(body, ranges);
  return result;
}

bool MayDropCells(const Primitive& p) {
  if (const auto* unfold = std::get_if<Unfold>(&p)) return unfold->size < unfold->stride;
  return std::holds_alternative<Unpad>(p) || std::holds_alternative<Fold>(p);
}

// What is timed starts from inputs that anybody can provide and ends in an output
// that anybody can read.
absl::Status CheckRole(const te::Tensor& tensor, const BoundLayout& layout) {
  if (tensor.role == te::Role::kInput) {
    for (const Primitive& p : layout.layout().primitives) {
      if (IsBasic(p)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(Print(p), ": an external input arrives under split, reorder and fuse only"));
    }
  }
  const std::vector<Primitive>& primitives = layout.layout().primitives;
  const bool may_drop = std::any_of(primitives.begin(), primitives.end(), MayDropCells);
  if (tensor.role != te::Role::kOutput || !may_drop) return absl::OkStatus();
  AccessContext context;
  Indices logical;
  for (int64_t extent : layout.logical_shape()) {
    const ir::Var var = ir::MakeVar("i");
    context.ranges[var.get()] = {0, extent - 1};
    logical.push_back(var);
  }
  const absl::Status kept = MapRead(layout, logical, context).status();
  if (kept.ok()) return kept;
  return absl::InvalidArgumentError(
      absl::StrCat(kept.message(), "; an output must keep every cell"));
}

absl::StatusOr<te::Graph> Rewrite(const te::Graph& graph, const PhysicalTensors& tensors) {
  te::Graph result;
  for (const te::Tensor& tensor : graph.tensors) {
    const auto it = tensors.find(tensor.buffer.get());
    result.tensors.push_back(it == tensors.end() ? tensor
                                                 : te::Tensor{it->second.buffer, tensor.role});
  }
  for (const te::Stage& stage : graph.stages) {
    ALT_ASSIGN_OR_RETURN(te::Stage rewritten, RewriteStage(stage, tensors),
                         base::Annotate(_, absl::StrCat("stage ", stage.name)));
    result.stages.push_back(std::move(rewritten));
  }
  return result;
}

}  // namespace

absl::StatusOr<te::Graph> RewriteGraph(const te::Graph& graph,
                                       const std::map<std::string, Layout>& layouts) {
  ALT_ASSIGN_OR_RETURN(const PhysicalTensors tensors, BindLayouts(graph, layouts));
  return Rewrite(graph, tensors);
}

absl::StatusOr<te::Graph> ApplyLayouts(const te::Graph& graph,
                                       const std::map<std::string, Layout>& layouts) {
  ALT_ASSIGN_OR_RETURN(const PhysicalTensors tensors, BindLayouts(graph, layouts));
  for (const te::Tensor& tensor : graph.tensors) {
    const auto it = tensors.find(tensor.buffer.get());
    if (it == tensors.end()) continue;
    ALT_RETURN_IF_ERROR(base::Annotate(CheckRole(tensor, it->second.layout),
                                       absl::StrCat("layout ", tensor.buffer->name)));
  }
  return Rewrite(graph, tensors);
}

}  // namespace alt::layout
