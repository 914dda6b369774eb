// One behaviour of expressions, statements and memory at a time; random_module_test mixes them.

#include <gtest/gtest.h>

#include <vector>

#include "tests/common/codegen/loaded_kernel.h"
#include "tests/common/codegen/run_both.h"
#include "tests/testing/status_matchers.h"

namespace alt::testing {
namespace {

using ir::Broadcast;
using ir::Buffer;
using ir::Expr;
using ir::FloatImm;
using ir::For;
using ir::ForKind;
using ir::kF32;
using ir::kF64;
using ir::Load;
using ir::MakeBuffer;
using ir::Ramp;
using ir::Scope;
using ir::Stmt;
using ir::Store;
using ir::Var;

Stmt Loop(const Var& v, Expr min, Expr extent, Stmt body) {
  return For(v, std::move(min), std::move(extent), ForKind::kSerial, std::move(body));
}

// Fixture with an input, an output and a loop variable.
class EmitTest : public ::testing::Test {
 protected:
  ir::Module Kernel(Stmt body) { return {{{"f", {x_, n_, y_}, std::move(body)}}}; }
  Expr X(Expr i) { return Load(x_, {std::move(i)}); }
  Stmt Y(Expr i, Expr value) { return Store(y_, {std::move(i)}, std::move(value)); }
  ::testing::AssertionResult Runs(Stmt body) { return RunsAsInterpreted(Kernel(std::move(body))); }

