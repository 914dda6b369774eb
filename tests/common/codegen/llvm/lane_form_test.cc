#include "common/codegen/llvm/lane_form.h"

#include <gtest/gtest.h>

#include "common/ir/printer.h"

namespace alt::codegen {
namespace {

using ir::Broadcast;
using ir::Expr;
using ir::Ramp;

TEST(LaneFormTest, ScalarHasStrideZero) {
  const Expr v = ir::MakeVar("v");
  EXPECT_EQ(ToAffineLanes(v)->stride, 0);
  EXPECT_TRUE(ToAffineLanes(v)->base.same_as(v));
}

TEST(LaneFormTest, SumsAndProductsOfRampsAreAffine) {
  const Expr v = ir::MakeVar("v");
  const Expr e = Ramp(v, 2, 8) * Broadcast(3, 8) - Ramp(1, 1, 8) + Broadcast(v, 8);
  const auto lanes = ToAffineLanes(e);
  ASSERT_TRUE(lanes);
  EXPECT_EQ(lanes->stride, 5);
  EXPECT_EQ(ir::Print(lanes->base), "v*3 - 1 + v");
  EXPECT_EQ(ToAffineLanes(Broadcast(3, 8) * Ramp(v, 2, 8))->stride, 6);
}

TEST(LaneFormTest, OtherVectorsAreNot) {
  const Expr v = ir::MakeVar("v");
  EXPECT_FALSE(ToAffineLanes(Ramp(0, v, 8)));
  EXPECT_FALSE(ToAffineLanes(FloorDiv(Ramp(v, 1, 8), Broadcast(4, 8))));
  EXPECT_FALSE(ToAffineLanes(Ramp(v, 1, 8) * Ramp(v, 1, 8)));
  EXPECT_FALSE(ToAffineLanes(Ramp(v, 1, 8) + Ramp(0, v, 8)));
}

TEST(LaneFormTest, LaneOfPicksTheScalar) {
  const Expr v = ir::MakeVar("v");
  const Expr e = FloorDiv(Ramp(v, 3, 8), Broadcast(4, 8)) + Broadcast(v, 8);
  EXPECT_EQ(ir::Print(LaneOf(e, 5)), "floordiv(v + 15, 4) + v");
  EXPECT_TRUE(LaneOf(v, 5).same_as(v));
}

}  // namespace
}  // namespace alt::codegen
