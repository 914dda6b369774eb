// Vectors of indices, conditions and floats.
#include <gtest/gtest.h>

#include "tests/common/ir/simplify_fixture.h"

namespace alt::ir {
namespace {

class SimplifyVectorTest : public SimplifyFixture {
 protected:
  static Expr B(Expr e, int lanes = 16) { return Broadcast(std::move(e), lanes); }
};

TEST_F(SimplifyVectorTest, SumsOfRampsAreRamps) {
  const Expr x = V("x", 100);
  EXPECT_EQ(S(B(x) + Ramp(0, 1, 16)), "ramp(x, 1, 16)");
  EXPECT_EQ(S(Ramp(x, 1, 16) + Ramp(x, 3, 16)), "ramp(2*x, 4, 16)");
  EXPECT_EQ(S(B(x * 16) + Ramp(0, 1, 16) * B(4)), "ramp(16*x, 4, 16)");
  EXPECT_EQ(S(Ramp(x, 2, 16) - Ramp(5, 2, 16)), "broadcast(x - 5, 16)");
  EXPECT_EQ(S(Ramp(x, 0, 16)), "broadcast(x, 16)");
  EXPECT_EQ(S(B(x) * B(4) + B(1)), "broadcast(4*x + 1, 16)");
}

TEST_F(SimplifyVectorTest, DivisionsThatAgreeInAllLanesAreScalar) {
  const Expr x = V("x", 100);
  EXPECT_EQ(S(FloorDiv(Ramp(x * 16, 1, 16), B(16))), "broadcast(x, 16)");
  EXPECT_EQ(S(FloorMod(Ramp(x * 16, 1, 16), B(16))), "ramp(0, 1, 16)");
  EXPECT_EQ(S(FloorDiv(Ramp(x * 32, 2, 16), B(32))), "broadcast(x, 16)");
  EXPECT_EQ(S(FloorDiv(Ramp(x, 1, 16), B(16))), "floordiv(ramp(x, 1, 16), broadcast(16, 16))");
}

TEST_F(SimplifyVectorTest, WhatVariesOtherwiseStaysBesideTheRamp) {
  const Expr x = V("x", 100);
  const Expr varying = FloorDiv(Ramp(x, 1, 16), B(16));
  EXPECT_EQ(S(varying * B(4) + Ramp(x, 1, 16)),
            "ramp(x, 1, 16) + broadcast(4, 16)*floordiv(ramp(x, 1, 16), broadcast(16, 16))");
  EXPECT_EQ(S(Min(Ramp(x, 1, 16), B(50))), "min(ramp(x, 1, 16), broadcast(50, 16))");
}

TEST_F(SimplifyVectorTest, ConditionsOnLanesAreDecidedTogether) {
  const Expr x = V("x", 100);
  EXPECT_EQ(S(Ramp(x * 4, 1, 8) < B(800, 8)), "broadcast(true, 8)");
  EXPECT_EQ(S(Ramp(x * 8, 1, 8) < B(400, 8)), "broadcast(x < 50, 8)");
  EXPECT_EQ(S(And(Ramp(x, 1, 8) < B(40, 8), Ramp(x, 1, 8) < B(50, 8))),
            "ramp(x, 1, 8) < broadcast(40, 8)");
}

TEST_F(SimplifyVectorTest, SelectsOnUniformConditionsAreScalar) {
  const Buffer b = MakeBuffer("b", {1024});
  const Expr x = V("x", 100);
  const Expr load = Load(b, {Ramp(x * 8, 1, 8)});
  EXPECT_EQ(S(Select(Ramp(x * 8, 1, 8) < B(400, 8), load, Zero(load->dtype))),
            "select(x < 50, b[ramp(8*x, 1, 8)], broadcast(0.0, 8))");
}

TEST_F(SimplifyVectorTest, ConditionsNarrowTheLane) {
  const Buffer b = MakeBuffer("b", {4, 16});
  const Expr x = V("x", 4);
  const Expr lane = Ramp(x * 8, 1, 8);
  const Expr load = Load(b, {FloorDiv(lane, B(16, 8)), FloorMod(lane, B(16, 8))});
  EXPECT_EQ(S(Select(lane < B(12, 8), load, Zero(kF32.WithLanes(8)))),
            "select(ramp(8*x, 1, 8) < broadcast(12, 8), b[0, ramp(8*x, 1, 8)], broadcast(0.0, 8))");
}

TEST_F(SimplifyVectorTest, LoadsOfOneCellAreBroadcast) {
  const Buffer b = MakeBuffer("b", {64});
  const Buffer t = MakeTable("t", {2}, {3, 4});
  const Expr x = V("x", 4);
  EXPECT_EQ(S(Load(b, {FloorDiv(Ramp(x * 8, 1, 8), B(8, 8))})), "broadcast(b[x], 8)");
  EXPECT_EQ(S(Load(t, {B(1, 8)})), "broadcast(4.0, 8)");
  EXPECT_EQ(S(Load(t, {Ramp(0, 1, 2)})), "t[ramp(0, 1, 2)]");
}

TEST_F(SimplifyVectorTest, UniformIndicesOfAVectorLoadAreScalar) {
  const Buffer b = MakeBuffer("b", {8, 64});
  const Expr x = V("x", 4);
  EXPECT_EQ(S(Load(b, {B(x + 1), Ramp(0, 1, 16)})), "b[x + 1, ramp(0, 1, 16)]");
}

TEST_F(SimplifyVectorTest, FloatsAreCombinedBeforeTheyAreBroadcast) {
  const Buffer b = MakeBuffer("b", {64});
  const Expr x = Load(b, {0}), y = Load(b, {1});
  EXPECT_EQ(S(B(x) * B(FloatImm(1))), "broadcast(b[0], 16)");
  EXPECT_EQ(S(B(x) + B(y)), "broadcast(b[0] + b[1], 16)");
  EXPECT_EQ(S(B(x) * B(FloatImm(-1)) + Load(b, {Ramp(0, 1, 16)})),
            "b[ramp(0, 1, 16)] - broadcast(b[0], 16)");
}

TEST_F(SimplifyVectorTest, VectorsThatAreSettledComeBackThemselves) {
  const Buffer b = MakeBuffer("b", {8, 64});
  const Expr x = V("x", 100);
  for (const Expr& e :
       {Ramp(4 * x + 1, 1, 8), B(x + 3), FloorDiv(Ramp(x, 1, 8), B(3, 8)), Ramp(x, 1, 8) < B(40, 8),
        Load(b, {x, Ramp(x, 1, 8)}) * B(Load(b, {x, 0}), 8)}) {
    EXPECT_TRUE(Simplify(e, ranges_).same_as(e)) << Print(e) << " -> " << S(e);
  }
}

}  // namespace
}  // namespace alt::ir