  const Buffer x_ = MakeBuffer("x", {200});
  const Buffer n_ = MakeBuffer("n", {8}, ir::kIndex);
  const Buffer y_ = MakeBuffer("y", {200});
  const Var v_ = ir::MakeVar("v");
};

TEST_F(EmitTest, DivisionRoundsDownForNegativeNumbers) {
  const Expr e = Expr(v_) - 20;
  std::vector<Stmt> stmts;
  int64_t at = 0;
  for (int64_t divisor : {1, 3, 8, 7}) {
    stmts.push_back(Y(Expr(v_) + at++ * 50, Cast(ir::ScalarType::kF32, FloorDiv(e, divisor) * 100 +
                                                                           FloorMod(e, divisor))));
  }
  EXPECT_TRUE(Runs(Loop(v_, 0, 50, ir::Block(stmts))));
}

TEST_F(EmitTest, DivisorsThatAreNotConstant) {
  const Expr divisor = Load(n_, {0}) + 1;
  EXPECT_TRUE(Runs(Loop(v_, 0, 50,
                        Y(v_, Cast(ir::ScalarType::kF32, FloorDiv(Expr(v_) - 20, divisor) * 10 +
                                                             FloorMod(Expr(v_) - 20, divisor))))));
}

TEST_F(EmitTest, VectorDivisionRoundsDownToo) {
  const Expr e = Ramp(Expr(v_) - 20, 3, 8);
  const Expr q = FloorDiv(e, Broadcast(7, 8)) + FloorMod(e, Broadcast(5, 8)) * Broadcast(10, 8);
  EXPECT_TRUE(Runs(Loop(v_, 0, 20, Y(Ramp(Expr(v_) * 8, 1, 8), Cast(ir::ScalarType::kF32, q)))));
}

TEST_F(EmitTest, LoopsOfNoIterationDoNothing) {
  Var w = ir::MakeVar("w");
  EXPECT_TRUE(Runs(Loop(v_, 0, 0, Y(v_, FloatImm(1)))));
  EXPECT_TRUE(Runs(Loop(v_, 0, -3, Y(v_, FloatImm(1)))));
  EXPECT_TRUE(Runs(Loop(v_, 0, 5, Loop(w, v_, Expr(2) - v_, Y(Expr(v_) * 10 + w, FloatImm(1))))));
}

TEST_F(EmitTest, LoopBoundsMayComeFromMemory) {
  EXPECT_TRUE(Runs(Loop(v_, Load(n_, {1}), Load(n_, {2}), Y(v_, FloatImm(1)))));
}

TEST_F(EmitTest, StridesOfEveryKind) {
  std::vector<Stmt> stmts;
  int64_t at = 0;
  for (int64_t stride : {0, 1, 2, 3, 4, 9, -1, -2}) {
    stmts.push_back(Y(Ramp(at, 1, 16), Load(x_, {Ramp(stride < 0 ? 60 : 3, stride, 16)})));
    at += 16;
  }
  EXPECT_TRUE(Runs(ir::Block(stmts)));
}

TEST_F(EmitTest, StoresOfEveryStride) {
  std::vector<Stmt> stmts;
  for (int64_t stride : {2, -3, 5, 0}) {
    const int64_t base = stride < 0 ? 100 : 1;
    stmts.push_back(Store(y_, {Ramp(base, stride, 8)}, Load(x_, {Ramp(stride + 9, 1, 8)})));
  }
  EXPECT_TRUE(Runs(ir::Block(stmts)));
}

TEST_F(EmitTest, OddNumbersOfLanes) {
  std::vector<Stmt> stmts;
  for (int lanes : {2, 3, 5, 7, 12, 24, 33, 64}) {
    stmts.push_back(
        Y(Ramp(lanes, 1, lanes), Load(x_, {Ramp(1, 1, lanes)}) + Load(x_, {Ramp(100, 1, lanes)})));
  }
  EXPECT_TRUE(Runs(ir::Block(stmts)));
}

TEST_F(EmitTest, GroupsOfEqualLanesAreShuffled) {
  const Expr group = FloorDiv(Ramp(Expr(v_) * 16, 1, 16), Broadcast(4, 16)) * Broadcast(4, 16);
  EXPECT_TRUE(Runs(Loop(
      v_, 0, 4,
      Y(Ramp(Expr(v_) * 16, 1, 16), Load(x_, {group}) + Load(x_, {group + Broadcast(3, 16)})))));
}

TEST_F(EmitTest, RampsInAnOuterDimension) {
  Buffer square = MakeBuffer("square", {12, 10});
  ir::Module module =
      Kernel(Loop(v_, 0, 4,
                  Y(Ramp(Expr(v_) * 8, 1, 8), Load(square, {Ramp(v_, 1, 8), Broadcast(v_, 8)}) +
                                                  Load(square, {Ramp(v_, 1, 8), Ramp(0, 1, 8)}))));
  module.functions[0].params.push_back(square);
  EXPECT_TRUE(RunsAsInterpreted(module));
}

TEST_F(EmitTest, GatherThroughALoadedIndex) {
  EXPECT_TRUE(Runs(Y(Ramp(0, 1, 8), Load(x_, {Load(n_, {Ramp(0, 1, 8)}) * Broadcast(3, 8)}))));
}

TEST_F(EmitTest, GuardKeepsAScalarLoadInBounds) {
  // x has 200 elements; those before and after it would be foreign memory.
  const Expr i = (Expr(v_) - 2) * 1'000'000;
  const Expr inside = And(Expr(0) <= i, i < Expr(200));
  EXPECT_TRUE(Runs(Loop(v_, 0, 5, Y(v_, Select(inside, X(i), FloatImm(7))))));
  EXPECT_TRUE(Runs(Loop(v_, 0, 5, Y(v_, Select(Not(inside), FloatImm(7), X(i) + X(i)) * X(3)))));
}

TEST_F(EmitTest, GuardsHoldForEachLane) {
  for (int64_t stride : {1, 1'000'000, -1'000'000}) {
    const Expr i = Ramp(Expr(v_) * 8 - 20, stride, 16);
    const Expr inside = And(Broadcast(0, 16) <= i, i < Broadcast(200, 16));
    const Expr value = Select(inside, Load(x_, {i}) * Broadcast(X(v_), 16), Broadcast(X(5), 16));
    EXPECT_TRUE(Runs(Loop(v_, 0, 9, Y(Ramp(Expr(v_) * 16, 1, 16), value))));
  }
}

TEST_F(EmitTest, ScalarInsideAVectorGuardIsReadOnlyIfALaneWantsIt) {
  const Expr far = Expr(v_) * 1'000'000'000;
  const Expr inside = Broadcast(far, 8) < Ramp(1, 1, 8);  // all lanes for v = 0, none after
  const Expr value = Select(inside, Broadcast(X(far), 8), Broadcast(FloatImm(2), 8));
  EXPECT_TRUE(Runs(Loop(v_, 0, 3, Y(Ramp(Expr(v_) * 8, 1, 8), value))));
}

TEST_F(EmitTest, BroadcastConditionBranches) {
  const Expr far = Expr(v_) * 1'000'000'000;
  const Expr value = Select(Broadcast(Expr(v_) < Expr(1), 8), Load(x_, {Ramp(far, 1, 8)}),
                            Broadcast(FloatImm(2), 8));
  EXPECT_TRUE(Runs(Loop(v_, 0, 3, Y(Ramp(Expr(v_) * 8, 1, 8), value))));
}

TEST_F(EmitTest, IndexSelectsWithLoadsAreLazy) {
  const Expr far = Expr(v_) * 1'000'000'000;
  const Expr index = Select(Expr(v_) < Expr(1), Load(n_, {far}), Expr(9));
  EXPECT_TRUE(Runs(Loop(v_, 0, 3, Y(Expr(v_) * 10 + index, FloatImm(1)))));
}

TEST_F(EmitTest, ZerosOfTablesAreNoTerms) {
  // 0 / 0 is no number, in IEEE arithmetic neither is 0 times it; the table's zero says that there
  // is no such term.
  Buffer table = ir::MakeTable("t", {2}, {0, 1});
  const Expr none = (X(0) - X(0)) / (X(0) - X(0));
  const ir::Module module = Kernel(ir::Block(
      {Y(0, Load(table, {0}) * none + X(1)),
       Y(1, X(1) * Load(table, {1}) - none * Load(table, {0})), Y(2, Load(table, {0}) - X(1))}));
  ALT_ASSERT_OK_AND_ASSIGN(auto kernel, LoadedKernel::Create(module, HostCpu()));
  ir::Memory memory{{x_.get(), std::vector<double>(200, 5)},
                    {n_.get(), std::vector<double>(8)},
                    {y_.get(), std::vector<double>(200)}};
  kernel->Run(module.functions[0], memory);
  EXPECT_EQ(memory[y_.get()][0], 5);
  EXPECT_EQ(memory[y_.get()][1], 5);
  EXPECT_EQ(memory[y_.get()][2], -5);
}

TEST_F(EmitTest, TablesAtVariableIndices) {
  Buffer table = ir::MakeTable("t", {3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_TRUE(
      Runs(Loop(v_, 0, 3,
                ir::Block({Y(v_, Load(table, {v_, 3 - Expr(v_)})),
                           Y(Ramp(Expr(v_) * 4 + 10, 1, 4), Load(table, {v_, Ramp(0, 1, 4)}))}))));
}

TEST_F(EmitTest, DoublesAndBoolsInMemory) {
  Buffer d = MakeBuffer("d", {20}, kF64);
  Buffer b = MakeBuffer("b", {20}, ir::kBool);
  const Expr bools = Load(b, {Ramp(0, 1, 8)});
  ir::Module module = Kernel(ir::Block(
      {Store(d, {Ramp(8, 1, 8)},
             Cast(ir::ScalarType::kF64, Load(x_, {Ramp(0, 1, 8)})) * Load(d, {Ramp(0, 1, 8)})),
       Store(b, {Ramp(8, 1, 8)}, Not(bools)), Store(b, {17}, Load(b, {3})),
       Y(Ramp(0, 1, 8), Select(bools, Cast(ir::ScalarType::kF32, Load(d, {Ramp(0, 2, 8)})),
                               Load(x_, {Ramp(9, 1, 8)})))}));
  module.functions[0].params.push_back(d);
  module.functions[0].params.push_back(b);
  EXPECT_TRUE(RunsAsInterpreted(module));
}

TEST_F(EmitTest, ElementsThatAreVectors) {
  Buffer wide = MakeBuffer("wide", {4, 3}, kF32.WithLanes(8));
  ir::Module module = Kernel(
      Loop(v_, 0, 3,
           ir::Block({Store(wide, {Expr(v_) + 1, 2}, Load(wide, {v_, 1}) + Load(wide, {v_, 0})),
                      Y(Ramp(Expr(v_) * 8, 1, 8), Load(wide, {Expr(v_) + 1, 2}))})));
  module.functions[0].params.push_back(wide);
  EXPECT_TRUE(RunsAsInterpreted(module));
}

TEST_F(EmitTest, LoadAfterStoreSeesIt) {
  // Loads are shared between statements, but not across a store to their buffer.
  EXPECT_TRUE(
      Runs(ir::Block({Y(0, Load(y_, {5})), Y(5, Load(y_, {5}) + FloatImm(1)), Y(1, Load(y_, {5})),
                      Y(Ramp(2, 1, 4), Load(y_, {Ramp(3, 1, 4)})), Y(6, Load(y_, {5})),
                      Y(Load(n_, {0}), FloatImm(9)), Y(7, Load(y_, {Load(n_, {0})}))})));
}

TEST_F(EmitTest, LoadsAreNotSharedAcrossLoopsAndBranches) {
  Var w = ir::MakeVar("w");
  EXPECT_TRUE(
      Runs(Loop(v_, 0, 4,
                ir::Block({Y(10, Load(y_, {0})), Loop(w, 0, 3, Y(0, Load(y_, {0}) + X(w))),
                           Y(11, Load(y_, {0})), ir::If(X(v_) < FloatImm(0), Y(0, FloatImm(5))),
                           Y(Expr(v_) + 12, Load(y_, {0})),
                           ir::If(X(v_) < X(Expr(v_) + 1), Y(20, X(v_)), Y(21, X(v_)))}))));
}

TEST_F(EmitTest, BuffersThatShareWorkspaceDoNotMix) {
  // Two large temporaries of disjoint lifetimes in one loop: the same bytes in turns.
  Buffer a = MakeBuffer("a", {6000}, kF32, Scope::kLocal);
  Buffer b = MakeBuffer("b", {6000}, kF32, Scope::kLocal);
  auto round = [&](const Buffer& t, Expr value, Expr from) {
    Var i = ir::MakeVar("i");
    return ir::Allocate(t,
                        ir::Block({Loop(i, 0, 200, Store(t, {i}, X(i) * value)),
                                   Y(v_, Load(y_, {v_}) + Load(t, {from}) + Load(t, {from + 1}))}));
  };
  EXPECT_TRUE(Runs(Loop(v_, 0, 9,
                        ir::Block({round(a, FloatImm(2), v_), round(b, FloatImm(3), v_),
                                   round(a, FloatImm(5), Expr(v_) + 7)}))));
}

TEST_F(EmitTest, NestedTemporariesOnStackAndWorkspace) {
  Buffer small = MakeBuffer("small", {16}, kF32, Scope::kLocal);
  Buffer large = MakeBuffer("large", {5000}, kF32, Scope::kLocal);
  Buffer other = MakeBuffer("other", {5000}, kF32, Scope::kLocal);
  Stmt body = ir::Block({Store(small, {Ramp(0, 1, 16)}, Load(x_, {Ramp(0, 1, 16)})),
                         Store(large, {Ramp(v_, 1, 16)}, Load(small, {Ramp(0, 1, 16)})),
                         Store(other, {Ramp(v_, 1, 16)}, Load(large, {Ramp(v_, 1, 16)})),
                         Store(large, {Ramp(v_, 1, 16)}, Load(x_, {Ramp(3, 1, 16)})),
                         Y(Ramp(Expr(v_) * 16, 1, 16),
                           Load(other, {Ramp(v_, 1, 16)}) + Load(large, {Ramp(v_, 1, 16)}))});
  EXPECT_TRUE(
      Runs(Loop(v_, 0, 4, ir::Allocate(small, ir::Allocate(large, ir::Allocate(other, body))))));
}

TEST_F(EmitTest, RegistersCarryOverLoopsAndBranches) {
  Buffer r = MakeBuffer("r", {2}, kF32, Scope::kRegister);
  Stmt step = ir::If(X(v_) < FloatImm(0), Store(r, {0}, Load(r, {0}) + X(v_)),
                     Store(r, {1}, Load(r, {1}) * FloatImm(-1) + X(v_)));
  EXPECT_TRUE(Runs(
      ir::Allocate(r, ir::Block({Store(r, {0}, X(0)), Store(r, {1}, FloatImm(0)),
                                 Loop(v_, 0, 20, step), Y(0, Load(r, {0})), Y(1, Load(r, {1}))}))));
}

}  // namespace
}  // namespace alt::testing
