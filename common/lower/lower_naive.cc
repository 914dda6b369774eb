// LowerNaive: the reference. One loop for each axis in order, sums in double, no schedule but that
// eight neighbours are summed at once.

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/ir/mutator.h"
#include "common/ir/simplify.h"
#include "common/ir/substitute.h"
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

// Sums over the reduction of `count` neighbours along the last spatial axis, from `first` on. A sum
// waits for its own last addition, so eight at once take little longer than one.
ir::Stmt SumNeighbours(const te::Stage& stage, const ir::Expr& body, const ir::Expr& first,
                       int64_t count,
                       absl::FunctionRef<ir::Stmt(const ir::Expr& at, const ir::Expr& sum)> store) {
  const ir::Buffer acc = ir::MakeBuffer(absl::StrCat(stage.output->name, "_acc"), {count}, ir::kF64,
                                        ir::Scope::kRegister);
  std::vector<ir::Stmt> clear, add, keep;
  for (int64_t i = 0; i < count; ++i) {
    const std::vector<ir::Expr> at{ir::IntImm(i)};
    const ir::Expr place = first + i;
    const ir::Expr term = stage.spatial.empty()
                              ? body
                              : ir::Substitute(body, {{stage.spatial.back().var.get(), place}});
    clear.push_back(ir::Store(acc, at, ir::Zero(ir::kF64)));
    add.push_back(ir::Store(acc, at, ir::Load(acc, at) + term));
    keep.push_back(store(place, ir::Load(acc, at)));
  }
  return ir::Allocate(acc, ir::Block({ir::Block(std::move(clear)),
                                      Loops(stage.reduction, ir::Block(std::move(add))),
                                      ir::Block(std::move(keep))}));
}

// All cells along the last spatial axis, most of them kSumsAtOnce at a time.
ir::Stmt SumRow(const te::Stage& stage, const ir::Expr& body,
                absl::FunctionRef<ir::Stmt(const ir::Expr& at, const ir::Expr& sum)> store) {
  constexpr int64_t kSumsAtOnce = 8;
  if (stage.spatial.empty()) return SumNeighbours(stage, body, ir::IntImm(0), 1, store);
  const te::Axis& row = stage.spatial.back();
  const int64_t groups = row.extent / kSumsAtOnce;
  const int64_t rest = row.extent % kSumsAtOnce;
  std::vector<ir::Stmt> stmts;
  if (groups > 0) {
    const ir::Var group = ir::MakeVar(absl::StrCat(row.name(), "_group"));
    stmts.push_back(
        ir::For(group, ir::IntImm(0), ir::IntImm(groups), ir::ForKind::kSerial,
                SumNeighbours(stage, body, ir::Expr(group) * kSumsAtOnce, kSumsAtOnce, store)));
  }
  if (rest > 0) {
    stmts.push_back(SumNeighbours(stage, body, ir::IntImm(groups * kSumsAtOnce), rest, store));
  }
  return ir::Block(std::move(stmts));
}

ir::Stmt NaiveStage(const te::Stage& stage, const DoublePrecision::Buffers& doubles) {
  std::vector<ir::Expr> indices;
  for (const te::Axis& axis : stage.spatial) indices.push_back(ir::Expr(axis.var));
  const ir::Expr body = DoublePrecision(doubles).MutateExpr(stage.body);
  const auto it = doubles.find(stage.output.get());
  const auto store = [&](const std::vector<ir::Expr>& at, const ir::Expr& value) {
    if (it != doubles.end()) return ir::Store(it->second, at, value);
    return ir::Store(stage.output, at, ir::Cast(ir::ScalarType::kF32, value));
  };
  if (stage.reduction.empty()) return Loops(stage.spatial, store(indices, body));
  const auto store_in_row = [&](const ir::Expr& place, const ir::Expr& sum) {
    std::vector<ir::Expr> at = indices;
    if (!at.empty()) at.back() = place;
    return store(at, sum);
  };
  std::vector<te::Axis> rows = stage.spatial;
  if (!rows.empty()) rows.pop_back();
  return Loops(rows, SumRow(stage, body, store_in_row));
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
