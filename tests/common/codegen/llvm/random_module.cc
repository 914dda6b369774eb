#include "tests/common/codegen/llvm/random_module.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/ir/interval.h"

namespace alt::testing {
namespace {

using ir::Broadcast;
using ir::Buffer;
using ir::Expr;
using ir::Load;
using ir::MakeBuffer;
using ir::Ramp;
using ir::Scope;
using ir::Stmt;
using ir::Store;
using ir::Var;

constexpr int64_t kRows = 6;
constexpr int64_t kColumns = 80;

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  ir::Function Function() {
    Var p = ir::MakeVar("p");
    const int64_t min = Int(-2, 3);
    ranges_[p.get()] = {min, min + kRows - 1};
    vars_.push_back(p);
    row_ = Expr(p) - min;
    const auto kind = Chance(.5) ? ir::ForKind::kParallel : ir::ForKind::kSerial;
    Stmt body = Statement(3);
    Stmt loop = ir::For(p, min, kRows, kind, body);
    vars_.clear();
    if (Chance(.3)) {  // around the parallel loop: a captured local and a captured variable
      Var q = ir::MakeVar("q");
      loop = ir::For(q, Int(-1, 1), Int(1, 2), ir::ForKind::kSerial, loop);
    }
    return {"kernel", {x_, z_, index_, out_}, loop};
  }

 private:
  int64_t Int(int64_t low, int64_t high) { return random_.UniformInt(low, high); }
  bool Chance(double p) { return random_.Bernoulli(p); }
  int64_t Pick(std::vector<int64_t> values) { return random_.Choice(values); }

  // ---- Indices.

  Expr Index(int depth) {
    if (depth == 0 || Chance(.2)) {
      return vars_.empty() || Chance(.3) ? Expr(Int(-7, 7)) : Expr(random_.Choice(vars_));
    }
    switch (Int(0, 8)) {
      case 0:
        return Index(depth - 1) + Index(depth - 1);
      case 1:
        return Index(depth - 1) - Index(depth - 1);
      case 2:
        return Index(depth - 1) * Expr(Int(-5, 9));
      case 3:
        return FloorDiv(Index(depth - 1), Pick({1, 2, 3, 4, 5, 8, 16}));
      case 4:
        return FloorMod(Index(depth - 1), Pick({1, 2, 3, 4, 7, 8, 16}));
      case 5:
        return Min(Index(depth - 1), Index(depth - 1));
      case 6:
        return Max(Index(depth - 1), Index(depth - 1));
      case 7:
        return Select(Condition(depth - 1), Index(depth - 1), Index(depth - 1));
      default:
        return Load(index_, {Fit(Index(depth - 1), index_->shape[0])});
    }
  }

  // e where it is known to lie in [0, extent), else forced into it.
  Expr Fit(Expr e, int64_t extent) {
    const std::optional<ir::Interval> bounds = BoundsOf(e, ranges_);
    if (bounds && bounds->min >= 0 && bounds->max < extent) return e;
    const Expr zero = Broadcast(0, e->dtype.lanes);
    if (Chance(.7)) return FloorMod(e, Broadcast(extent, e->dtype.lanes));
    return Min(Max(e, zero), Broadcast(extent - 1, e->dtype.lanes));
  }

  Expr VectorIndex(int64_t extent, int lanes) {
    const int64_t stride = Pick({1, 1, 1, 2, 3, -1, -2, 0});
    const int64_t span = (lanes - 1) * std::abs(stride);
    const int64_t first = stride < 0 ? span : 0;
    switch (span < extent ? Int(0, 6) : Int(3, 6)) {
      case 0:
      case 1:
        return Ramp(Fit(Index(2), extent - span) + first, stride, lanes);
      case 2:  // groups of equal lanes
        return Fit(FloorDiv(Ramp(Index(1), 1, lanes), Broadcast(Pick({2, 4}), lanes)) *
                       Broadcast(Pick({1, 2, 4}), lanes),
                   extent);
      case 3:
        return Fit(Ramp(Index(1), Index(1), lanes), extent);
      case 4:  // through a table of indices
        return Fit(
            Load(index_, {VectorIndex(index_->shape[0], lanes)}) * Broadcast(Pick({1, 3}), lanes),
            extent);
      default:
        return Broadcast(Fit(Index(2), extent), lanes);
    }
  }

  Expr AnyIndex(int64_t extent, int lanes) {
    return lanes == 1 ? Fit(Index(3), extent) : VectorIndex(extent, lanes);
  }

