#include <gtest/gtest.h>

#include "common/ir/printer.h"
#include "common/ir/simplify.h"

namespace alt::ir {
namespace {

class SimplifyStmtTest : public ::testing::Test {
 protected:
  Stmt Loop(const Var& var, Expr extent, Stmt body) {
    return For(var, 0, std::move(extent), ForKind::kSerial, std::move(body));
  }
  std::string S(const Stmt& s) { return Print(Simplify(s)); }

  const Var i_ = MakeVar("i"), j_ = MakeVar("j"), k_ = MakeVar("k");
  const Expr i = i_, j = j_, k = k_;
  const Buffer x_ = MakeBuffer("x", {64}), y_ = MakeBuffer("y", {64});
};

TEST_F(SimplifyStmtTest, LoopsGiveRangesToTheirBodies) {
  const Expr index = i * 14 + j;
  const Stmt store = Store(x_, {FloorDiv(index, 14)}, Load(y_, {FloorMod(index, 14)}));
  EXPECT_EQ(S(Loop(i_, 4, Loop(j_, 14, store))), R"(for i in [0, 4) {
  for j in [0, 14) {
    x[i] = y[j]
  }
}
)");
}

TEST_F(SimplifyStmtTest, LoopsOfOneIterationBecomeTheirBody) {
  const Stmt store = Store(x_, {i * 8 + j}, Load(y_, {i}));
  EXPECT_EQ(S(Loop(i_, 4, For(j_, i + 2, 1, ForKind::kVectorized, store))),
            "for i in [0, 4) {\n  x[9*i + 2] = y[i]\n}\n");
  EXPECT_EQ(S(For(i_, 3, FloorDiv(7, 4), ForKind::kParallel, store)), "x[j + 24] = y[3]\n");
}

TEST_F(SimplifyStmtTest, LoopsOfNoIterationVanish) {
  const Stmt store = Store(x_, {i}, FloatImm(1));
  EXPECT_EQ(S(Block({store, Loop(j_, 0, store)})), "x[i] = 1.0\n");
  EXPECT_EQ(S(Loop(i_, 4, Loop(j_, i - 3, Store(x_, {j}, FloatImm(1))))), "nop\n");
}

TEST_F(SimplifyStmtTest, DecidedConditionsGo) {
  const Stmt a = Store(x_, {i}, FloatImm(1)), b = Store(x_, {i}, FloatImm(2));
  EXPECT_EQ(S(Loop(i_, 4, If(i < 4, a, b))), "for i in [0, 4) {\n  x[i] = 1.0\n}\n");
  EXPECT_EQ(S(Loop(i_, 4, If(Expr(4) < i, a, b))), "for i in [0, 4) {\n  x[i] = 2.0\n}\n");
  EXPECT_EQ(S(Loop(i_, 4, If(Expr(4) < i, a))), "nop\n");
}

TEST_F(SimplifyStmtTest, ConditionsNarrowTheirBranches) {
  const Stmt s =
      If(i < 8, Store(x_, {Min(i, 8)}, FloatImm(1)), Store(x_, {Max(i, 8)}, FloatImm(2)));
  EXPECT_EQ(S(Loop(i_, 64, s)), R"(for i in [0, 64) {
  if i < 8 {
    x[i] = 1.0
  } else {
    x[i] = 2.0
  }
}
)");
  const Stmt nested = If(i < 8, If(i < 10, Store(x_, {i}, FloatImm(1))));
  EXPECT_EQ(S(nested), "if i < 8 {\n  x[i] = 1.0\n}\n");
}

TEST_F(SimplifyStmtTest, GuardsOfSumsNarrowSums) {
  // A row of padding on either side: inside the guard, the row is within [0, 16).
  const Expr row = i + k - 1;
  const Stmt store = Store(x_, {FloorDiv(row, 16) * 16 + FloorMod(row, 16)}, FloatImm(1));
  const Stmt s = If(And(Expr(0) <= row, row < 16), store);
  EXPECT_EQ(S(Loop(i_, 16, Loop(k_, 3, s))), R"(for i in [0, 16) {
  for k in [0, 3) {
    if 0 < i + k && i + k < 17 {
      x[i + k - 1] = 1.0
    }
  }
}
)");
}

TEST_F(SimplifyStmtTest, LoopsThatMoveKeepTheirDistance) {
  // A buffer of what one tile needs: the index is relative to the tile.
  const Stmt store = Store(x_, {j - i * 8}, Load(y_, {FloorDiv(j - i * 8, 10)}));
  EXPECT_EQ(S(Loop(i_, 4, For(j_, i * 8, 10, ForKind::kSerial, store))), R"(for i in [0, 4) {
  for j in [8*i, 8*i + 10) {
    x[j - 8*i] = y[0]
  }
}
)");
}

TEST_F(SimplifyStmtTest, AnEmptyThenTurnsTheCondition) {
  const Stmt a = Store(x_, {i}, FloatImm(1));
  EXPECT_EQ(S(If(i < 8, Store(x_, {i}, Load(x_, {i})), a)), "if 7 < i {\n  x[i] = 1.0\n}\n");
  EXPECT_EQ(S(If(i < 8, Nop())), "nop\n");
}

TEST_F(SimplifyStmtTest, StoringACellToItselfIsNothing) {
  EXPECT_EQ(S(Store(x_, {i + 0}, Load(x_, {1 * i}) + FloatImm(0))), "nop\n");
  EXPECT_EQ(S(Loop(i_, 4, Store(x_, {i}, Load(x_, {i})))), "nop\n");
  EXPECT_EQ(S(Store(x_, {i}, Load(y_, {i}))), "x[i] = y[i]\n");
}

TEST_F(SimplifyStmtTest, AllocationsOfNothingGo) {
  const Buffer t = MakeBuffer("t", {4}, kF32, Scope::kLocal);
  EXPECT_EQ(S(Allocate(t, Loop(i_, 0, Store(t, {i}, FloatImm(0))))), "nop\n");
}

TEST_F(SimplifyStmtTest, IndicesEqualInAllLanesBecomeScalars) {
  const Buffer b = MakeBuffer("b", {8, 64});
  const Expr lane = Ramp(i * 16, 1, 16);
  const Expr block = FloorDiv(lane, Broadcast(16, 16)), offset = FloorMod(lane, Broadcast(16, 16));
  EXPECT_EQ(S(Store(b, {block, offset}, Load(b, {block, offset}) + Broadcast(FloatImm(1), 16))),
            "b[i, ramp(0, 1, 16)] = b[i, ramp(0, 1, 16)] + broadcast(1.0, 16)\n");
}

TEST_F(SimplifyStmtTest, UnchangedStatementsComeBackThemselves) {
  const Stmt s = Loop(i_, 4, Loop(j_, 14, If(i < j, Store(x_, {14 * i + j}, Load(y_, {j})))));
  EXPECT_TRUE(Simplify(s).same_as(s)) << S(s);
}

}  // namespace
}  // namespace alt::ir
