// Whole programs as they print: each node kind stands in one of them at least.
#include <gtest/gtest.h>

#include "common/ir/module.h"
#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "tests/testing/golden.h"

namespace alt::ir {
namespace {

using alt::testing::MatchesGolden;

// A loop over [0, extent).
Stmt Loop(const Var& var, int64_t extent, Stmt body, ForKind kind = ForKind::kSerial) {
  return For(var, 0, extent, kind, std::move(body));
}

TEST(PrinterGoldenTest, PaddedConvolution) {
  const Buffer x = MakeBuffer("x", {1, 16, 56, 56}), w = MakeBuffer("w", {2, 16, 3, 3, 16});
  const Buffer y = MakeBuffer("y", {1, 2, 56, 56, 16});
  const Buffer acc = MakeBuffer("acc", {14}, kF32.WithLanes(16), Scope::kRegister);
  const Var o0 = MakeVar("o.0"), h = MakeVar("h"), w0 = MakeVar("w.0"), w1 = MakeVar("w.1");
  const Var ic = MakeVar("ic"), kh = MakeVar("kh"), kw = MakeVar("kw");
  const Expr row = Expr(h) + kh - 1, column = Expr(w0) * 14 + w1 + kw - 1;
  const Expr inside = And(And(Expr(0) <= row, row < 56), And(Expr(0) <= column, column < 56));
  const Expr pixel = Select(inside, Load(x, {0, ic, row, column}), FloatImm(0));
  const Expr ramp = Ramp(0, 1, 16);
  const Stmt update =
      Store(acc, {w1}, Load(acc, {w1}) + Broadcast(pixel, 16) * Load(w, {o0, ic, kh, kw, ramp}));
  const Stmt reduce =
      Loop(ic, 16,
           Block({Prefetch(w, {o0, Expr(ic) + 1, 0, 0, 0}),
                  Loop(kh, 3, Loop(kw, 3, Loop(w1, 14, update, ForKind::kUnrolled)))}));
  const Stmt tile = Allocate(
      acc, Block({Loop(w1, 14, Store(acc, {w1}, Zero(acc->dtype)), ForKind::kUnrolled), reduce,
                  Loop(w1, 14,
                       Store(y, {0, o0, h, Expr(w0) * 14 + w1, ramp},
                             Max(Load(acc, {w1}), Zero(acc->dtype))),
                       ForKind::kUnrolled)}));
  const Function f{
      "kernel", {x, w, y}, Loop(o0, 2, Loop(h, 56, Loop(w0, 4, tile)), ForKind::kParallel)};
  EXPECT_TRUE(MatchesGolden("ir", "padded_convolution", Print(Module{{f}})));
  EXPECT_TRUE(MatchesGolden("ir", "padded_convolution_simplified",
                            Print(Function{f.name, f.params, Simplify(f.body)})));
}

TEST(PrinterGoldenTest, EveryNodeKind) {
  const Buffer a = MakeBuffer("a", {8, 4}), d = MakeBuffer("a", {8}, kF64);
  const Buffer t = MakeTable("t", {2, 2}, {1, -0.5, 1e-9, 3});
  const Buffer local = MakeBuffer("local", {8}, kF32, Scope::kLocal);
  const Var i = MakeVar("i"), j = MakeVar("j"), k = MakeVar("i");
  const Expr x = i, y = j;
  const Stmt arithmetic = Store(a, {FloorDiv(x, 4), FloorMod(x + y, 4)},
                                Load(a, {Min(x, 7), Max(y - 1, 0)}) / FloatImm(3) -
                                    Load(t, {0, FloorMod(y, 2)}) * FloatImm(2));
  const Stmt casts =
      Store(d, {y}, Cast(ScalarType::kF64, Load(a, {y, 0})) + Cast(ScalarType::kF64, x * y));
  const Stmt conditions =
      If(Or(And(x < y, Not(Eq(y, 3))), y <= x),
         Store(local, {x}, Select(x < 2, FloatImm(1), FloatImm(-1))), Prefetch(a, {y, x}));
  const Stmt vectors = Store(local, {Ramp(x, 2, 4)},
                             Select(Ramp(x, 1, 4) < Broadcast(y, 4), Broadcast(FloatImm(0.25), 4),
                                    Load(local, {Ramp(y, 1, 4)})));
  const Stmt inner =
      For(j, x, Expr(8) - x, ForKind::kSerial, Block({arithmetic, casts, conditions, vectors}));
  const Stmt other = For(k, 1, 7, ForKind::kVectorized, Store(local, {k}, FloatImm(0)), 8);
  const Function f{"first", {a, d}, Allocate(local, Loop(i, 8, Block({inner, other})))};
  const Function g{"second", {}, Nop()};
  EXPECT_TRUE(MatchesGolden("ir", "every_node_kind", Print(Module{{f, g}})));
}

}  // namespace
}  // namespace alt::ir