  Expr Condition(int depth) {
    switch (depth == 0 ? Int(0, 2) : Int(0, 5)) {
      case 0:
        return Index(depth) < Index(depth);
      case 1:
        return Index(depth) <= Index(depth);
      case 2:
        return Eq(Index(depth), Index(depth));
      case 3:
        return And(Condition(depth - 1), Condition(depth - 1));
      case 4:
        return Or(Condition(depth - 1), Condition(depth - 1));
      default:
        return Not(Condition(depth - 1));
    }
  }

  // ---- Values.

  Expr Leaf(int lanes) {
    switch (Int(0, locals_.empty() ? 6 : 7)) {
      case 0:
        return ir::FloatImm(static_cast<double>(Int(-3, 3)), ir::kF32.WithLanes(lanes));
      case 1:
      case 2:
        return Load(x_, {Fit(Index(1), x_->shape[0]), AnyIndex(x_->shape[1], lanes)});
      case 3:
        return Cast(ir::ScalarType::kF32, Load(z_, {AnyIndex(z_->shape[0], lanes)}));
      case 4:
        return Load(table_, {Fit(Index(1), table_->shape[0]), AnyIndex(table_->shape[1], lanes)});
      case 5:
        return Cast(ir::ScalarType::kF32,
                    FloorMod(lanes == 1 ? Index(2) : VectorIndex(50, lanes), Broadcast(8, lanes)));
      case 6:
        return Guarded(lanes);
      default: {
        const Buffer& local = random_.Choice(locals_);
        return Load(local, {AnyIndex(local->shape[0], lanes)});
      }
    }
  }

  // A load out of bounds where the guard does not hold, for each lane.
  Expr Guarded(int lanes) {
    const int64_t extent = x_->shape[1];
    Expr column = lanes == 1 || Chance(.2) ? Broadcast(Index(2), lanes)
                                           : Ramp(Index(1), Pick({1, 1, 2, -1, 5}), lanes);
    Expr inside = And(Broadcast(0, lanes) <= column, column < Broadcast(extent, lanes));
    Expr load = Load(x_, {Fit(Index(1), x_->shape[0]), column});
    if (Chance(.3)) load = load + Leaf(lanes);
    Expr other = Chance(.5) ? ir::Zero(load->dtype) : Leaf(lanes);
    return Chance(.5) ? Select(inside, load, other) : Select(Not(inside), other, load);
  }

  Expr Value(int lanes, int depth) {
    if (depth == 0) return Leaf(lanes);
    switch (Int(0, 7)) {
      case 0:
      case 1:
        return Value(lanes, depth - 1) + Value(lanes, depth - 1);
      case 2:
        return Value(lanes, depth - 1) - Value(lanes, depth - 1);
      case 3:
        return Leaf(lanes) * Leaf(lanes);
      case 4:
        return Max(Value(lanes, depth - 1), Value(lanes, depth - 1));
      case 5:
        return Select(Comparison(lanes, depth - 1), Value(lanes, depth - 1),
                      Value(lanes, depth - 1));
      case 6:
        return Broadcast(Value(1, depth - 1), lanes);
      default:
        return Min(Leaf(lanes), Leaf(lanes)) / ir::FloatImm(4, ir::kF32.WithLanes(lanes));
    }
  }

  Expr Comparison(int lanes, int depth) {
    if (Chance(.4)) return Condition(1);
    if (Chance(.3)) return Broadcast(Condition(1), lanes);
    if (Chance(.5)) return Value(lanes, depth) < Value(lanes, depth);
    return Broadcast(Index(1), lanes) <= (lanes == 1 ? Index(1) : Ramp(Index(1), 1, lanes));
  }

  // ---- Statements.

  Stmt Statement(int depth) {
    if (depth == 0) return StoreOut();
    switch (Int(0, 6)) {
      case 0:
      case 1:
        return Loop(depth);
      case 2:
        return ir::If(Condition(1), Statement(depth - 1),
                      Chance(.5) ? Statement(depth - 1) : Stmt());
      case 3:
        return WithLocal(depth);
      case 4:
        return WithRegisters(depth);
      case 5:
        return ir::Block({ir::Prefetch(x_, {Index(1), Index(1)}), Statement(depth - 1)});
      default:
        return ir::Block({Statement(depth - 1), Statement(depth - 1)});
    }
  }

