// LowerNaive: the reference. One loop for each axis in order, sums in double, no schedule.

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/ir/mutator.h"
#include "common/ir/simplify.h"
#include "common/ir/verify.h"
#include "common/lower/lower.h"
#include "common/lower/partition_loops.h"

namespace alt::lower {
namespace {

// The same expression in double: loads are converted, intermediate tensors hold doubles.
class DoublePrecision : public ir::Mutator {
 public:
  using Buffers = absl::flat_hash_map<const ir::BufferNode*, ir::Buffer>;
  explicit DoublePrecision(const Buffers& doubles) : doubles_(doubles) {}

  ir::Expr MutateExpr(const ir::Expr& e) override {
    switch (e->kind) {
      case ir::ExprKind::kFloatImm:
        return ir::FloatImm(e->float_value, ir::kF64);
      case ir::ExprKind::kLoad: {
        std::vector<ir::Expr> indices;
        for (const ir::Expr& index : e->args) indices.push_back(MutateExpr(index));
        const auto it = doubles_.find(e->buffer.get());
        const ir::Buffer& buffer = it == doubles_.end() ? e->buffer : it->second;
        const ir::Expr load = ir::Load(buffer, std::move(indices));
        return load->dtype.scalar == ir::ScalarType::kF32 ? ir::Cast(ir::ScalarType::kF64, load)
                                                          : load;
      }
      default:
        return Rebuild(e);
    }
  }

 private:
  // Operands first, then the node again by its maker: its type follows theirs.
  ir::Expr Rebuild(const ir::Expr& e) {
    absl::InlinedVector<ir::Expr, 2> args;
    for (const ir::Expr& arg : e->args) args.push_back(MutateExpr(arg));
    return e->args.empty() ? e : ir::WithArgs(e, std::move(args));
  }

  const Buffers& doubles_;
};

ir::Stmt Loops(const std::vector<te::Axis>& axes, ir::Stmt body) {
  for (size_t i = axes.size(); i-- > 0;) {
    body =
        ir::For(axes[i].var, ir::IntImm(0), ir::IntImm(axes[i].extent), ir::ForKind::kSerial, body);
  }
  return body;
}

ir::Stmt NaiveStage(const te::Stage& stage, const DoublePrecision::Buffers& doubles) {
  std::vector<ir::Expr> indices;
  for (const te::Axis& axis : stage.spatial) indices.push_back(ir::Expr(axis.var));
  const ir::Expr body = DoublePrecision(doubles).MutateExpr(stage.body);
  const auto it = doubles.find(stage.output.get());
  const auto store = [&](const ir::Expr& value) {
    if (it != doubles.end()) return ir::Store(it->second, indices, value);
    return ir::Store(stage.output, indices, ir::Cast(ir::ScalarType::kF32, value));
  };
  if (stage.reduction.empty()) return Loops(stage.spatial, store(body));
  const ir::Buffer acc =
      ir::MakeBuffer(absl::StrCat(stage.output->name, "_acc"), {1}, ir::kF64, ir::Scope::kRegister);
  const std::vector<ir::Expr> at{ir::IntImm(0)};
  const ir::Stmt sum = Loops(stage.reduction, ir::Store(acc, at, ir::Load(acc, at) + body));
  return Loops(stage.spatial, ir::Allocate(acc, ir::Block({ir::Store(acc, at, ir::Zero(ir::kF64)),
                                                           sum, store(ir::Load(acc, at))})));
}

}  // namespace

absl::StatusOr<ir::Module> LowerNaive(const te::Graph& graph, const std::string& name) {
  ir::Function function{name, {}, {}};
  DoublePrecision::Buffers doubles;
  for (const te::Tensor& tensor : graph.tensors) {
    const bool written = graph.Producer(tensor.buffer) != nullptr;
    if (!written) function.params.push_back(tensor.buffer);
    if (written && tensor.role != te::Role::kOutput) {
      doubles[tensor.buffer.get()] =
          ir::MakeBuffer(tensor.buffer->name, tensor.buffer->shape, ir::kF64, ir::Scope::kLocal);
    }
  }
  for (const te::Tensor& tensor : graph.tensors) {
    if (tensor.role == te::Role::kOutput) function.params.push_back(tensor.buffer);
  }
  std::vector<ir::Stmt> stmts;
  for (const te::Stage& stage : graph.stages) stmts.push_back(NaiveStage(stage, doubles));
  ir::Stmt body = ir::Block(std::move(stmts));
  for (const auto& [tensor, buffer] : doubles) body = ir::Allocate(buffer, body);
  function.body = PartitionLoops(ir::Simplify(body));
  ir::Module module;
  module.functions.push_back(std::move(function));
  ALT_RETURN_IF_ERROR(ir::Verify(module));
  return module;
}

}  // namespace alt::lower
