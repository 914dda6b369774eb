#include "common/lower/vectorize_loops.h"

#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "gtest/gtest.h"

namespace alt::lower {
namespace {

class VectorizeLoopsTest : public ::testing::Test {
 protected:
  static std::string Vectorized(const ir::Stmt& s, int lanes) {
    return ir::Print(ir::Simplify(VectorizeLoops(s, lanes)));
  }
  ir::Stmt Copy(const ir::Expr& to, const ir::Expr& from) const {
    return ir::Store(y_, {to}, ir::Load(x_, {from}));
  }
  static ir::Stmt Loop(const ir::Var& var, const ir::Expr& extent, const ir::Stmt& body,
                       int lanes = 0) {
    return ir::For(var, 0, extent, ir::ForKind::kVectorized, body, lanes);
  }

  const ir::Buffer x_ = ir::MakeBuffer("x", {100});
  const ir::Buffer y_ = ir::MakeBuffer("y", {100});
  const ir::Var i_ = ir::MakeVar("i");
};

TEST_F(VectorizeLoopsTest, TheRestRunsInNarrowerVectors) {
  EXPECT_EQ(Vectorized(Loop(i_, 27, Copy(i_, i_)), 16),
            "y[ramp(0, 1, 16)] = x[ramp(0, 1, 16)]\n"
            "y[ramp(16, 1, 8)] = x[ramp(16, 1, 8)]\n"
            "y[ramp(24, 1, 2)] = x[ramp(24, 1, 2)]\n"
            "y[26] = x[26]\n");
}

TEST_F(VectorizeLoopsTest, ALoopMayAskForFewerLanes) {
  EXPECT_EQ(Vectorized(Loop(i_, 16, Copy(i_, i_), 8), 16),
            "y[ramp(0, 1, 8)] = x[ramp(0, 1, 8)]\n"
            "y[ramp(8, 1, 8)] = x[ramp(8, 1, 8)]\n");
}

TEST_F(VectorizeLoopsTest, ALoopThatStartsElsewhereKeepsItsPlace) {
  const ir::Stmt loop = ir::For(i_, 3, 4, ir::ForKind::kVectorized, Copy(i_, i_));
  EXPECT_EQ(Vectorized(loop, 4), "y[ramp(3, 1, 4)] = x[ramp(3, 1, 4)]\n");
}

TEST_F(VectorizeLoopsTest, WhatIsTheSameInAllLanesIsBroadcastAndAFactorIsAStride) {
  EXPECT_EQ(Vectorized(Loop(i_, 4, Copy(i_, 7)), 4), "y[ramp(0, 1, 4)] = broadcast(x[7], 4)\n");
  EXPECT_EQ(Vectorized(Loop(i_, 4, Copy(i_, ir::Expr(i_) * 3 + 1)), 4),
            "y[ramp(0, 1, 4)] = x[ramp(1, 3, 4)]\n");
}

TEST_F(VectorizeLoopsTest, ASingleIterationIsNoVector) {
  EXPECT_EQ(Vectorized(Loop(i_, 1, Copy(i_, i_)), 16), "y[0] = x[0]\n");
}

TEST_F(VectorizeLoopsTest, WhatIsAllocatedInsideGetsAnElementForEachLane) {
  const ir::Buffer acc = ir::MakeBuffer("acc", {2}, ir::kF32, ir::Scope::kLocal);
  const ir::Stmt body = ir::Allocate(acc, ir::Block({ir::Store(acc, {1}, ir::Zero(ir::kF32)),
                                                     ir::Store(y_, {i_}, ir::Load(acc, {1}))}));
  EXPECT_EQ(Vectorized(Loop(i_, 4, body), 4),
            "allocate acc: f32[8] local {\n"
            "  acc[ramp(4, 1, 4)] = broadcast(0.0, 4)\n"
            "  y[ramp(0, 1, 4)] = acc[ramp(4, 1, 4)]\n"
            "}\n");
}

TEST_F(VectorizeLoopsTest, ALoopInsideStaysALoopOfVectors) {
  const ir::Var k = ir::MakeVar("k");
  const ir::Stmt inner =
      ir::For(k, 0, 3, ir::ForKind::kSerial, Copy(ir::Expr(k) * 16 + i_, ir::Expr(k) * 16 + i_));
  EXPECT_EQ(Vectorized(Loop(i_, 16, inner), 16),
            "for k in [0, 3) {\n"
            "  y[ramp(16*k, 1, 16)] = x[ramp(16*k, 1, 16)]\n"
            "}\n");
}

TEST_F(VectorizeLoopsTest, ControlFlowThatDependsOnTheLaneTurnsTheLoopSerial) {
  const ir::Var k = ir::MakeVar("k");
  for (const ir::Stmt& body : {ir::If(ir::Expr(i_) < 3, Copy(i_, i_)),
                               ir::For(k, 0, ir::Expr(i_) + 1, ir::ForKind::kSerial, Copy(k, i_)),
                               ir::For(k, ir::Expr(i_), 2, ir::ForKind::kSerial, Copy(k, i_))}) {
    const ir::Stmt s = VectorizeLoops(Loop(i_, 4, body), 4);
    EXPECT_EQ(s->for_kind, ir::ForKind::kSerial) << ir::Print(s);
  }
}

TEST_F(VectorizeLoopsTest, AVaryingNumberOfIterationsTurnsTheLoopSerial) {
  const ir::Var n = ir::MakeVar("n");
  EXPECT_EQ(VectorizeLoops(Loop(i_, ir::Expr(n), Copy(i_, i_)), 4)->for_kind, ir::ForKind::kSerial);
}

TEST_F(VectorizeLoopsTest, LoopsThatAskForNothingAreLeftAlone) {
  const ir::Stmt loop = ir::For(i_, 0, 8, ir::ForKind::kSerial, Copy(i_, i_));
  EXPECT_TRUE(VectorizeLoops(loop, 4).same_as(loop));
}

}  // namespace
}  // namespace alt::lower
