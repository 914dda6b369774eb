// What holds for all rules. Each rule's own tests stand in simplify_*_test.cc; that results are
// right is simplify_property_test.cc's business.
#include "common/ir/simplify.h"

#include <gtest/gtest.h>

#include "tests/common/ir/simplify_fixture.h"

namespace alt::ir {
namespace {

using SimplifyTest = SimplifyFixture;

TEST_F(SimplifyTest, UnchangedExpressionsComeBackThemselves) {
  const Buffer b = MakeBuffer("b", {100, 100});
  const Expr x = V("x", 100), y = V("y", 100);
  for (const Expr& e : {4 * x + y + 3, FloorDiv(4 * x + y, 3), FloorMod(x, 7), Min(x, y), x < y + 3,
                        Eq(x, y), And(x < 5, y < 6), Load(b, {x, FloorDiv(y, 3)}),
                        Select(x < y, x, y), Load(b, {x, y}) * FloatImm(2) + FloatImm(1)}) {
    EXPECT_TRUE(Simplify(e, ranges_).same_as(e)) << Print(e) << " -> " << S(e);
  }
}

TEST_F(SimplifyTest, AVariableOfOneValueIsThatValue) {
  const Expr x = Between("x", 7, 7), y = V("y", 4);
  EXPECT_EQ(S(x * 3 + y), "y + 21");
  EXPECT_EQ(S(FloorDiv(4 * x + y, 4)), "7");
}

TEST_F(SimplifyTest, RangesMayBeOpenAtOneEnd) {
  const Expr x = Between("x", 0, INT64_MAX), y = Between("y", INT64_MIN, 3);
  EXPECT_EQ(S(Max(x, 0)), "x");
  EXPECT_EQ(S(Expr(0) <= x), "true");
  EXPECT_EQ(S(x < 5), "x < 5");
  EXPECT_EQ(S(y < 4), "true");
  EXPECT_EQ(S(FloorDiv(x + y, 4)), "floordiv(x + y, 4)");
}

TEST_F(SimplifyTest, TheResultDependsOnThePrintedInputOnly) {
  // Other variables, other addresses, other hashes: the same text.
  std::string first;
  for (int i = 0; i < 20; ++i) {
    ranges_.clear();
    const Expr x = V("x", 30), y = V("y", 7), z = V("z", 5);
    const std::string text = S(Min(FloorDiv(x * 6 + y * 3 + z, 4), y + FloorMod(z + x * 2, 3)) +
                               Select(x + y < z * 4, FloorMod(x + y, 20), Max(y, z)));
    if (i == 0) first = text;
    EXPECT_EQ(text, first);
  }
}

TEST_F(SimplifyTest, SplitsOfSplitsOfSplitsSettle) {
  const Expr x = V("x", 1 << 20);
  Expr e = x;
  for (int i = 0; i < 8; ++i) e = FloorDiv(e, 4) * 4 + FloorMod(e, 4) + 1;
  EXPECT_EQ(S(e), "x + 8");
}

TEST_F(SimplifyTest, LongSumsAreNoTrouble) {
  const Expr x = V("x", 1000);
  Expr sum = 0;
  for (int i = 0; i < 2000; ++i) sum = sum + FloorDiv(x + i, 7 + i % 5);
  const Expr simplified = Simplify(sum, ranges_);
  EXPECT_TRUE(Simplify(simplified, ranges_).same_as(simplified));
}

}  // namespace
}  // namespace alt::ir
