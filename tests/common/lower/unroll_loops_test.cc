#include "common/lower/unroll_loops.h"

#include <limits>

#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "common/lower/vectorize_loops.h"
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

TEST_F(UnrollLoopsTest, TheCountOfStoresIsWhatVectorizingAndUnrollingLeave) {
  const ir::Stmt vectors = Loop(k_, 27, Copy(ir::Expr(i_) + j_ + k_), ir::ForKind::kVectorized);
  const ir::Stmt nest = Loop(i_, 9, Loop(j_, 5, vectors), ir::ForKind::kSerial);
  EXPECT_EQ(CountUnrolledStores(nest, 16), 5 * 4) << "27 lanes are 16, 8, 2 and 1";
  EXPECT_EQ(CountUnrolledStores(UnrollLoops(VectorizeLoops(nest, 16)), 16), 5 * 4);
}

TEST_F(UnrollLoopsTest, TheCountTakesEverySecondBranchAndEveryLoopIntoAccount) {
  const ir::Stmt branch = ir::If(ir::Expr(k_) < 3, Copy(0), Copy(1));
  EXPECT_EQ(CountUnrolledStores(branch, 16), 2);
  EXPECT_EQ(CountUnrolledStores(Loop(i_, 0, Copy(i_)), 16), 0);
  EXPECT_EQ(CountUnrolledStores(Loop(i_, ir::Expr(k_), Copy(i_)), 16), 1) << "stays a loop";
  EXPECT_EQ(CountUnrolledStores(Loop(i_, 1000, Loop(j_, 1000, Copy(i_))), 16), 1'000'000);
  EXPECT_EQ(CountUnrolledStores(ir::For(i_, 0, 32, ir::ForKind::kVectorized, Copy(i_), 4), 16), 8)
      << "lanes that the loop asks for";
}

TEST_F(UnrollLoopsTest, TheCountBoundsLoopsWhoseLengthUnrolledOnesAroundDecide) {
  const ir::Stmt inner = Loop(j_, ir::Min(4, 10 - 4 * ir::Expr(i_)), Copy(i_));
  EXPECT_EQ(CountUnrolledStores(Loop(i_, 3, inner), 16), 12) << "10, of 3 times at most 4";
  EXPECT_EQ(CountUnrolledStores(Loop(i_, 3, inner, ir::ForKind::kSerial), 16), 1)
      << "stays a loop in a serial one";
  const ir::Stmt deeper = Loop(k_, ir::Expr(j_) + 1, Copy(i_));
  EXPECT_EQ(CountUnrolledStores(Loop(i_, 3, Loop(j_, ir::Expr(i_) + 1, deeper)), 16), 3 * 3 * 3);
}

TEST_F(UnrollLoopsTest, TheCountOfStoresStopsAtTheLargestNumber) {
  ir::Stmt nest = Copy(i_);
  for (int i = 0; i < 8; ++i) nest = Loop(ir::MakeVar("v"), 1000, nest);
  EXPECT_EQ(CountUnrolledStores(nest, 16), std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace alt::lower
