#include "tests/common/codegen/kernels.h"

#include <utility>
#include <vector>

namespace alt::testing {

using ir::Broadcast;
using ir::Buffer;
using ir::Expr;
using ir::For;
using ir::ForKind;
using ir::Load;
using ir::MakeBuffer;
using ir::MakeVar;
using ir::Module;
using ir::Ramp;
using ir::Scope;
using ir::Stmt;
using ir::Store;
using ir::Var;

namespace {

Stmt Loop(const Var& var, int64_t extent, Stmt body, ForKind kind = ForKind::kSerial) {
  return For(var, 0, extent, kind, std::move(body));
}

// Registers of vectors, rows x vectors, and the three parts of their life.
struct Accumulators {
  Buffer registers;
  int rows, vectors, lanes;

  Accumulators(int rows, int vectors, int lanes)
      : registers(MakeBuffer("acc", {rows, vectors}, ir::kF32.WithLanes(lanes), Scope::kRegister)),
        rows(rows),
        vectors(vectors),
        lanes(lanes) {}

  template <typename Make>
  Stmt Each(Make make) const {
    // The longer side outside: the other operands are live for one step only.
    std::vector<Stmt> stmts;
    for (int i = 0; i < rows && rows >= vectors; ++i) {
      for (int v = 0; v < vectors; ++v) stmts.push_back(make(i, v));
    }
    for (int v = 0; v < vectors && rows < vectors; ++v) {
      for (int i = 0; i < rows; ++i) stmts.push_back(make(i, v));
    }
    return ir::Block(std::move(stmts));
  }
  Stmt Zero() const {
    return Each([&](int i, int v) { return Store(registers, {i, v}, ir::Zero(registers->dtype)); });
  }
  Stmt Add(int i, int v, Expr value) const {
    return Store(registers, {i, v}, Load(registers, {i, v}) + std::move(value));
  }
  Stmt Around(Stmt reduce, Stmt store) const {
    return ir::Allocate(registers, ir::Block({Zero(), std::move(reduce), std::move(store)}));
  }
};

}  // namespace

Module DirectConv(const ConvShape& shape, const Tile& tile, ForKind rows) {
  const int64_t c = shape.channels, n = shape.size, k = shape.kernel;
  const int64_t block = tile.vectors * tile.lanes;
  Buffer x = MakeBuffer("x", {n + k - 1, n + k - 1, c});
  Buffer w = MakeBuffer("w", {c / block, k, k, c, block});
  Buffer y = MakeBuffer("y", {n, n, c});
  Var h = MakeVar("h"), o = MakeVar("o"), xo = MakeVar("xo"), r = MakeVar("r"), s = MakeVar("s"),
      co = MakeVar("co");
  Accumulators acc(tile.rows, tile.vectors, tile.lanes);
  std::vector<Stmt> steps;
  for (int u = 0; u < tile.unroll; ++u) {
    const Expr channel = Expr(co) * tile.unroll + u;
    steps.push_back(acc.Each([&](int i, int v) {
      Expr pixel = Load(x, {Expr(h) + r, Expr(xo) * tile.rows + i + s, channel});
      Expr filter = Load(w, {o, r, s, channel, Ramp(v * tile.lanes, 1, tile.lanes)});
      return acc.Add(i, v, Broadcast(pixel, tile.lanes) * filter);
    }));
  }
  Stmt reduce = Loop(co, c / tile.unroll, ir::Block(steps));
  reduce = Loop(r, k, Loop(s, k, reduce));
  Stmt store = acc.Each([&](int i, int v) {
    return Store(
        y, {h, Expr(xo) * tile.rows + i, Ramp(Expr(o) * block + v * tile.lanes, 1, tile.lanes)},
        Load(acc.registers, {i, v}));
  });
  Stmt body = Loop(xo, n / tile.rows, acc.Around(reduce, store));
  return {{{"conv", {x, w, y}, Loop(h, n, Loop(o, c / block, body), rows)}}};
}

Module Gemm(int64_t m, int64_t n, int64_t k, const Tile& tile) {
  const int64_t block = tile.vectors * tile.lanes;
  Buffer a = MakeBuffer("a", {m, k});
  Buffer b = MakeBuffer("b", {n / block, k, block});
  Buffer c = MakeBuffer("c", {m, n});
  Var no = MakeVar("no"), mo = MakeVar("mo"), ko = MakeVar("ko");
  Accumulators acc(tile.rows, tile.vectors, tile.lanes);
  std::vector<Stmt> steps;
  for (int u = 0; u < tile.unroll; ++u) {
    const Expr kk = Expr(ko) * tile.unroll + u;
    steps.push_back(acc.Each([&](int i, int v) {
      Expr left = Load(a, {Expr(mo) * tile.rows + i, kk});
      Expr right = Load(b, {no, kk, Ramp(v * tile.lanes, 1, tile.lanes)});
      return acc.Add(i, v, Broadcast(left, tile.lanes) * right);
    }));
  }
  Stmt reduce = Loop(ko, k / tile.unroll, ir::Block(steps));
  Stmt store = acc.Each([&](int i, int v) {
    return Store(c,
                 {Expr(mo) * tile.rows + i, Ramp(Expr(no) * block + v * tile.lanes, 1, tile.lanes)},
                 Load(acc.registers, {i, v}));
  });
  return {{{"gemm",
            {a, b, c},
            Loop(no, n / block, Loop(mo, m / tile.rows, acc.Around(reduce, store)))}}};
}

Module Depthwise(int64_t channels, int64_t size, int pixels, int rows, int lanes) {
  Buffer x = MakeBuffer("x", {size + 2, size + 2, channels});
  Buffer w = MakeBuffer("w", {3, 3, channels});
  Buffer y = MakeBuffer("y", {size, size, channels});
  Var co = MakeVar("co"), h = MakeVar("h"), xo = MakeVar("xo");
  const Expr lane = Ramp(Expr(co) * lanes, 1, lanes);
  std::vector<Stmt> stores;
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < pixels; ++i) {
      Expr sum = ir::Zero(ir::kF32.WithLanes(lanes));
      for (int tap = 0; tap < 9; ++tap) {
        Expr pixel =
            Load(x, {Expr(h) * rows + row + tap / 3, Expr(xo) * pixels + i + tap % 3, lane});
        sum = sum + pixel * Load(w, {tap / 3, tap % 3, lane});
      }
      stores.push_back(Store(y, {Expr(h) * rows + row, Expr(xo) * pixels + i, lane}, sum));
    }
  }
  Stmt body = Loop(h, size / rows, Loop(xo, size / pixels, ir::Block(stores)));
  return {{{"depthwise", {x, w, y}, Loop(co, channels / lanes, body)}}};
}

