// LowerNaive: the reference. Stages in order, sums in double, no schedule but that a tile of sums
// is kept in registers and threads share the tiles: half the FMA units' peak on double at best,
// which is 20 GFLOP/s a core and more. Shown by tests/common/lower/lower_naive_test.cc.

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/base/math.h"
#include "common/base/status_macros.h"
#include "common/ir/mutator.h"
#include "common/ir/simplify.h"
#include "common/ir/substitute.h"
#include "common/ir/verify.h"
#include "common/ir/visitor.h"
#include "common/lower/flatten_buffers.h"
#include "common/lower/lower.h"
#include "common/lower/partition_loops.h"
#include "common/lower/promote_accumulators.h"
#include "common/lower/unroll_loops.h"
#include "common/lower/vectorize_loops.h"

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

ir::Stmt Loops(const std::vector<te::Axis>& axes, ir::Stmt body, bool parallel = false) {
  const auto wide =
      std::find_if(axes.begin(), axes.end(), [](const te::Axis& axis) { return axis.extent > 1; });
  for (size_t i = axes.size(); i-- > 0;) {
    const bool shared = parallel && wide == axes.begin() + static_cast<ptrdiff_t>(i);
    body = ir::For(axes[i].var, ir::IntImm(0), ir::IntImm(axes[i].extent),
                   shared ? ir::ForKind::kParallel : ir::ForKind::kSerial, body);
  }
  return body;
}

// How far apart in memory the cells lie that neighbours along an axis read: none where that differs
// from place to place.
std::optional<int64_t> StrideAlong(const te::Axis& axis, const ir::ExprNode& load) {
  const std::vector<int64_t> strides = ir::Strides(*load.buffer);
  ir::Expr here = ir::IntImm(0);
  for (size_t d = 0; d < strides.size(); ++d) here = here + load.args[d] * ir::Expr(strides[d]);
  const ir::Expr next = ir::Substitute(here, {{axis.var.get(), ir::Expr(axis.var) + 1}});
  int64_t stride = 0;
  if (!ir::IsInt(ir::Simplify(next - here), &stride)) return std::nullopt;
  return stride;
}

// What loads make of an axis of a stage.
struct AxisReads {
  int64_t steady = 0;     // do not depend on it
  int64_t in_order = 0;   // neighbours lie side by side
  int64_t scattered = 0;  // neither
};

AxisReads ReadsAlong(const te::Stage& stage, const te::Axis& axis) {
  AxisReads reads;
  ir::VisitExpr(stage.body, [&](const ir::Expr& e) {
    if (e->kind != ir::ExprKind::kLoad || e->buffer->scope == ir::Scope::kTable) return true;
    const std::optional<int64_t> stride = StrideAlong(axis, *e);
    ++(stride == 0 ? reads.steady : stride == 1 ? reads.in_order : reads.scattered);
    return true;
  });
  return reads;
}

// One spatial axis of a reduction, cut into tiles; the last one overlaps the one before it rather
// than to be shorter, and computes the same sums again.
struct Tiles {
  const te::Axis* axis;
  int64_t size;
  int64_t count() const { return base::CeilDiv(axis->extent, size); }
  ir::Expr Start(const ir::Expr& tile) const {
    const ir::Expr start = tile * size;
    return axis->extent % size == 0 ? start : ir::Min(start, ir::IntImm(axis->extent - size));
  }
};

// How the sums of a stage are computed: `rows` x `lanes` of them at once in registers, each adding
// up its own terms in order. Lanes are neighbours that loads find side by side; rows share what is
// loaded for the lanes.
struct RegisterTile {
  Tiles rows, lanes;          // either may be of the stage's `none`, an axis of one
  std::vector<Tiles> others;  // of size 1, in order
};

RegisterTile ChooseTile(const te::Stage& stage, const target::Target& target,
                        const te::Axis& none) {
  const int64_t vector = std::max(1, target::VecLanes(target, 64));
  const int64_t most_rows = target::NumVectorRegisters(target) >= 32 ? 8 : 4;
  const auto room = [](const te::Axis& axis, int64_t most) { return std::min(axis.extent, most); };
  const te::Axis* lanes = &none;
  for (const te::Axis& axis : stage.spatial) {
    const auto rank = [&](const te::Axis& a) {
      const AxisReads reads = ReadsAlong(stage, a);
      // A vector gathered from all over takes as long as several that lie in order.
      const int64_t filled = room(a, vector) * (reads.scattered > 0 ? 1 : 4);
      return std::make_tuple(filled, reads.in_order, room(a, 2 * vector));
    };
    if (axis.extent > 1 && (lanes == &none || rank(axis) >= rank(*lanes))) lanes = &axis;
  }
  const te::Axis* rows = &none;
  for (const te::Axis& axis : stage.spatial) {
    const auto rank = [&](const te::Axis& a) {
      return std::make_tuple(ReadsAlong(stage, a).steady, room(a, most_rows));
    };
    if (&axis == lanes || axis.extent == 1) continue;
    if (rows == &none || rank(axis) > rank(*rows)) rows = &axis;
  }
  RegisterTile tile{{rows, room(*rows, most_rows)}, {lanes, room(*lanes, 2 * vector)}, {}};
  for (const te::Axis& axis : stage.spatial) {
    if (&axis != rows && &axis != lanes) tile.others.push_back({&axis, 1});
  }
  return tile;
}

