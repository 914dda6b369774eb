#include "common/lower/promote_accumulators.h"

#include "common/ir/printer.h"
#include "gtest/gtest.h"

namespace alt::lower {
namespace {

class PromoteAccumulatorsTest : public ::testing::Test {
 protected:
  static ir::Expr Vector(int64_t offset, int lanes) { return ir::Ramp(offset, 1, lanes); }
  ir::Stmt Set(const ir::Expr& index) const {
    return ir::Store(acc_, {index}, ir::Zero(ir::kF32.WithLanes(index->dtype.lanes)));
  }
  static ir::Stmt Loop(const ir::Var& var, int64_t extent, ir::ForKind kind, const ir::Stmt& body) {
    return ir::For(var, 0, extent, kind, body);
  }
  std::string Promoted(const ir::Stmt& body) const {
    return ir::Print(PromoteAccumulators(ir::Allocate(acc_, body)));
  }

  const ir::Buffer acc_ = ir::MakeBuffer("acc", {32}, ir::kF32, ir::Scope::kLocal);
  const ir::Buffer x_ = ir::MakeBuffer("x", {100});
  const ir::Buffer y_ = ir::MakeBuffer("y", {100});
  const ir::Var i_ = ir::MakeVar("i");
};

TEST_F(PromoteAccumulatorsTest, ConstantVectorsBecomeRegisters) {
  EXPECT_EQ(Promoted(ir::Block({Set(Vector(0, 16)), Set(Vector(16, 16))})),
            "allocate acc: f32x16[2] register {\n"
            "  acc[0] = broadcast(0.0, 16)\n"
            "  acc[1] = broadcast(0.0, 16)\n"
            "}\n");
}

TEST_F(PromoteAccumulatorsTest, ASumOverALoopReadsAndWritesTheSameRegister) {
  const ir::Expr element = Vector(16, 16);
  const ir::Stmt add =
      Loop(i_, 9, ir::ForKind::kSerial,
           ir::Store(acc_, {element}, ir::Load(acc_, {element}) + ir::Load(x_, {Vector(0, 16)})));
  const ir::Stmt out = ir::Store(y_, {element}, ir::Load(acc_, {element}));
  EXPECT_EQ(Promoted(ir::Block({Set(element), add, out})),
            "allocate acc: f32x16[1] register {\n"
            "  acc[0] = broadcast(0.0, 16)\n"
            "  for i in [0, 9) {\n"
            "    acc[0] = acc[0] + x[ramp(0, 1, 16)]\n"
            "  }\n"
            "  y[ramp(16, 1, 16)] = acc[0]\n"
            "}\n");
}

TEST_F(PromoteAccumulatorsTest, EachWidthGetsItsOwnRegisters) {
  const std::string text = Promoted(ir::Block({Set(Vector(0, 16)), Set(Vector(16, 8)), Set(24)}));
  EXPECT_NE(text.find("f32x16[1] register"), std::string::npos) << text;
  EXPECT_NE(text.find("f32x8[1] register"), std::string::npos) << text;
  EXPECT_NE(text.find("f32[1] register"), std::string::npos) << text;
}

TEST_F(PromoteAccumulatorsTest, ElementsAreNumberedInTheOrderOfTheBuffer) {
  EXPECT_EQ(Promoted(ir::Block({Set(31), Set(4), Set(7)})),
            "allocate acc: f32[3] register {\n"
            "  acc[2] = 0.0\n"
            "  acc[0] = 0.0\n"
            "  acc[1] = 0.0\n"
            "}\n");
}

TEST_F(PromoteAccumulatorsTest, OverlappingOrVaryingAccessesStayInMemory) {
  for (const ir::Stmt& body :
       {ir::Block({Set(Vector(0, 16)), Set(Vector(8, 16))}),
        ir::Block({Set(Vector(0, 16)), Set(Vector(0, 8))}),
        ir::Block({Set(0), ir::Store(y_, {0}, ir::Load(acc_, {ir::Expr(i_)}))}),
        Set(ir::Ramp(0, 2, 8)), Loop(i_, 4, ir::ForKind::kSerial, Set(i_))}) {
    const ir::Stmt s = ir::Allocate(acc_, body);
    EXPECT_TRUE(PromoteAccumulators(s).same_as(s)) << ir::Print(s);
  }
}

TEST_F(PromoteAccumulatorsTest, ThreadsShareNoRegisters) {
  const ir::Stmt s = ir::Allocate(acc_, Loop(i_, 4, ir::ForKind::kParallel, Set(0)));
  EXPECT_TRUE(PromoteAccumulators(s).same_as(s));
  // Each iteration has registers of its own.
  const ir::Stmt inside = Loop(i_, 4, ir::ForKind::kParallel, ir::Allocate(acc_, Set(0)));
  EXPECT_NE(ir::Print(PromoteAccumulators(inside)).find("register"), std::string::npos);
}

TEST_F(PromoteAccumulatorsTest, WhatIsNoRegisterTileStaysInMemory) {
  const ir::Buffer large = ir::MakeBuffer("t", {200}, ir::kF32, ir::Scope::kLocal);
  std::vector<ir::Stmt> stores;
  for (int i = 0; i < 200; ++i) stores.push_back(ir::Store(large, {i}, ir::Zero(ir::kF32)));
  const ir::Stmt s = ir::Allocate(large, ir::Block(stores));
  EXPECT_TRUE(PromoteAccumulators(s).same_as(s)) << "200 scalars";
}

TEST_F(PromoteAccumulatorsTest, ABufferInsideAnotherIsPromotedByItself) {
  const ir::Buffer outer = ir::MakeBuffer("t", {64}, ir::kF32, ir::Scope::kLocal);
  const ir::Stmt s = ir::Allocate(
      outer,
      Loop(i_, 4, ir::ForKind::kSerial,
           ir::Allocate(
               acc_, ir::Block({Set(3), ir::Store(outer, {ir::Expr(i_)}, ir::Load(acc_, {3}))}))));
  EXPECT_EQ(ir::Print(PromoteAccumulators(s)),
            "allocate t: f32[64] local {\n"
            "  for i in [0, 4) {\n"
            "    allocate acc: f32[1] register {\n"
            "      acc[0] = 0.0\n"
            "      t[i] = acc[0]\n"
            "    }\n"
            "  }\n"
            "}\n");
}

}  // namespace
}  // namespace alt::lower