Module GroupVector(int64_t groups, int64_t per_group, int64_t size, int pixels, int lanes) {
  const int64_t blocks = groups / lanes;
  const auto oc = static_cast<int>(per_group);
  Buffer x = MakeBuffer("x", {blocks, size + 2, size + 2, per_group, lanes});
  Buffer w = MakeBuffer("w", {blocks, 3, 3, per_group, per_group, lanes});
  Buffer y = MakeBuffer("y", {blocks, size, size, per_group, lanes});
  Var g = MakeVar("g"), h = MakeVar("h"), xo = MakeVar("xo"), r = MakeVar("r");
  const Expr lane = Ramp(0, 1, lanes);
  Accumulators acc(pixels, oc, lanes);
  std::vector<Stmt> steps;
  for (int s = 0; s < 3; ++s) {
    for (int ic = 0; ic < oc; ++ic) {
      steps.push_back(acc.Each([&](int i, int v) {
        Expr pixel = Load(x, {g, Expr(h) + r, Expr(xo) * pixels + i + s, ic, lane});
        return acc.Add(i, v, pixel * Load(w, {g, r, s, ic, v, lane}));
      }));
    }
  }
  Stmt store = acc.Each([&](int i, int v) {
    return Store(y, {g, h, Expr(xo) * pixels + i, v, lane}, Load(acc.registers, {i, v}));
  });
  Stmt body = Loop(xo, size / pixels, acc.Around(Loop(r, 3, ir::Block(steps)), store));
  return {{{"group_vector", {x, w, y}, Loop(g, blocks, Loop(h, size, body))}}};
}

Module GroupPermute(int64_t channels, int64_t size, int pixels, int lanes) {
  Buffer x = MakeBuffer("x", {size + 2, size + 2, channels});
  Buffer w = MakeBuffer("w", {channels / lanes, 3, 4, 3, lanes});
  Buffer y = MakeBuffer("y", {size, size, channels});
  Var co = MakeVar("co"), h = MakeVar("h"), xo = MakeVar("xo"), r = MakeVar("r");
  const Expr lane = Ramp(Expr(co) * lanes, 1, lanes);
  const Expr group = FloorDiv(lane, Broadcast(4, lanes)) * Broadcast(4, lanes);
  Accumulators acc(pixels, 1, lanes);
  std::vector<Stmt> steps;
  for (int ic = 0; ic < 4; ++ic) {
    for (int s = 0; s < 3; ++s) {
      steps.push_back(acc.Each([&](int i, int) {
        Expr pixel =
            Load(x, {Expr(h) + r, Expr(xo) * pixels + i + s, group + Broadcast(ic, lanes)});
        return acc.Add(i, 0, pixel * Load(w, {co, r, ic, s, Ramp(0, 1, lanes)}));
      }));
    }
  }
  Stmt store = acc.Each([&](int i, int) {
    return Store(y, {h, Expr(xo) * pixels + i, lane}, Load(acc.registers, {i, 0}));
  });
  Stmt body = Loop(xo, size / pixels, acc.Around(Loop(r, 3, ir::Block(steps)), store));
  return {{{"group_permute", {x, w, y}, Loop(co, channels / lanes, Loop(h, size, body))}}};
}

Module TransposedCopy(int64_t rows, int64_t columns, int lanes) {
  Buffer x = MakeBuffer("x", {rows, columns}), y = MakeBuffer("y", {columns, rows});
  Buffer block = MakeBuffer("block", {lanes}, ir::kF32.WithLanes(lanes), ir::Scope::kRegister);
  Var r = MakeVar("r"), c = MakeVar("c");
  std::vector<Stmt> stmts;
  for (int i = 0; i < lanes; ++i) {
    stmts.push_back(
        Store(block, {i}, Load(x, {Expr(r) * lanes + i, Ramp(Expr(c) * lanes, 1, lanes)})));
  }
  for (int i = 0; i < lanes; ++i) {
    stmts.push_back(
        Store(y, {Expr(c) * lanes + i, Ramp(Expr(r) * lanes, 1, lanes)}, ir::Transpose(block, i)));
  }
  Stmt body = ir::Allocate(block, ir::Block(stmts));
  return {{{"transposed_copy", {x, y}, Loop(r, rows / lanes, Loop(c, columns / lanes, body))}}};
}

}  // namespace alt::testing
