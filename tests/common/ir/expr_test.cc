#include "common/ir/expr.h"

#include <gtest/gtest.h>

#include "common/ir/equality.h"
#include "common/ir/printer.h"
#include "common/ir/visitor.h"

namespace alt::ir {
namespace {

TEST(ExprTest, MakersFoldIntegerConstants) {
  EXPECT_TRUE(IsIntValue(Expr(3) + 4, 7));
  EXPECT_TRUE(IsIntValue(FloorDiv(-1, 4), -1));
  EXPECT_TRUE(IsIntValue(FloorMod(-1, 4), 3));
  EXPECT_TRUE(IsIntValue(Min(3, 4), 3));
  EXPECT_TRUE(IsIntValue(Expr(3) < 4, 1));
  EXPECT_TRUE(IsIntValue(Not(Eq(3, 4)), 1));
}

TEST(ExprTest, MakersFoldFloatConstantsInTheirOwnPrecision) {
  double value;
  ASSERT_TRUE(IsFloat(FloatImm(0.1) + FloatImm(0.2), &value));
  EXPECT_EQ(value, static_cast<float>(double{0.1f} + double{0.2f}));
  ASSERT_TRUE(IsFloat(Cast(ScalarType::kF64, FloatImm(0.1)), &value));
  EXPECT_EQ(value, double{0.1f});
}

TEST(ExprTest, MakersFoldBroadcastConstants) {
  const Expr sum = Broadcast(2, 8) * Broadcast(3, 8);
  EXPECT_EQ(Print(sum), "broadcast(6, 8)");
  EXPECT_EQ(Print(Zero(kF32.WithLanes(4))), "broadcast(0.0, 4)");
}

TEST(ExprTest, SelectAndLogicFoldOnAConstantOperand) {
  const Var x = MakeVar("x");
  const Expr condition = Expr(x) < 4;
  EXPECT_TRUE(And(BoolImm(true), condition).same_as(condition));
  EXPECT_TRUE(IsIntValue(And(condition, BoolImm(false)), 0));
  EXPECT_TRUE(Or(condition, BoolImm(false)).same_as(condition));
  EXPECT_TRUE(IsIntValue(Select(BoolImm(false), x, 7), 7));
}

TEST(ExprTest, LanesOfLoadsFollowTheirIndices) {
  const Var x = MakeVar("x");
  const Buffer b = MakeBuffer("b", {8, 64});
  EXPECT_EQ(Load(b, {x, Ramp(0, 1, 8)})->dtype, kF32.WithLanes(8));
  const Buffer v = MakeBuffer("v", {8}, kF32.WithLanes(16), Scope::kRegister);
  EXPECT_EQ(Load(v, {x})->dtype, kF32.WithLanes(16));
}

TEST(ExprDeathTest, OperandsOfDifferentTypesAreRefused) {
  const Var x = MakeVar("x");
  EXPECT_DEATH(Expr(x) + FloatImm(1), "\\+ of index and f32: x, 1.0");
  EXPECT_DEATH(Expr(x) + Ramp(x, 1, 4), "index and indexx4");
  EXPECT_DEATH(FloorDiv(x, 0), "floordiv by 0");
  EXPECT_DEATH(Load(MakeBuffer("b", {4, 4}), {x}), "b has 2 dimensions, not 1");
}

TEST(ExprTest, EqualityIsStructuralButVariablesAreThemselves) {
  const Var x = MakeVar("x");
  const Var other = MakeVar("x");
  EXPECT_TRUE(StructurallyEqual(Expr(x) * 4 + 1, Expr(x) * 4 + 1));
  EXPECT_EQ(StructuralHash(Expr(x) * 4 + 1), StructuralHash(Expr(x) * 4 + 1));
  EXPECT_FALSE(StructurallyEqual(Expr(x) * 4 + 1, Expr(other) * 4 + 1));
  EXPECT_FALSE(StructurallyEqual(Expr(x) + 1, Expr(x) - 1));
  EXPECT_FALSE(StructurallyEqual(FloatImm(0.0), FloatImm(-0.0)));
}

TEST(ExprTest, VisitStopsBelowWhereToldTo) {
  const Var x = MakeVar("x");
  const Expr e = FloorDiv(Expr(x) + 1, 2) + Expr(x);
  int nodes = 0;
  VisitExpr(e, [&](const Expr& node) {
    ++nodes;
    return node->kind != ExprKind::kFloorDiv;
  });
  EXPECT_EQ(nodes, 3);
  EXPECT_TRUE(UsesVar(e, x));
  EXPECT_FALSE(UsesVar(e, MakeVar("x")));
}

}  // namespace
}  // namespace alt::ir
