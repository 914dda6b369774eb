// floordiv and floormod by constants, and the pairs of them that are one term.
#include <gtest/gtest.h>

#include "tests/common/ir/simplify_fixture.h"

namespace alt::ir {
namespace {

using SimplifyDivTest = SimplifyFixture;

TEST_F(SimplifyDivTest, SplitDigitsComeBack) {
  const Expr h0 = V("h.0", 4), h1 = V("h.1", 14);
  const Expr h = h0 * 14 + h1;
  EXPECT_EQ(S(FloorDiv(h, 14)), "h.0");
  EXPECT_EQ(S(FloorMod(h, 14)), "h.1");
  EXPECT_EQ(S(Min(FloorDiv(h, 14), 3)), "h.0");
  EXPECT_EQ(S(h - FloorDiv(h, 14) * 14), "h.1");
  EXPECT_EQ(S(FloorDiv(h, 14) * 14 + FloorMod(h, 14)), "14*h.0 + h.1");
}

TEST_F(SimplifyDivTest, FactorsCommonToDivisorAndTermsCancel) {
  const Expr a = V("a", 8), b = V("b", 100), c = V("c", 4);
  EXPECT_EQ(S(FloorDiv(a * 64 + b * 4 + c, 16)), "4*a + floordiv(b, 4)");
  EXPECT_EQ(S(FloorMod(a * 64 + b * 4 + c, 16)), "4*floormod(b, 4) + c");
  EXPECT_EQ(S(FloorMod(b * 4 + c, 4)), "c");
  EXPECT_EQ(S(FloorDiv(b * 6, 4)), "floordiv(3*b, 2)");
  EXPECT_EQ(S(FloorMod(b * 6, 4)), "2*floormod(b, 2)");
}

TEST_F(SimplifyDivTest, NestedDivisionsAreOne) {
  const Expr x = V("x", 1000);
  EXPECT_EQ(S(FloorDiv(FloorDiv(x, 3), 4)), "floordiv(x, 12)");
  EXPECT_EQ(S(FloorDiv(FloorDiv(x, 3) + 1, 4)), "floordiv(x + 3, 12)");
  EXPECT_EQ(S(FloorMod(FloorMod(x, 12), 4)), "floormod(x, 4)");
  EXPECT_EQ(S(FloorDiv(FloorMod(x, 12), 4)), "floormod(floordiv(x, 4), 3)");
}

TEST_F(SimplifyDivTest, DigitsOfOneNumberJoin) {
  const Expr f = V("f", 8 * 14 * 14);
  const Expr n = FloorDiv(f, 196), h = FloorMod(FloorDiv(f, 14), 14), w = FloorMod(f, 14);
  EXPECT_EQ(S((n * 14 + h) * 14 + w), "f");
  EXPECT_EQ(S(n * 14 + h), "floordiv(f, 14)");
  EXPECT_EQ(S(h * 14 + w), "floormod(f, 196)");
  EXPECT_EQ(S(f - FloorDiv(f, 14) * 14), "floormod(f, 14)");
  EXPECT_EQ(S(f * 3 - FloorDiv(f, 14) * 42), "3*floormod(f, 14)");
}

TEST_F(SimplifyDivTest, ConstantsMoveOutOfDivisions) {
  const Expr x = V("x", 100);
  EXPECT_EQ(S(FloorDiv(x + 17, 16)), "floordiv(x + 1, 16) + 1");
  EXPECT_EQ(S(FloorDiv(x - 1, 16)), "floordiv(x + 15, 16) - 1");
  EXPECT_EQ(S(FloorDiv(Between("y", 1, 32) - 1, 16)), "floordiv(y - 1, 16)");
  EXPECT_EQ(S(FloorMod(x + 16, 16)), "floormod(x, 16)");
  EXPECT_EQ(S(FloorMod(Between("z", 16, 31), 16)), "z - 16");
}

TEST_F(SimplifyDivTest, CoefficientsAboveTheDivisorAreReduced) {
  const Expr a = V("a", 2), b = V("b", 15);
  EXPECT_EQ(S(FloorDiv(17 * a + b, 16)), "a");
  EXPECT_EQ(S(FloorMod(17 * a + b, 16)), "a + b");
  EXPECT_EQ(S(FloorMod(17 * a + V("c", 16), 16)), "floormod(a + c, 16)");
}

TEST_F(SimplifyDivTest, DivisorsThatVaryAreLeftUnlessTheyAreLarger) {
  const Expr x = V("x", 8), n = Between("n", 8, 20), m = Between("m", 2, 20);
  EXPECT_EQ(S(FloorDiv(x, n)), "0");
  EXPECT_EQ(S(FloorMod(x, n)), "x");
  EXPECT_EQ(S(FloorDiv(x, m)), "floordiv(x, m)");
  EXPECT_EQ(S(FloorMod(x + 0, m)), "floormod(x, m)");
}

TEST_F(SimplifyDivTest, DivisionsMoveIntoArmsWhereTheyVanish) {
  const Expr x = V("x", 100), h = V("h0", 4) * 14 + V("h1", 14);
  EXPECT_EQ(S(FloorDiv(Min(h, 55), 14)), "h0");
  EXPECT_EQ(S(FloorDiv(Max(16 * x, 32), 16)), "max(x, 2)");
  EXPECT_EQ(S(FloorDiv(Min(x, 48), 16)), "floordiv(min(x, 48), 16)");
  EXPECT_EQ(S(FloorDiv(Select(x < 3, Expr(32), Expr(48)), 16)), "select(x < 3, 2, 3)");
  EXPECT_EQ(S(FloorMod(Select(x < 3, Expr(33), 16 * x), 16)), "select(x < 3, 1, 0)");
}

TEST_F(SimplifyDivTest, UnboundedVariablesStillCancel) {
  const Expr x = Unbounded("x"), y = Unbounded("y");
  EXPECT_EQ(S(FloorDiv(x * 8 + FloorMod(y, 8), 8)), "x");
  EXPECT_EQ(S(FloorMod(x * 8 + FloorMod(y, 8), 8)), "floormod(y, 8)");
  EXPECT_EQ(S(FloorDiv(x, 8) * 8 + FloorMod(x, 8)), "x");
}

// Threads of a GPU tile, tiles of an unfolded input (docs/layout.md#reading-an-unfolded-tensor),
// blocks of channels.
TEST_F(SimplifyDivTest, IndicesOfLayoutsNeedNoDivision) {
  const Expr t0 = V("t0", 16), t1 = V("t1", 32);
  EXPECT_EQ(S(FloorDiv(t0 * 32 + t1, 32)), "t0");
  EXPECT_EQ(S(FloorMod(t0 * 32 + t1, 32)), "t1");
  EXPECT_EQ(S(FloorDiv(t0 * 32 + t1, 8)), "4*t0 + floordiv(t1, 8)");

  const Expr i0 = V("i.0", 4), i1 = V("i.1", 14), r = V("r", 3);
  const Expr i = i0 * 14 + i1;
  const Expr tile = FloorDiv(i, 14);
  EXPECT_EQ(S(i * 2 + r - tile * 28), "2*i.1 + r");
  EXPECT_EQ(S(Min(tile, 3)), "i.0");
  EXPECT_EQ(S(FloorDiv(i0 * 4 + V("j", 4) + r, 4)), "i.0 + floordiv(j + r, 4)");

  const Expr o = V("o.0", 2) * 32 + V("o.1", 32);
  EXPECT_EQ(S(FloorDiv(o, 16)), "2*o.0 + floordiv(o.1, 16)");
  EXPECT_EQ(S(FloorMod(o, 16)), "floormod(o.1, 16)");
  // Groups: o/Og*Ig + i, then blocks of 4.
  const Expr g = V("g", 8), og = V("og", 16), c = V("c", 8);
  EXPECT_EQ(S(FloorDiv(FloorDiv(g * 16 + og, 16) * 8 + c, 4)), "2*g + floordiv(c, 4)");
}

// Every axis of the templates of docs/search.md#the-space, one and two levels deep: writer
// and reader agree on tiles without a division.
TEST_F(SimplifyDivTest, TemplatesOfConvolutionsNeedNoDivision) {
  for (int64_t stride : {1, 2}) {
    for (int64_t dilation : {1, 2}) {
      for (int64_t tile : {1, 4, 14}) {
        const Expr t = V("t", 4), e = V("e", tile), k = V("k", 3);
        const Expr h = t * tile + e;                 // the output, by its own layout
        const Expr row = h * stride + k * dilation;  // what it reads
        const Expr tile_read = FloorDiv(h, tile);    // of the unfolded input
        const Expr offset = row - tile_read * (stride * tile);
        EXPECT_EQ(CountDivMod(Simplify(tile_read, ranges_)), 0);
        EXPECT_EQ(CountDivMod(Simplify(offset, ranges_)), 0);
        EXPECT_FALSE(UsesVar(Simplify(offset, ranges_), t->var));
        EXPECT_EQ(BoundsOf(Simplify(offset, ranges_), ranges_)->max,
                  stride * (tile - 1) + 2 * dilation);
      }
    }
  }
}

TEST_F(SimplifyDivTest, TwoLevelsOfTilesNeedNoDivision) {
  const Expr a = V("a", 2), b = V("b", 7), c = V("c", 2), d = V("d", 2);
  const Expr h = ((a * 7 + b) * 2 + c) * 2 + d;
  EXPECT_EQ(S(FloorDiv(FloorDiv(h, 2), 2)), "7*a + b");
  EXPECT_EQ(S(FloorMod(FloorDiv(h, 2), 2)), "c");
  EXPECT_EQ(S(FloorDiv(FloorMod(h, 28), 4)), "b");
  EXPECT_EQ(S(FloorMod(FloorMod(h, 28), 4)), "2*c + d");
}

// o = s*q + r: the phases of a transposed convolution.
TEST_F(SimplifyDivTest, PhasesNeedNoDivision) {
  const Expr q = V("q", 28), r = V("r", 2), k = V("k", 2);
  const Expr o = q * 2 + r;
  EXPECT_EQ(S(FloorDiv(o, 2)), "q");
  EXPECT_EQ(S(FloorMod(o, 2)), "r");
  EXPECT_EQ(S(Eq(FloorMod(o - (k * 2 + r), 2), 0)), "true");
  EXPECT_EQ(S(FloorDiv(o - (k * 2 + r), 2)), "q - k");
}

// Whatever the radices: every digit, and every number made of neighbouring digits, comes back
// without a division.
TEST_F(SimplifyDivTest, NumbersInMixedRadixComeApartAnywhere) {
  for (int64_t r1 : {2, 3, 14}) {
    for (int64_t r2 : {2, 5, 16}) {
      for (int64_t r3 : {1, 4, 7}) {
        const Expr a = V("a", 6), b = V("b", r1), c = V("c", r2), d = V("d", r3);
        const Expr n = ((a * r1 + b) * r2 + c) * r3 + d;
        const int64_t ends[] = {r3, r2 * r3, r1 * r2 * r3};
        for (int64_t low : ends) {
          EXPECT_EQ(CountDivMod(Simplify(FloorDiv(n, low), ranges_)), 0);
          EXPECT_EQ(CountDivMod(Simplify(FloorMod(n, low), ranges_)), 0);
          for (int64_t high : ends) {
            if (high <= low) continue;
            const Expr digit = Simplify(FloorMod(FloorDiv(n, low), high / low), ranges_);
            EXPECT_EQ(CountDivMod(digit), 0) << Print(digit);
          }
        }
      }
    }
  }
}

// A number split by any chain of factors and put together again is the number.
TEST_F(SimplifyDivTest, SplitsOfAnyFactorsJoinAgain) {
  const Expr n = V("n", 5000), m = Unbounded("m");
  for (int64_t f1 : {2, 3, 8, 14}) {
    for (int64_t f2 : {2, 5, 16}) {
      for (const Expr& x : {n, m, n * 3 + 1}) {
        const Expr q = FloorDiv(x, f1);
        const Expr again = (FloorDiv(q, f2) * f2 + FloorMod(q, f2)) * f1 + FloorMod(x, f1);
        EXPECT_EQ(S(again), S(x));
        const Expr other = FloorDiv(x, f1 * f2) * (f1 * f2) + FloorMod(x, f1 * f2);
        EXPECT_EQ(S(other), S(x));
      }
    }
  }
}

TEST_F(SimplifyDivTest, LinearDividendsKeepTheirQuotients) {
  const Expr x = Between("x", -3, 6), y = V("y", 5);
  for (int64_t a : {-5, -1, 1, 2, 3, 4, 7, 8}) {
    for (int64_t b : {-4, 1, 2, 6}) {
      for (int64_t k : {-9, -1, 0, 1, 5}) {
        for (int64_t c : {1, 2, 3, 4, 6, 8, 12}) {
          ExpectSameEverywhere(FloorDiv(a * x + b * y + k, c));
          ExpectSameEverywhere(FloorMod(a * x + b * y + k, c));
        }
      }
    }
  }
}

}  // namespace
}  // namespace alt::ir