  Stmt Loop(int depth) {
    Var v = ir::MakeVar(absl::StrCat("v", depth));
    Expr min = Chance(.7) ? Expr(Int(-2, 2)) : Fit(Index(1), 4);
    Expr extent = Chance(.7) ? Expr(Int(1, 4)) : Fit(Index(2), 5) - Int(0, 1);
    const std::optional<ir::Interval> low = BoundsOf(min, ranges_);
    ranges_[v.get()] = {low->min, low->max + 4};
    vars_.push_back(v);
    Stmt body = Statement(depth - 1);
    vars_.pop_back();
    return ir::For(v, min, extent, ir::ForKind::kSerial, body);
  }

  Stmt StoreOut() {
    const auto lanes = static_cast<int>(Pick({1, 1, 4, 5, 8, 16}));
    if (Chance(.4)) {
      Expr at = AnyIndex(kColumns, lanes);
      // Lanes that meet would make a sum depend on the order of loads and stores.
      if (lanes > 1) at = Ramp(Fit(Index(1), kColumns - lanes), 1, lanes);
      return Store(out_, {row_, at}, Load(out_, {row_, at}) + Value(lanes, 2));
    }
    return Store(out_, {row_, AnyIndex(kColumns, lanes)}, Value(lanes, 2));
  }

  // A temporary on the stack or in the workspace, written whole and then read.
  Stmt WithLocal(int depth) {
    Buffer local = MakeBuffer("local", {Pick({40, 40, 3000, 6000})}, ir::kF32, Scope::kLocal);
    Var i = ir::MakeVar("i");
    ranges_[i.get()] = {0, local->shape[0] / 8 - 1};
    vars_.push_back(i);
    Stmt fill = Store(local, {Ramp(Expr(i) * 8, 1, 8)}, Value(8, 1));
    vars_.pop_back();
    fill = ir::For(i, 0, local->shape[0] / 8, ir::ForKind::kSerial, fill);
    locals_.push_back(local);
    Stmt use = Statement(depth - 1);
    Stmt update = Store(local, {AnyIndex(local->shape[0], 4)}, Value(4, 1));
    Stmt again = StoreOut();
    locals_.pop_back();
    return ir::Allocate(local, ir::Block({fill, use, update, again}));
  }

  // Accumulators over a loop.
  Stmt WithRegisters(int depth) {
    const auto lanes = static_cast<int>(Pick({1, 4, 8, 16}));
    const bool vectors = Chance(.7);
    Buffer registers = MakeBuffer("acc", {2, vectors ? 1 : lanes},
                                  ir::kF32.WithLanes(vectors ? lanes : 1), Scope::kRegister);
    const Expr lane = vectors ? Expr(0) : Ramp(0, 1, lanes);
    std::vector<Stmt> zero, sum, store;
    Var v = ir::MakeVar("k");
    ranges_[v.get()] = {0, 2};
    for (int i = 0; i < 2; ++i) {
      zero.push_back(Store(registers, {i, lane}, ir::Zero(ir::kF32.WithLanes(lanes))));
      vars_.push_back(v);
      sum.push_back(
          Store(registers, {i, lane}, Load(registers, {i, lane}) + Leaf(lanes) * Leaf(lanes)));
      vars_.pop_back();
      Expr at =
          lanes == 1 ? Fit(Index(1), kColumns) : Ramp(Fit(Index(1), kColumns - lanes), 1, lanes);
      store.push_back(Store(out_, {row_, at}, Load(registers, {i, lane})));
    }
    Stmt loop = ir::For(v, 0, Pick({1, 3}), ir::ForKind::kSerial,
                        Chance(.2) ? ir::If(Condition(1), ir::Block(sum)) : ir::Block(sum));
    return ir::Allocate(registers,
                        ir::Block({ir::Block(zero), loop, Statement(depth - 1), ir::Block(store)}));
  }

  base::Random random_;
  const Buffer x_ = MakeBuffer("x", {5, 48});
  const Buffer z_ = MakeBuffer("z", {70}, ir::kF64);
  const Buffer index_ = MakeBuffer("index", {13}, ir::kIndex);
  const Buffer out_ = MakeBuffer("out", {kRows, kColumns});
  const Buffer table_ = ir::MakeTable("table", {2, 6}, {0, 1, -1, 2, 0, 3, 1, 0, -2, 1, 1, 0});
  std::vector<Var> vars_;
  std::vector<Buffer> locals_;
  ir::RangeMap ranges_;
  Expr row_;
};

}  // namespace

ir::Module RandomModule(uint64_t seed) { return {{Maker(seed).Function()}}; }

}  // namespace alt::testing
