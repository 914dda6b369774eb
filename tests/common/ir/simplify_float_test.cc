// Float expressions and tables.
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "tests/common/ir/simplify_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::ir {
namespace {

class SimplifyFloatTest : public SimplifyFixture {
 protected:
  const Buffer b_ = MakeBuffer("b", {4});
  const Expr x = Load(b_, {0}), y = Load(b_, {1});
};

TEST_F(SimplifyFloatTest, ZerosAndOnesVanish) {
  EXPECT_EQ(S(FloatImm(0) * x + y), "b[1]");
  EXPECT_EQ(S(FloatImm(1) * x + FloatImm(0)), "b[0]");
  EXPECT_EQ(S(x * FloatImm(0)), "0.0");
  EXPECT_EQ(S(x - FloatImm(0)), "b[0]");
  EXPECT_EQ(S(x / FloatImm(1)), "b[0]");
}

TEST_F(SimplifyFloatTest, SignsMoveOutwards) {
  EXPECT_EQ(S(FloatImm(-1) * x + y), "b[1] - b[0]");
  EXPECT_EQ(S(y - FloatImm(-1) * x), "b[1] + b[0]");
  EXPECT_EQ(S(FloatImm(0) + x * FloatImm(-1)), "0.0 - b[0]");
  EXPECT_EQ(S((FloatImm(-1) * x) * (FloatImm(2) * y)), "0.0 - b[0]*(2.0*b[1])");
  EXPECT_EQ(S((FloatImm(-1) * x) * (FloatImm(-1) * y)), "b[0]*b[1]");
  EXPECT_EQ(S(FloatImm(0) - (x - y)), "b[1] - b[0]");
  EXPECT_EQ(S(FloatImm(2) * (FloatImm(0) - x)), "-2.0*b[0]");
  EXPECT_EQ(S(x / FloatImm(-1)), "0.0 - b[0]");
}

TEST_F(SimplifyFloatTest, SumsAreNotReordered) {
  EXPECT_EQ(S((x + y) - x), "b[0] + b[1] - b[0]");
  EXPECT_EQ(S(x + (y + x)), "b[0] + (b[1] + b[0])");
  EXPECT_EQ(S(x - x), "b[0] - b[0]");  // may be NaN
}

TEST_F(SimplifyFloatTest, RepeatedClampsAreOne) {
  EXPECT_EQ(S(Max(Max(x, FloatImm(0)), FloatImm(0))), "max(b[0], 0.0)");
  EXPECT_EQ(S(Min(x, Min(y, x))), "min(b[1], b[0])");
  EXPECT_EQ(S(Min(x, x)), "b[0]");
}

TEST_F(SimplifyFloatTest, IndicesInsideAreSimplified) {
  const Expr i = V("i", 4), j = V("j", 8);
  EXPECT_EQ(S(Load(b_, {FloorDiv(i * 8 + j, 8)})), "b[i]");
  EXPECT_EQ(S(Cast(ScalarType::kF32, FloorMod(i * 8 + j, 8))), "cast<f32>(j)");
  EXPECT_EQ(S(Select(i < 4, x, y)), "b[0]");
  EXPECT_EQ(S(Select(i < 2, Load(b_, {Min(i, 2)}), FloatImm(0))), "select(i < 2, b[i], 0.0)");
}

TEST_F(SimplifyFloatTest, TablesFoldAtConstantIndices) {
  const Buffer t = MakeTable("t", {2, 3}, {1, 0, -1, 2, 0.5, 0});
  const Expr i = V("i", 2);
  EXPECT_EQ(S(Load(t, {1, 1})), "0.5");
  EXPECT_EQ(S(Load(t, {0, 2}) * x + Load(t, {1, 2}) * y), "0.0 - b[0]");
  EXPECT_EQ(S(Load(t, {i, FloorMod(i, 2)})), "t[i, i]");
  EXPECT_EQ(S(Broadcast(Load(t, {1, 0}), 8)), "broadcast(2.0, 8)");
  EXPECT_EQ(S(Load(t, {2, 0})), "t[2, 0]");  // out of bounds: not ours to judge
}

// A row of a Winograd transform: signs, zeros and halves, unrolled.
TEST_F(SimplifyFloatTest, TransformsLoseTheirZeros) {
  const Buffer t = MakeTable("t", {4, 4}, {1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 0, -1});
  const std::string rows[] = {"b[0] - b[2]", "b[1] + b[2]", "b[2] - b[1]", "b[1] - b[3]"};
  for (int r = 0; r < 4; ++r) {
    Expr sum = FloatImm(0);
    for (int k = 0; k < 4; ++k) sum = std::move(sum) + Load(t, {r, k}) * Load(b_, {k});
    EXPECT_EQ(S(sum), rows[r]);
  }
}

// Rules hold bit for bit; only the sign of a zero may differ, which == does not see.
TEST_F(SimplifyFloatTest, RandomExpressionsKeepTheirBits) {
  base::Random random(7);
  const std::function<Expr(int)> make = [&](int depth) -> Expr {
    if (depth == 0) {
      if (random.Bernoulli(0.5)) return FloatImm(random.UniformInt(-2, 2), kF64);
      return Cast(ScalarType::kF64, Load(b_, {random.UniformInt(0, 3)}));
    }
    const Expr a = make(depth - 1);
    const Expr b = make(random.UniformInt(0, depth - 1));
    switch (random.Uniform(6)) {
      case 0:
        return a + b;
      case 1:
        return a - b;
      case 2:
      case 3:
        return a * b;
      case 4:
        return Min(a, b);
      default:
        return Max(b, a);
    }
  };
  const Buffer out = MakeBuffer("out", {2}, kF64);
  for (int i = 0; i < 3000; ++i) {
    const Expr e = make(random.UniformInt(1, 6));
    const Expr simplified = Simplify(e);
    EXPECT_TRUE(Simplify(simplified).same_as(simplified)) << Print(simplified);
    Memory memory{{b_.get(), {0.3f, -1.7f, 2.9f, -0.6f}}, {out.get(), {0, 0}}};
    const Stmt body = Block({Store(out, {0}, e), Store(out, {1}, simplified)});
    ALT_ASSERT_OK(Interpret(Function{"f", {b_, out}, body}, memory));
    ASSERT_EQ(memory[out.get()][0], memory[out.get()][1])
        << Print(e) << " became " << Print(simplified);
  }
}

}  // namespace
}  // namespace alt::ir
