#include "common/ir/substitute.h"

#include <gtest/gtest.h>

#include "common/ir/printer.h"

namespace alt::ir {
namespace {

class SubstituteTest : public ::testing::Test {
 protected:
  // x becomes a ramp of eight lanes.
  std::string Widened(const Expr& e) const { return Print(Substitute(e, {{x_.get(), ramp}})); }

  const Var x_ = MakeVar("x"), y_ = MakeVar("y");
  const Expr x = x_, y = y_;
  const Expr ramp = Ramp(0, 1, 8);
  const Buffer b_ = MakeBuffer("b", {64, 64});
};

TEST_F(SubstituteTest, UnchangedExpressionsComeBackThemselves) {
  const Expr e = FloorDiv(x + 1, 2);
  EXPECT_TRUE(Substitute(e, {{y_.get(), Expr(3)}}).same_as(e));
  EXPECT_TRUE(Substitute(e, {}).same_as(e));
  const Stmt s = Store(b_, {x, x}, FloatImm(1));
  EXPECT_TRUE(Substitute(s, {{y_.get(), Expr(3)}}).same_as(s));
}

TEST_F(SubstituteTest, ConstantsFoldOnTheWay) {
  EXPECT_TRUE(IsIntValue(Substitute(FloorDiv(x + 1, 2), {{x_.get(), Expr(3)}}), 2));
  EXPECT_EQ(Print(Substitute(Select(x < 3, y, 7), {{x_.get(), Expr(3)}})), "7");
  EXPECT_EQ(Print(Substitute(x * y + 0, {{x_.get(), Expr(3)}})), "3*y + 0");
}

TEST_F(SubstituteTest, AllVariablesAreReplacedAtOnce) {
  EXPECT_EQ(Print(Substitute(x - y, {{x_.get(), y}, {y_.get(), x}})), "y - x");
  EXPECT_EQ(Print(Substitute(x - y, {{x_.get(), x + y}})), "x + y - y");
}

TEST_F(SubstituteTest, VectorsWidenTheScalarsBesideThem) {
  EXPECT_EQ(Widened(x * 4 + y), "ramp(0, 1, 8)*broadcast(4, 8) + broadcast(y, 8)");
  EXPECT_EQ(Widened(And(x < 4, y < 5)), "ramp(0, 1, 8) < broadcast(4, 8) && broadcast(y < 5, 8)");
  EXPECT_EQ(Widened(Cast(ScalarType::kF32, x)), "cast<f32>(ramp(0, 1, 8))");
}

TEST_F(SubstituteTest, LoadsMixScalarsAndVectors) {
  EXPECT_EQ(Widened(Load(b_, {y, x}) * Load(b_, {y, y})),
            "b[y, ramp(0, 1, 8)]*broadcast(b[y, y], 8)");
}

TEST_F(SubstituteTest, AScalarConditionSelectsWholeVectors) {
  EXPECT_EQ(Widened(Select(y < 3, Load(b_, {y, x}), FloatImm(0))),
            "select(y < 3, b[y, ramp(0, 1, 8)], broadcast(0.0, 8))");
  EXPECT_EQ(Widened(Select(x < 3, Load(b_, {y, y}), FloatImm(0))),
            "select(ramp(0, 1, 8) < broadcast(3, 8), broadcast(b[y, y], 8), broadcast(0.0, 8))");
}

TEST_F(SubstituteTest, StoresBroadcastTheirValue) {
  const auto store = [&](const Expr& value) {
    return Print(Substitute(Store(b_, {y, x}, value), {{x_.get(), ramp}}));
  };
  EXPECT_EQ(store(FloatImm(1)), "b[y, ramp(0, 1, 8)] = broadcast(1.0, 8)\n");
  EXPECT_EQ(store(Load(b_, {x, y})), "b[y, ramp(0, 1, 8)] = b[ramp(0, 1, 8), y]\n");
}

TEST_F(SubstituteTest, StatementsAreReachedEverywhere) {
  const Var i = MakeVar("i");
  const Stmt s = For(i, x, y, ForKind::kSerial,
                     If(x < y, Store(b_, {x, i}, FloatImm(1)), Prefetch(b_, {x, i})));
  EXPECT_EQ(Print(Substitute(s, {{x_.get(), Expr(2)}, {y_.get(), Expr(5)}})),
            "for i in [2, 7) {\n  if true {\n    b[2, i] = 1.0\n  } else {\n"
            "    prefetch b[2, i]\n  }\n}\n");
}

using SubstituteDeathTest = SubstituteTest;
TEST_F(SubstituteDeathTest, VectorsOfVectorsAreRefused) {
  EXPECT_DEATH(Widened(Ramp(x, 1, 4)), "ramp of vectors");
  EXPECT_DEATH(Widened(Broadcast(x, 4)), "broadcast of indexx8");
}

}  // namespace
}  // namespace alt::ir
