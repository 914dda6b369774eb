#include "common/ir/printer.h"

#include <gtest/gtest.h>

namespace alt::ir {
namespace {

TEST(PrinterTest, ParenthesesStandOnlyWhereTheTreeNeedsThem) {
  const Expr a = MakeVar("a"), b = MakeVar("b"), c = MakeVar("c");
  EXPECT_EQ(Print(a + b * c), "a + b*c");
  EXPECT_EQ(Print((a + b) * c), "(a + b)*c");
  EXPECT_EQ(Print(a - (b - c)), "a - (b - c)");
  EXPECT_EQ(Print(a - b - c), "a - b - c");
  EXPECT_EQ(Print(And(Or(a < b, b < c), Not(Eq(a, b)))), "(a < b || b < c) && !(a == b)");
  EXPECT_EQ(Print(FloorDiv(a + 1, 2) * 3), "floordiv(a + 1, 2)*3");
  EXPECT_EQ(Print(Eq(a, b + 1)), "a == b + 1");
}

TEST(PrinterTest, FloatsReadBackAsTheSameNumber) {
  EXPECT_EQ(Print(FloatImm(1)), "1.0");
  EXPECT_EQ(Print(FloatImm(0.1)), "0.1");
  EXPECT_EQ(Print(FloatImm(0.1, kF64)), "0.1");
  EXPECT_EQ(Print(FloatImm(1e30)), "1e+30");
  EXPECT_EQ(Print(Cast(ScalarType::kF64, Load(MakeBuffer("b", {1}), {0}))), "cast<f64>(b[0])");
}

TEST(PrinterTest, ATransposedBlockNamesItsVector) {
  const Buffer rows = MakeBuffer("rows", {4}, kF32.WithLanes(4), Scope::kRegister);
  EXPECT_EQ(Print(Transpose(rows, 2)), "transpose(rows)[2]");
}

TEST(PrinterTest, VariablesOfOneNameAreToldApart) {
  const Expr h = MakeVar("h"), other = MakeVar("h");
  EXPECT_EQ(Print(h + other * h), "h + h_1*h");
}

TEST(PrinterTest, PrintsAWholeModule) {
  const Var i = MakeVar("i"), j = MakeVar("i"), v = MakeVar("v");
  const Buffer x = MakeBuffer("x", {64}), y = MakeBuffer("y", {64});
  const Buffer t = MakeBuffer("t", {4}, kF32.WithLanes(8), Scope::kRegister);
  const Buffer g = MakeTable("g", {2}, {0.5, -1});
  const Stmt body =
      Block({For(i, 0, 4, ForKind::kUnrolled,
                 Store(t, {i}, Load(x, {Ramp(Expr(i) * 8, 1, 8)}) * Broadcast(Load(g, {0}), 8))),
             For(j, 1, 3, ForKind::kParallel,
                 If(Expr(j) < 2, Store(y, {Ramp(Expr(j) * 8, 1, 8)}, Load(t, {j})),
                    Prefetch(x, {Expr(j) * 8}))),
             For(v, 0, 16, ForKind::kVectorized, Store(y, {v}, FloatImm(0)), 8)});
  const Module module{{Function{"kernel", {x, y}, Allocate(t, body)}}};
  EXPECT_EQ(Print(module), R"(kernel(x: f32[64], y: f32[64]) {
  table g: f32[2] = {0.5, -1.0}
  allocate t: f32x8[4] register {
    for i in [0, 4) unrolled {
      t[i] = x[ramp(i*8, 1, 8)]*broadcast(g[0], 8)
    }
    for i_1 in [1, 4) parallel {
      if i_1 < 2 {
        y[ramp(i_1*8, 1, 8)] = t[i_1]
      } else {
        prefetch x[i_1*8]
      }
    }
    for v in [0, 16) vectorized(8) {
      y[v] = 0.0
    }
  }
}
)");
}

}  // namespace
}  // namespace alt::ir
