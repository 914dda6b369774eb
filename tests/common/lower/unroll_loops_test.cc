#include "common/lower/unroll_loops.h"

#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "gtest/gtest.h"

namespace alt::lower {
namespace {

class UnrollLoopsTest : public ::testing::Test {
 protected:
  ir::Stmt Copy(const ir::Expr& index) const {
    return ir::Store(y_, {index}, ir::Load(x_, {index}));
  }
  static ir::Stmt Loop(const ir::Var& var, const ir::Expr& extent, const ir::Stmt& body,
                       ir::ForKind kind = ir::ForKind::kUnrolled) {
    return ir::For(var, 0, extent, kind, body);
  }

  const ir::Buffer x_ = ir::MakeBuffer("x", {100});
  const ir::Buffer y_ = ir::MakeBuffer("y", {100});
  const ir::Var i_ = ir::MakeVar("i"), j_ = ir::MakeVar("j"), k_ = ir::MakeVar("k");
};

TEST_F(UnrollLoopsTest, CopiesFollowEachOther) {
  const ir::Stmt nested =
      Loop(i_, 2, Loop(j_, ir::Min(2, ir::Expr(i_) + 1), Copy(ir::Expr(i_) * 10 + j_)));
  EXPECT_EQ(ir::Print(ir::Simplify(UnrollLoops(ir::Simplify(nested)))),
            "y[0] = x[0]\ny[10] = x[10]\ny[11] = x[11]\n");
}

TEST_F(UnrollLoopsTest, ALoopThatStartsElsewhereKeepsItsValues) {
  const ir::Stmt loop = ir::For(i_, 5, 2, ir::ForKind::kUnrolled, Copy(i_));
  EXPECT_EQ(ir::Print(UnrollLoops(loop)), "y[5] = x[5]\ny[6] = x[6]\n");
}

TEST_F(UnrollLoopsTest, NoIterationLeavesNothing) {
  for (const int64_t extent : {0, -3}) {
    EXPECT_EQ(ir::Print(ir::Simplify(UnrollLoops(Loop(i_, extent, Copy(i_))))),
              ir::Print(ir::Nop()))
        << extent;
  }
}

TEST_F(UnrollLoopsTest, AVaryingNumberOfIterationsStaysALoop) {
  const ir::Stmt s = UnrollLoops(Loop(i_, ir::Expr(ir::MakeVar("n")), Copy(i_)));
  EXPECT_EQ(s->for_kind, ir::ForKind::kSerial);
}

TEST_F(UnrollLoopsTest, ASerialLoopInsideIsRepeatedWhole) {
  const ir::Stmt nest = Loop(i_, 2, Loop(j_, 3, Copy(ir::Expr(i_) * 3 + j_), ir::ForKind::kSerial));
  EXPECT_EQ(ir::Print(ir::Simplify(UnrollLoops(nest))),
            "for j in [0, 3) {\n  y[j] = x[j]\n}\n"
            "for j in [0, 3) {\n  y[j + 3] = x[j + 3]\n}\n");
}

TEST_F(UnrollLoopsTest, OneVariableMayStandInTwoLoopsBesideEachOther) {
  const ir::Stmt both =
      ir::Block({Loop(i_, 2, Copy(i_)), Loop(i_, 2, Copy(i_), ir::ForKind::kSerial),
                 Loop(i_, 1, Copy(ir::Expr(i_) + 7))});
  EXPECT_EQ(ir::Print(UnrollLoops(both)),
            "y[0] = x[0]\ny[1] = x[1]\nfor i in [0, 2) {\n  y[i] = x[i]\n}\ny[7] = x[7]\n");
}

TEST_F(UnrollLoopsTest, BranchesAndAllocationsAreRepeatedToo) {
  const ir::Buffer t = ir::MakeBuffer("t", {1}, ir::kF32, ir::Scope::kLocal);
  const ir::Stmt body = ir::Allocate(
      t, ir::If(ir::Expr(k_) < i_, ir::Block({ir::Store(t, {0}, ir::Load(x_, {i_})),
                                              ir::Store(y_, {i_}, ir::Load(t, {0}))})));
  const std::string text = ir::Print(UnrollLoops(Loop(i_, 2, body)));
  EXPECT_NE(text.find("if k < 0 {"), std::string::npos) << text;
  EXPECT_NE(text.find("if k < 1 {"), std::string::npos) << text;
  EXPECT_NE(text.find("y[1] = t[0]"), std::string::npos) << text;
}

TEST_F(UnrollLoopsTest, LoopsThatAskForNothingAreLeftAlone) {
  const ir::Stmt loop = Loop(i_, 8, Copy(i_), ir::ForKind::kSerial);
  EXPECT_TRUE(UnrollLoops(loop).same_as(loop));
}

}  // namespace
}  // namespace alt::lower
