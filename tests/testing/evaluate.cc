#include "tests/testing/evaluate.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/ir/module.h"
#include "common/ir/mutator.h"
#include "common/ir/stmt.h"

namespace alt::testing {
namespace {

// Twins in double precision of the tensors of a graph: the interpreter rounds what it stores to the
// buffer's type, and a reference must not round in between.
class DoubleTwins {
 public:
  ir::Buffer Of(const ir::Buffer& tensor) {
    ir::Buffer& twin = twins_[tensor.get()];
    if (twin == nullptr) twin = ir::MakeBuffer(tensor->name, tensor->shape, ir::kF64);
    return twin;
  }

 private:
  absl::flat_hash_map<const ir::BufferNode*, ir::Buffer> twins_;
};

// The same expression over the twins, all floats double.
class WidenFloats : public ir::Mutator {
 public:
  explicit WidenFloats(DoubleTwins& twins) : twins_(twins) {}

  ir::Expr MutateExpr(const ir::Expr& e) override {
    switch (e->kind) {
      case ir::ExprKind::kFloatImm:
        return ir::FloatImm(e->float_value, ir::kF64.WithLanes(e->dtype.lanes));
      case ir::ExprKind::kCast:
        return ir::Cast(ir::ScalarType::kF64, MutateExpr(e->args[0]));
      case ir::ExprKind::kLoad: {
        std::vector<ir::Expr> indices;
        for (const ir::Expr& index : e->args) indices.push_back(MutateExpr(index));
        // Tables hold doubles whatever their type says, so widening after the load is exact.
        if (e->buffer->scope == ir::Scope::kTable) {
          return ir::Cast(ir::ScalarType::kF64, ir::Load(e->buffer, std::move(indices)));
        }
        return ir::Load(twins_.Of(e->buffer), std::move(indices));
      }
      default:
        return Mutator::MutateExpr(e);
    }
  }

 private:
  DoubleTwins& twins_;
};

ir::Stmt WrapInLoops(const std::vector<te::Axis>& axes, ir::Stmt body) {
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    body = ir::For(axis->var, 0, axis->extent, ir::ForKind::kSerial, std::move(body));
  }
  return body;
}

// The loop nest of the definition in stage.h, one loop an axis.
ir::Stmt NaiveNest(const te::Stage& stage, DoubleTwins& twins) {
  const ir::Buffer output = twins.Of(stage.output);
  std::vector<ir::Expr> indices;
  for (const te::Axis& axis : stage.spatial) indices.push_back(axis.var);
  const ir::Expr body = WidenFloats(twins).MutateExpr(stage.body);
  if (stage.reduction.empty()) {
    return WrapInLoops(stage.spatial, ir::Store(output, indices, body));
  }
  const ir::Stmt clear = ir::Store(output, indices, stage.reducer->identity(ir::kF64));
  const ir::Stmt add =
      ir::Store(output, indices, stage.reducer->combine(ir::Load(output, indices), body));
  return WrapInLoops(stage.spatial, ir::Block({clear, WrapInLoops(stage.reduction, add)}));
}

}  // namespace

absl::Status Evaluate(const te::Graph& graph, ir::Memory& memory) {
  DoubleTwins twins;
  ir::Function f{"reference", {}, ir::Stmt()};
  ir::Memory wide;
  for (const te::Tensor& tensor : graph.tensors) {
    const size_t size = ir::NumElements(*tensor.buffer);
    std::vector<double> contents(size);
    if (graph.Producer(tensor.buffer) == nullptr) {
      const auto given = memory.find(tensor.buffer.get());
      if (given == memory.end() || given->second.size() != size) {
        return absl::InvalidArgumentError(
            absl::StrCat("evaluate: tensor ", tensor.buffer->name, " needs ", size, " values, has ",
                         given == memory.end() ? 0 : given->second.size()));
      }
      contents = given->second;
    }
    const ir::Buffer twin = twins.Of(tensor.buffer);
    f.params.push_back(twin);
    wide[twin.get()] = std::move(contents);
  }
  std::vector<ir::Stmt> nests;
  for (const te::Stage& stage : graph.stages) nests.push_back(NaiveNest(stage, twins));
  f.body = ir::Block(std::move(nests));
  ALT_RETURN_IF_ERROR(ir::Interpret(f, wide));
  for (const te::Tensor& tensor : graph.tensors) {
    memory[tensor.buffer.get()] = std::move(wide[twins.Of(tensor.buffer).get()]);
  }
  return absl::OkStatus();
}

}  // namespace alt::testing