using StoreSum = absl::FunctionRef<ir::Stmt(const ir::VarMap& cell, const ir::Expr& sum)>;

// The sums of one tile, whose first cell is `start`.
ir::Stmt SumTile(const te::Stage& stage, const ir::Expr& body, const RegisterTile& tile,
                 const ir::VarMap& start, StoreSum store) {
  const ir::Buffer sums =
      ir::MakeBuffer(absl::StrCat(stage.output->name, "_sums"), {tile.rows.size, tile.lanes.size},
                     ir::kF64, ir::Scope::kLocal);
  using Leaf = absl::FunctionRef<ir::Stmt(const std::vector<ir::Expr>& at, const ir::VarMap& cell)>;
  const auto for_each = [&](Leaf leaf) {
    const ir::Var row = ir::MakeVar("row"), lane = ir::MakeVar("lane");
    ir::VarMap cell = start;
    cell[tile.rows.axis->var.get()] = start.at(tile.rows.axis->var.get()) + row;
    cell[tile.lanes.axis->var.get()] = start.at(tile.lanes.axis->var.get()) + lane;
    const ir::Stmt vectors = ir::For(lane, ir::IntImm(0), ir::IntImm(tile.lanes.size),
                                     ir::ForKind::kVectorized, leaf({row, lane}, cell));
    return ir::For(row, ir::IntImm(0), ir::IntImm(tile.rows.size), ir::ForKind::kUnrolled, vectors);
  };
  using At = std::vector<ir::Expr>;
  const ir::Stmt clear = for_each([&](const At& at, const ir::VarMap&) {
    return ir::Store(sums, at, stage.reducer->identity(ir::kF64));
  });
  const ir::Stmt add = for_each([&](const At& at, const ir::VarMap& cell) {
    return ir::Store(sums, at,
                     stage.reducer->combine(ir::Load(sums, at), ir::Substitute(body, cell)));
  });
  const ir::Stmt keep = for_each(
      [&](const At& at, const ir::VarMap& cell) { return store(cell, ir::Load(sums, at)); });
  return ir::Allocate(sums, ir::Block({clear, Loops(stage.reduction, add), keep}));
}

// All tiles in one loop, so that threads share them evenly. Those that share the lanes' loads come
// one after the other.
ir::Stmt SumStage(const te::Stage& stage, const ir::Expr& body, const target::Target& target,
                  StoreSum store) {
  const te::Axis none = te::MakeAxis("none", 1);
  const RegisterTile tile = ChooseTile(stage, target, none);
  std::vector<Tiles> order = tile.others;
  order.push_back(tile.lanes);
  order.push_back(tile.rows);
  const ir::Var number = ir::MakeVar(absl::StrCat(stage.name, "_tile"));
  ir::Expr left = ir::Expr(number);
  int64_t count = 1;
  ir::VarMap start;
  for (size_t i = order.size(); i-- > 0;) {
    const int64_t n = order[i].count();
    start[order[i].axis->var.get()] =
        order[i].Start(i == 0 ? left : ir::FloorMod(left, ir::IntImm(n)));
    left = ir::FloorDiv(left, ir::IntImm(n));
    count *= n;
  }
  const auto kind = target.threads > 1 ? ir::ForKind::kParallel : ir::ForKind::kSerial;
  return ir::For(number, ir::IntImm(0), ir::IntImm(count), kind,
                 SumTile(stage, body, tile, start, store));
}

ir::Stmt NaiveStage(const te::Stage& stage, const DoublePrecision::Buffers& doubles,
                    const target::Target& target) {
  const ir::Expr body = DoublePrecision(doubles).MutateExpr(stage.body);
  const auto it = doubles.find(stage.output.get());
  const auto store = [&](const ir::VarMap& cell, const ir::Expr& value) {
    std::vector<ir::Expr> at;
    for (const te::Axis& axis : stage.spatial) {
      const auto moved = cell.find(axis.var.get());
      at.push_back(moved == cell.end() ? ir::Expr(axis.var) : moved->second);
    }
    if (it != doubles.end()) return ir::Store(it->second, at, value);
    return ir::Store(stage.output, at, ir::Cast(ir::ScalarType::kF32, value));
  };
  if (!stage.reduction.empty()) return SumStage(stage, body, target, store);
  return Loops(stage.spatial, store({}, body), target.threads > 1);
}

}  // namespace

absl::StatusOr<ir::Module> LowerNaive(const te::Graph& graph, const target::Target& target,
                                      const std::string& name) {
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
  for (const te::Stage& stage : graph.stages) stmts.push_back(NaiveStage(stage, doubles, target));
  ir::Stmt body = ir::Block(std::move(stmts));
  for (const auto& [tensor, buffer] : doubles) body = ir::Allocate(buffer, body);
  function.body = PartitionLoops(ir::Simplify(body));
  // From here on as Lower.
  function = FlattenBuffers(function);
  function.body = VectorizeLoops(function.body, std::max(1, target::VecLanes(target, 64)));
  function.body = ir::Simplify(function.body);
  function.body = ir::Simplify(UnrollLoops(function.body));
  function.body = PromoteAccumulators(function.body);
  ir::Module module;
  module.functions.push_back(std::move(function));
  ALT_RETURN_IF_ERROR(ir::Verify(module));
  return module;
}

}  // namespace alt::lower
