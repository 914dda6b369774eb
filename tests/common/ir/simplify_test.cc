// What must reduce, and to what. That results are right is simplify_property_test.cc's business.
#include "common/ir/simplify.h"

#include <gtest/gtest.h>

#include "common/ir/printer.h"

namespace alt::ir {
namespace {

class SimplifyTest : public ::testing::Test {
 protected:
  Expr V(const char* name, int64_t extent) { return Between(name, 0, extent - 1); }
  Expr Between(const char* name, int64_t min, int64_t max) {
    Var var = MakeVar(name);
    ranges_[var.get()] = {min, max};
    return var;
  }
  std::string S(const Expr& e) { return Print(Simplify(e, ranges_)); }

  RangeMap ranges_;
};

TEST_F(SimplifyTest, SplitDigitsComeBack) {
  const Expr h0 = V("h.0", 4), h1 = V("h.1", 14);
  const Expr h = h0 * 14 + h1;
  EXPECT_EQ(S(FloorDiv(h, 14)), "h.0");
  EXPECT_EQ(S(FloorMod(h, 14)), "h.1");
  EXPECT_EQ(S(Min(FloorDiv(h, 14), 3)), "h.0");
  EXPECT_EQ(S(h - FloorDiv(h, 14) * 14), "h.1");
  EXPECT_EQ(S(FloorDiv(h, 14) * 14 + FloorMod(h, 14)), "14*h.0 + h.1");
}

TEST_F(SimplifyTest, FactorsCommonToDivisorAndTermsCancel) {
  const Expr a = V("a", 8), b = V("b", 100), c = V("c", 4);
  EXPECT_EQ(S(FloorDiv(a * 64 + b * 4 + c, 16)), "4*a + floordiv(b, 4)");
  EXPECT_EQ(S(FloorMod(a * 64 + b * 4 + c, 16)), "4*floormod(b, 4) + c");
  EXPECT_EQ(S(FloorMod(b * 4 + c, 4)), "c");
  EXPECT_EQ(S(FloorDiv(b * 6, 4)), "floordiv(3*b, 2)");
}

TEST_F(SimplifyTest, NestedDivisionsAreOne) {
  const Expr x = V("x", 1000);
  EXPECT_EQ(S(FloorDiv(FloorDiv(x, 3), 4)), "floordiv(x, 12)");
  EXPECT_EQ(S(FloorDiv(FloorDiv(x, 3) + 1, 4)), "floordiv(x + 3, 12)");
  EXPECT_EQ(S(FloorMod(FloorMod(x, 12), 4)), "floormod(x, 4)");
  EXPECT_EQ(S(FloorDiv(FloorMod(x, 12), 4)), "floormod(floordiv(x, 4), 3)");
}

TEST_F(SimplifyTest, DigitsOfOneNumberJoin) {
  const Expr f = V("f", 8 * 14 * 14);
  const Expr n = FloorDiv(f, 196), h = FloorMod(FloorDiv(f, 14), 14), w = FloorMod(f, 14);
  EXPECT_EQ(S((n * 14 + h) * 14 + w), "f");
  EXPECT_EQ(S(n * 14 + h), "floordiv(f, 14)");
  EXPECT_EQ(S(h * 14 + w), "floormod(f, 196)");
  EXPECT_EQ(S(f - FloorDiv(f, 14) * 14), "floormod(f, 14)");
}

TEST_F(SimplifyTest, ThreadsOfATileCoverIt) {
  const Expr t0 = V("t0", 16), t1 = V("t1", 32);
  const Expr t = t0 * 32 + t1;
  EXPECT_EQ(S(FloorDiv(t, 32)), "t0");
  EXPECT_EQ(S(FloorMod(t, 32)), "t1");
  EXPECT_EQ(S(FloorDiv(t, 8)), "4*t0 + floordiv(t1, 8)");
  EXPECT_EQ(S(FloorMod(t, 8)), "floormod(t1, 8)");
}

// technique.md 1.2: tile of a sliding access, offset within the tile, clamp of a plain one.
TEST_F(SimplifyTest, UnfoldedAccessesNeedNoDivision) {
  const Expr i0 = V("i.0", 4), i1 = V("i.1", 14), r = V("r", 3);
  const Expr i = i0 * 14 + i1;
  const Expr tile = FloorDiv(i, 14);
  EXPECT_EQ(S(tile), "i.0");
  EXPECT_EQ(S(i * 2 + r - tile * 28), "2*i.1 + r");
  EXPECT_EQ(S(Min(tile, 3)), "i.0");
  EXPECT_EQ(S(FloorDiv(i0 * 4 + V("j", 4) + r, 4)), "i.0 + floordiv(j + r, 4)");
}

TEST_F(SimplifyTest, BlockedChannelsOfAConvolution) {
  // o split by 32 in the output, by 16 in the weights.
  const Expr o0 = V("o.0", 2), o1 = V("o.1", 32);
  const Expr o = o0 * 32 + o1;
  EXPECT_EQ(S(FloorDiv(o, 16)), "2*o.0 + floordiv(o.1, 16)");
  EXPECT_EQ(S(FloorMod(o, 16)), "floormod(o.1, 16)");
  // Groups: o/Og*Ig + i, then blocks of 4.
  const Expr g = V("g", 8), og = V("og", 16), i = V("i", 8);
  EXPECT_EQ(S(FloorDiv(FloorDiv(g * 16 + og, 16) * 8 + i, 4)), "2*g + floordiv(i, 4)");
}

TEST_F(SimplifyTest, ConstantsMoveOutOfDivisions) {
  const Expr x = V("x", 100);
  EXPECT_EQ(S(FloorDiv(x + 17, 16)), "floordiv(x + 1, 16) + 1");
  EXPECT_EQ(S(FloorDiv(x - 1, 16)), "floordiv(x + 15, 16) - 1");
  EXPECT_EQ(S(FloorDiv(Between("y", 1, 32) - 1, 16)), "floordiv(y - 1, 16)");
  EXPECT_EQ(S(FloorMod(x + 16, 16)), "floormod(x, 16)");
  EXPECT_EQ(S(FloorMod(Between("z", 16, 31), 16)), "z - 16");
}

TEST_F(SimplifyTest, RangesDecideComparisons) {
  const Expr h0 = V("h.0", 14), h1 = V("h.1", 4);
  EXPECT_EQ(S(h0 * 4 + h1 < 56), "true");
  EXPECT_EQ(S(h0 * 4 + h1 < 52), "h.0 < 13");
  EXPECT_EQ(S(h0 * 4 + h1 <= 53), "4*h.0 + h.1 < 54");
  EXPECT_EQ(S(Eq(h0 * 4 + 1, h1 * 2)), "false");
  EXPECT_EQ(S(Expr(0) <= h0 + h1 - 1), "0 < h.0 + h.1");
  EXPECT_EQ(S(FloorDiv(h0, 4) < 3), "h.0 < 12");
  EXPECT_EQ(S(h0 > FloorDiv(V("x", 100), 2)), "x < 2*h.0");
}

TEST_F(SimplifyTest, LogicDropsWhatIsImplied) {
  const Expr x = V("x", 100), y = V("y", 100);
  EXPECT_EQ(S(And(x < 10, x < 5)), "x < 5");
  EXPECT_EQ(S(And(x < 5, x < 10)), "x < 5");
  EXPECT_EQ(S(And(x < 5, Expr(7) < x)), "false");
  EXPECT_EQ(S(Or(x < 5, Expr(3) < x)), "true");
  EXPECT_EQ(S(Not(And(x < 5, y < 6))), "4 < x || 5 < y");
  EXPECT_EQ(S(And(x + y < 10, x + y < 20)), "x + y < 10");
}

TEST_F(SimplifyTest, MinAndMaxAreDecidedByTheDifference) {
  const Expr x = V("x", 100), y = V("y", 4);
  EXPECT_EQ(S(Min(x * 4 + y, x * 4 + 3)), "4*x + y");
  EXPECT_EQ(S(Min(x + y, x + 2)), "x + min(y, 2)");
  EXPECT_EQ(S(Min(Min(x, 50), 40)), "min(x, 40)");
  EXPECT_EQ(S(Max(Min(x, 50), 0)), "min(x, 50)");
  EXPECT_EQ(S(Max(Expr(7), x)), "max(x, 7)");
  EXPECT_EQ(S(FloorDiv(Min(V("h0", 4) * 14 + V("h1", 14), 55), 14)), "h0");
}

TEST_F(SimplifyTest, SelectArmsKnowTheCondition) {
  const Expr x = V("x", 100), y = V("y", 100);
  EXPECT_EQ(S(Select(x < 16, FloorDiv(x, 16), 7)), "select(x < 16, 0, 7)");
  EXPECT_EQ(S(Select(x < 16, FloorMod(x, 16), x)), "x");
  EXPECT_EQ(S(Select(And(Expr(1) <= x + y, x + y < 17), FloorDiv(x + y - 1, 16), 0)), "0");
  EXPECT_EQ(S(Select(Eq(x, 3), x + y, 0)), "select(x == 3, y + 3, 0)");
  EXPECT_EQ(S(FloorDiv(Select(x < 3, Expr(32), Expr(48)), 16)), "select(x < 3, 2, 3)");
}

TEST_F(SimplifyTest, UnboundedVariablesStillCancel) {
  const Expr x = MakeVar("x"), y = MakeVar("y");
  EXPECT_EQ(S(FloorDiv(x * 8 + FloorMod(y, 8), 8)), "x");
  EXPECT_EQ(S(FloorMod(x * 8 + FloorMod(y, 8), 8)), "floormod(y, 8)");
  EXPECT_EQ(S(x + y - x), "y");
  EXPECT_EQ(S(x + 1 <= x), "false");
}

TEST_F(SimplifyTest, FloatIdentities) {
  const Buffer b = MakeBuffer("b", {2});
  const Expr x = Load(b, {0}), y = Load(b, {1});
  EXPECT_EQ(S(FloatImm(0) * x + y), "b[1]");
  EXPECT_EQ(S(FloatImm(1) * x + FloatImm(0)), "b[0]");
  EXPECT_EQ(S(FloatImm(-1) * x + y), "b[1] - b[0]");
  EXPECT_EQ(S(y - FloatImm(-1) * x), "b[1] + b[0]");
  EXPECT_EQ(S(FloatImm(0) + x * FloatImm(-1)), "0.0 - b[0]");
  EXPECT_EQ(S((FloatImm(-1) * x) * (FloatImm(2) * y)), "0.0 - b[0]*(2.0*b[1])");
  EXPECT_EQ(S(x / FloatImm(1)), "b[0]");
  EXPECT_EQ(S(Max(Max(x, FloatImm(0)), FloatImm(0))), "max(b[0], 0.0)");
  // Sums are not reordered, and x - x may be NaN.
  EXPECT_EQ(S((x + y) - x), "b[0] + b[1] - b[0]");
  EXPECT_EQ(S(x - x), "b[0] - b[0]");
}

TEST_F(SimplifyTest, TablesFoldAtConstantIndices) {
  const Buffer t = MakeTable("t", {2, 3}, {1, 0, -1, 2, 0.5, 0});
  const Buffer b = MakeBuffer("b", {4});
  const Expr x = V("x", 2), b0 = Load(b, {0}), b1 = Load(b, {1});
  EXPECT_EQ(S(Load(t, {1, 1})), "0.5");
  EXPECT_EQ(S(Load(t, {0, 2}) * b0 + Load(t, {1, 2}) * b1), "0.0 - b[0]");
  EXPECT_EQ(S(Load(t, {x, FloorMod(x, 2)})), "t[x, x]");
  EXPECT_EQ(S(Broadcast(Load(t, {1, 0}), 8)), "broadcast(2.0, 8)");
}

TEST_F(SimplifyTest, VectorsOfIndicesStayRamps) {
  const Expr x = V("x", 100);
  EXPECT_EQ(S(Broadcast(x, 16) + Ramp(0, 1, 16)), "ramp(x, 1, 16)");
  EXPECT_EQ(S(Broadcast(x * 16, 16) + Ramp(0, 1, 16) * Broadcast(4, 16)), "ramp(16*x, 4, 16)");
  EXPECT_EQ(S(FloorDiv(Ramp(x * 16, 1, 16), Broadcast(16, 16))), "broadcast(x, 16)");
  EXPECT_EQ(S(FloorMod(Ramp(x * 16, 1, 16), Broadcast(16, 16))), "ramp(0, 1, 16)");
  EXPECT_EQ(S(FloorDiv(Ramp(x, 1, 16), Broadcast(16, 16))),
            "floordiv(ramp(x, 1, 16), broadcast(16, 16))");
  EXPECT_EQ(S(Ramp(x * 4, 1, 8) < Broadcast(800, 8)), "broadcast(true, 8)");
  EXPECT_EQ(S(Ramp(x, 0, 8)), "broadcast(x, 8)");
}

TEST_F(SimplifyTest, ConditionsOnLanesNarrowTheLane) {
  const Buffer b = MakeBuffer("b", {4, 16});
  const Expr x = V("x", 4);
  const Expr lane = Ramp(x * 8, 1, 8);
  const Expr load = Load(b, {FloorDiv(lane, Broadcast(16, 8)), FloorMod(lane, Broadcast(16, 8))});
  EXPECT_EQ(S(Select(lane < Broadcast(12, 8), load, Zero(kF32.WithLanes(8)))),
            "select(ramp(8*x, 1, 8) < broadcast(12, 8), b[0, ramp(8*x, 1, 8)], broadcast(0.0, 8))");
}

TEST_F(SimplifyTest, LoadsOfOneCellAreBroadcast) {
  const Buffer b = MakeBuffer("b", {64});
  const Expr x = V("x", 4);
  EXPECT_EQ(S(Load(b, {FloorDiv(Ramp(x * 8, 1, 8), Broadcast(8, 8))})), "broadcast(b[x], 8)");
  EXPECT_EQ(S(Broadcast(Load(b, {x}), 8) * Broadcast(FloatImm(1), 8)), "broadcast(b[x], 8)");
}

TEST_F(SimplifyTest, UnchangedExpressionsComeBackThemselves) {
  const Buffer b = MakeBuffer("b", {100, 100});
  const Expr x = V("x", 100), y = V("y", 100);
  for (const Expr& e : {4 * x + y + 3, FloorDiv(4 * x + y, 3), FloorMod(x, 7), Min(x, y), x < y + 3,
                        Eq(x, y), And(x < 5, y < 6), Load(b, {x, FloorDiv(y, 3)}),
                        Select(x < y, x, y), Load(b, {x, y}) * FloatImm(2) + FloatImm(1)}) {
    EXPECT_TRUE(Simplify(e, ranges_).same_as(e)) << Print(e) << " -> " << S(e);
  }
}

TEST_F(SimplifyTest, CanProveWhatRangesDecide) {
  const Expr x = V("x", 10);
  EXPECT_TRUE(CanProve(x < 10, ranges_));
  EXPECT_FALSE(CanProve(x < 9, ranges_));
  EXPECT_FALSE(CanProve(x < 10));
  EXPECT_TRUE(CanProve(Eq(FloorDiv(x * 4 + 3, 4), x)));
}

}  // namespace
}  // namespace alt::ir
