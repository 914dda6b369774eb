// FlattenBuffers, VectorizeLoops, UnrollLoops, PromoteAccumulators: each on its smallest example.

#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "common/lower/flatten_buffers.h"
#include "common/lower/promote_accumulators.h"
#include "common/lower/unroll_loops.h"
#include "common/lower/vectorize_loops.h"
#include "gtest/gtest.h"

namespace alt::lower {
namespace {

const ir::Buffer& X() {
  static const ir::Buffer buffer = ir::MakeBuffer("x", {100});
  return buffer;
}
const ir::Buffer& Y() {
  static const ir::Buffer buffer = ir::MakeBuffer("y", {100});
  return buffer;
}

ir::Stmt Copy(const ir::Expr& index) { return ir::Store(Y(), {index}, ir::Load(X(), {index})); }

ir::Stmt Loop(const ir::Var& var, ir::Expr extent, ir::ForKind kind, ir::Stmt body, int lanes = 0) {
  return ir::For(var, 0, std::move(extent), kind, std::move(body), lanes);
}

TEST(FlattenBuffersTest, AccessesGetOneRowMajorIndex) {
  const ir::Buffer b = ir::MakeBuffer("b", {4, 8});
  const ir::Var i = ir::MakeVar("i");
  const ir::Function flat = FlattenBuffers(
      {"f", {b}, Loop(i, 4, ir::ForKind::kSerial, ir::Store(b, {i, 3}, ir::Load(b, {i, 2})))});
  EXPECT_EQ(flat.params[0]->shape, std::vector<int64_t>{32});
  EXPECT_EQ(ir::Print(ir::Simplify(flat.body)),
            "for i in [0, 4) {\n  b[8*i + 3] = b[8*i + 2]\n}\n");
}

TEST(VectorizeLoopsTest, TheRestRunsInNarrowerVectors) {
  const ir::Var i = ir::MakeVar("i");
  EXPECT_EQ(
      ir::Print(ir::Simplify(VectorizeLoops(Loop(i, 27, ir::ForKind::kVectorized, Copy(i)), 16))),
      "y[ramp(0, 1, 16)] = x[ramp(0, 1, 16)]\n"
      "y[ramp(16, 1, 8)] = x[ramp(16, 1, 8)]\n"
      "y[ramp(24, 1, 2)] = x[ramp(24, 1, 2)]\n"
      "y[26] = x[26]\n");
}

TEST(VectorizeLoopsTest, ALoopMayAskForFewerLanes) {
  const ir::Var i = ir::MakeVar("i");
  EXPECT_EQ(ir::Print(ir::Simplify(
                VectorizeLoops(Loop(i, 16, ir::ForKind::kVectorized, Copy(i), 8), 16))),
            "y[ramp(0, 1, 8)] = x[ramp(0, 1, 8)]\n"
            "y[ramp(8, 1, 8)] = x[ramp(8, 1, 8)]\n");
}

TEST(VectorizeLoopsTest, WhatIsAllocatedInsideGetsAnElementForEachLane) {
  const ir::Var i = ir::MakeVar("i");
  const ir::Buffer acc = ir::MakeBuffer("acc", {2}, ir::kF32, ir::Scope::kLocal);
  const ir::Stmt body = ir::Allocate(acc, ir::Block({ir::Store(acc, {1}, ir::Zero(ir::kF32)),
                                                     ir::Store(Y(), {i}, ir::Load(acc, {1}))}));
  EXPECT_EQ(ir::Print(ir::Simplify(VectorizeLoops(Loop(i, 4, ir::ForKind::kVectorized, body), 4))),
            "allocate acc: f32[8] local {\n"
            "  acc[ramp(4, 1, 4)] = broadcast(0.0, 4)\n"
            "  y[ramp(0, 1, 4)] = acc[ramp(4, 1, 4)]\n"
            "}\n");
}

TEST(VectorizeLoopsTest, ControlFlowThatDependsOnTheLaneTurnsTheLoopSerial) {
  const ir::Var i = ir::MakeVar("i");
  const ir::Stmt s =
      VectorizeLoops(Loop(i, 4, ir::ForKind::kVectorized, ir::If(ir::Expr(i) < 3, Copy(i))), 4);
  EXPECT_EQ(s->for_kind, ir::ForKind::kSerial);
}

TEST(UnrollLoopsTest, CopiesFollowEachOther) {
  const ir::Var i = ir::MakeVar("i"), j = ir::MakeVar("j");
  const ir::Stmt nested = Loop(
      i, 2, ir::ForKind::kUnrolled,
      Loop(j, ir::Min(2, ir::Expr(i) + 1), ir::ForKind::kUnrolled, Copy(ir::Expr(i) * 10 + j)));
  EXPECT_EQ(ir::Print(ir::Simplify(UnrollLoops(nested))),
            "y[0] = x[0]\ny[10] = x[10]\ny[11] = x[11]\n");
}

TEST(UnrollLoopsTest, AVaryingNumberOfIterationsStaysALoop) {
  const ir::Var i = ir::MakeVar("i"), n = ir::MakeVar("n");
  const ir::Stmt s = UnrollLoops(Loop(i, ir::Expr(n), ir::ForKind::kUnrolled, Copy(i)));
  EXPECT_EQ(s->for_kind, ir::ForKind::kSerial);
}

TEST(UnrollLoopsTest, OneVariableMayStandInTwoLoopsBesideEachOther) {
  const ir::Var i = ir::MakeVar("i");
  const ir::Stmt both = ir::Block({Loop(i, 2, ir::ForKind::kUnrolled, Copy(i)),
                                   Loop(i, 2, ir::ForKind::kSerial, Copy(i)),
                                   Loop(i, 1, ir::ForKind::kUnrolled, Copy(ir::Expr(i) + 7))});
  EXPECT_EQ(ir::Print(UnrollLoops(both)),
            "y[0] = x[0]\ny[1] = x[1]\nfor i in [0, 2) {\n  y[i] = x[i]\n}\ny[7] = x[7]\n");
}

TEST(CountUnrolledStoresTest, IsWhatVectorizingAndUnrollingLeave) {
  const ir::Var i = ir::MakeVar("i"), j = ir::MakeVar("j"), k = ir::MakeVar("k");
  const ir::Stmt vectors = Loop(k, 27, ir::ForKind::kVectorized, Copy(ir::Expr(i) + j + k));
  const ir::Stmt nest =
      Loop(i, 9, ir::ForKind::kSerial, Loop(j, 5, ir::ForKind::kUnrolled, vectors));
  EXPECT_EQ(CountUnrolledStores(nest, 16), 5 * 4) << "27 lanes are 16, 8, 2 and 1";
  EXPECT_EQ(CountUnrolledStores(UnrollLoops(VectorizeLoops(nest, 16)), 16), 5 * 4);
}

class PromoteAccumulatorsTest : public ::testing::Test {
 protected:
  ir::Expr Vector(int64_t offset, int lanes) const { return ir::Ramp(offset, 1, lanes); }
  ir::Stmt Set(const ir::Expr& index) const {
    return ir::Store(acc_, {index}, ir::Zero(ir::kF32.WithLanes(index->dtype.lanes)));
  }
  ir::Buffer acc_ = ir::MakeBuffer("acc", {32}, ir::kF32, ir::Scope::kLocal);
};

TEST_F(PromoteAccumulatorsTest, ConstantVectorsBecomeRegisters) {
  EXPECT_EQ(ir::Print(PromoteAccumulators(
                ir::Allocate(acc_, ir::Block({Set(Vector(0, 16)), Set(Vector(16, 16))})))),
            "allocate acc: f32x16[2] register {\n"
            "  acc[0] = broadcast(0.0, 16)\n"
            "  acc[1] = broadcast(0.0, 16)\n"
            "}\n");
}

TEST_F(PromoteAccumulatorsTest, EachWidthGetsItsOwnRegisters) {
  const std::string text = ir::Print(PromoteAccumulators(
      ir::Allocate(acc_, ir::Block({Set(Vector(0, 16)), Set(Vector(16, 8)), Set(24)}))));
  EXPECT_NE(text.find("f32x16[1] register"), std::string::npos) << text;
  EXPECT_NE(text.find("f32x8[1] register"), std::string::npos) << text;
  EXPECT_NE(text.find("f32[1] register"), std::string::npos) << text;
}

TEST_F(PromoteAccumulatorsTest, OverlappingOrVaryingAccessesStayInMemory) {
  const ir::Var i = ir::MakeVar("i");
  for (const ir::Stmt& body :
       {ir::Block({Set(Vector(0, 16)), Set(Vector(8, 16))}),
        ir::Block({Set(Vector(0, 16)), Set(Vector(0, 8))}),
        Loop(i, 4, ir::ForKind::kSerial, Set(i)), Loop(i, 4, ir::ForKind::kParallel, Set(0))}) {
    const ir::Stmt s = ir::Allocate(acc_, body);
    EXPECT_TRUE(PromoteAccumulators(s).same_as(s)) << ir::Print(s);
  }
}

}  // namespace
}  // namespace alt::lower
