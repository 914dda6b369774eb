#include "common/ir/linear_sum.h"

#include <gtest/gtest.h>

#include "common/ir/printer.h"

namespace alt::ir::internal {
namespace {

class LinearSumTest : public ::testing::Test {
 protected:
  static LinearSum SumOf(const Expr& e) {
    LinearSum sum;
    AddExpr(e, 1, &sum);
    return sum;
  }
  static std::string Normal(const Expr& e) { return Print(ToExpr(SumOf(e))); }

  const Expr x = MakeVar("x"), y = MakeVar("y"), z = MakeVar("z");
};

TEST_F(LinearSumTest, TermsStandInOrderOfFirstOccurrence) {
  EXPECT_EQ(Normal(y + x + y + z), "2*y + x + z");
  EXPECT_EQ(Normal(3 + y + 4 * x + 5), "y + 4*x + 8");
}

TEST_F(LinearSumTest, TermsThatCancelVanish) {
  EXPECT_EQ(Normal(x - x), "0");
  EXPECT_EQ(Normal(x * 3 + y - x * 2 - x), "y");
  EXPECT_EQ(Normal(FloorDiv(x, 3) * 2 - FloorDiv(x, 3)), "floordiv(x, 3)");
}

TEST_F(LinearSumTest, ProductsByConstantsDistribute) {
  EXPECT_EQ(Normal((x + y * 2 - 3) * 4), "4*x + 8*y - 12");
  EXPECT_EQ(Normal(2 * ((x - y) * -3)), "6*y - 6*x");
  EXPECT_EQ(Normal(x * y * 2), "2*(x*y)");
}

TEST_F(LinearSumTest, SomethingPositiveLeads) {
  EXPECT_EQ(Normal(z - x - y), "z - x - y");
  EXPECT_EQ(Normal(0 - x + z - y), "z - x - y");
  EXPECT_EQ(Normal(7 - x), "7 - x");
  EXPECT_EQ(Normal(0 - x * 2 - 7), "-2*x - 7");
}

TEST_F(LinearSumTest, TheNormalFormIsReused) {
  for (const Expr& e : {x, 4 * x, x + y, 4 * x + 2 * y - z, x + 3, x - 3, 7 - x - 2 * y, -2 * x,
                        -2 * x - 7, Expr(5), FloorDiv(x, 2) + y}) {
    EXPECT_TRUE(ToExpr(SumOf(e), e).same_as(e)) << Print(e);
  }
}

TEST_F(LinearSumTest, OtherFormsAreNotReused) {
  for (const Expr& e : {x * 4, x + (y + z), 3 + x, 0 - x, 1 * x, x + x, x + y + 0, x - (-3)}) {
    const Expr normal = ToExpr(SumOf(e), e);
    EXPECT_FALSE(normal.same_as(e)) << Print(e);
    EXPECT_TRUE(ToExpr(SumOf(normal), normal).same_as(normal)) << Print(e);
  }
}

TEST_F(LinearSumTest, SumsAddWithAFactor) {
  LinearSum sum = SumOf(2 * x + y + 1);
  AddSum(SumOf(x - y + 4), -2, &sum);
  EXPECT_EQ(Print(ToExpr(sum)), "3*y - 7");
  AddTerm(z, 0, &sum);
  EXPECT_EQ(sum.terms.size(), 1u);
}

TEST_F(LinearSumTest, EqualAtomsAreFound) {
  const LinearSum sum = SumOf(x + FloorMod(y, 3) * 2);
  EXPECT_EQ(FindTerm(sum, x), 0);
  EXPECT_EQ(FindTerm(sum, FloorMod(y, 3)), 1);
  EXPECT_EQ(FindTerm(sum, FloorMod(y, 4)), -1);
  EXPECT_EQ(FindTerm(sum, MakeVar("x")), -1);
}

TEST_F(LinearSumTest, OverflowWraps) {
  const Expr big = Expr(INT64_MAX);
  EXPECT_EQ(SumOf(x + big + 1).constant, INT64_MIN);
  EXPECT_EQ(SumOf((x + big) * 2).constant, -2);
}

}  // namespace
}  // namespace alt::ir::internal
