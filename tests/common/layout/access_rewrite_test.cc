#include "common/layout/access_rewrite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/interpreter.h"
#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "tests/common/layout/layout_testing.h"
#include "tests/testing/status_matchers.h"

namespace alt::layout {
namespace {

using testing::StatusIs;

constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;

// A reader with spatial axes h, w and reduction axes kh, kw.
struct Reader {
  ir::Var h = ir::MakeVar("h"), w = ir::MakeVar("w");
  ir::Var kh = ir::MakeVar("kh"), kw = ir::MakeVar("kw");
  AccessContext context;

  Reader(int64_t height, int64_t kernel) {
    for (const ir::Var& axis : {h, w}) context.ranges[axis.get()] = {0, height - 1};
    for (const ir::Var& axis : {kh, kw}) context.ranges[axis.get()] = {0, kernel - 1};
    context.reduction = {kh.get(), kw.get()};
  }
  int64_t Value(const ir::Expr& e, int64_t h_value, int64_t kh_value) const {
    return ir::EvaluateIndex(e, {{h.get(), h_value}, {kh.get(), kh_value}});
  }
};

absl::StatusOr<Indices> RewriteRead(const BoundLayout& layout, const Indices& indices,
                                    const AccessContext& context) {
  absl::StatusOr<Indices> result = MapRead(layout, indices, context);
  if (result.ok()) {
    for (ir::Expr& e : *result) e = ir::Simplify(e, context.ranges);
  }
  return result;
}

TEST(AccessRewriteTest, BasicPrimitivesMapTheIndex) {
  const Reader r(56, 3);
  ALT_ASSERT_OK_AND_ASSIGN(
      Indices physical,
      RewriteRead(BindOrDie("split(0,14) reorder(2,0,1)", {56, 56}), {r.h, r.w}, r.context));
  EXPECT_EQ(PrintAll(physical),
            (std::vector<std::string>{"w", "floordiv(h, 14)", "floormod(h, 14)"}));
}

TEST(AccessRewriteTest, SlidingWindowStaysInItsTile) {
  const Reader r(56, 3);
  ALT_ASSERT_OK_AND_ASSIGN(
      Indices physical, RewriteRead(BindOrDie("unfold(0,16,14)", {58}), {r.h + r.kh}, r.context));
  EXPECT_EQ(PrintAll(physical),
            (std::vector<std::string>{"floordiv(h, 14)", "kh + floormod(h, 14)"}));
}

TEST(AccessRewriteTest, StrideAndDilationAreInTheTile) {
  const Reader r(28, 3);  // stride 2, dilation 2: window of 5, tiles of 7 outputs
  const Shape shape = {2 * 27 + 5};
  ALT_ASSERT_OK_AND_ASSIGN(Indices physical, RewriteRead(BindOrDie("unfold(0,17,14)", shape),
                                                         {r.h * 2 + r.kh * 2}, r.context));
  for (int64_t h = 0; h < 28; ++h) {
    for (int64_t kh = 0; kh < 3; ++kh) {
      EXPECT_EQ(r.Value(physical[0], h, kh), h / 7);
      EXPECT_EQ(r.Value(physical[1], h, kh), 2 * (h % 7) + 2 * kh);
    }
  }
}

TEST(AccessRewriteTest, WindowThatDoesNotFitIsRefused) {
  const Reader r(56, 3);
  EXPECT_TRUE(StatusIs(RewriteRead(BindOrDie("unfold(0,15,14)", {58}), {r.h + r.kh}, r.context),
                       kPrecondition,
                       "unfold(0,15,14): index h + kh touches elements 0 to 15 of tiles of 15"));
}

TEST(AccessRewriteTest, PlainAccessIsClampedToTheLastTile) {
  const Reader r(58, 3);
  ALT_ASSERT_OK_AND_ASSIGN(Indices physical,
                           RewriteRead(BindOrDie("unfold(0,16,14)", {58}), {r.h}, r.context));
  EXPECT_EQ(r.Value(physical[0], 57, 0), 3);
  EXPECT_EQ(r.Value(physical[1], 57, 0), 15);
  EXPECT_EQ(ir::Print(physical[0]), "min(floordiv(h, 14), 3)");
}

TEST(AccessRewriteTest, ClampVanishesWhereTheReaderEndsBeforeTheLastTile) {
  const Reader r(56, 3);
  ALT_ASSERT_OK_AND_ASSIGN(Indices physical,
                           RewriteRead(BindOrDie("unfold(0,16,14)", {58}), {r.h}, r.context));
  EXPECT_EQ(ir::Print(physical[0]), "floordiv(h, 14)");
}

TEST(AccessRewriteTest, ReadByReductionAxesAloneIsPlain) {
  const Reader r(4, 9);
  ALT_ASSERT_OK_AND_ASSIGN(Indices physical,
                           RewriteRead(BindOrDie("unfold(0,4,3)", {9}), {r.kh}, r.context));
  for (int64_t k = 0; k < 9; ++k) {
    EXPECT_EQ(r.Value(physical[0], 0, k) * 3 + r.Value(physical[1], 0, k), k);
    EXPECT_LT(r.Value(physical[1], 0, k), 4);
  }
}

// Winograd's inverse reads tile h/4: no window, so the plain rule.
TEST(AccessRewriteTest, QuotientOfAnAxisIsPlain) {
  const Reader r(20, 3);
  ALT_ASSERT_OK_AND_ASSIGN(Indices physical, RewriteRead(BindOrDie("unfold(0,3,2)", {5}),
                                                         {ir::FloorDiv(r.h, 4)}, r.context));
  for (int64_t h = 0; h < 20; ++h) {
    const int64_t t = r.Value(physical[0], h, 0), b = r.Value(physical[1], h, 0);
    EXPECT_EQ(t, std::min<int64_t>(h / 4 / 2, 1));
    EXPECT_EQ(t * 2 + b, h / 4);
  }
}

// A term with both kinds of axes cannot be taken apart: plain as well.
TEST(AccessRewriteTest, MixedTermIsPlain) {
  const Reader r(8, 3);
  const ir::Expr index = ir::FloorMod(r.h + r.kh, 7);
  ALT_ASSERT_OK_AND_ASSIGN(Indices physical,
                           RewriteRead(BindOrDie("unfold(0,4,3)", {7}), {index}, r.context));
  for (int64_t h = 0; h < 8; ++h) {
    for (int64_t kh = 0; kh < 3; ++kh) {
      const int64_t b = r.Value(physical[1], h, kh);
      EXPECT_EQ(r.Value(physical[0], h, kh) * 3 + b, (h + kh) % 7);
      EXPECT_TRUE(b >= 0 && b < 4);
    }
  }
  ALT_EXPECT_OK(RewriteRead(BindOrDie("unfold(0,4,3)", {10}), {r.h + ir::FloorMod(r.h + r.kh, 3)},
                            r.context));
}

TEST(AccessRewriteTest, FlippedKernelSlides) {
  const Reader r(12, 3);
  ALT_ASSERT_OK_AND_ASSIGN(
      Indices physical, RewriteRead(BindOrDie("unfold(0,6,4)", {14}), {r.h - r.kh + 2}, r.context));
  EXPECT_EQ(ir::Print(physical[0]), "floordiv(h, 4)");
  EXPECT_EQ(r.Value(physical[1], 5, 1), 2);
}

// Windows that begin before the tensor, as under a guard: the start is taken at the window's begin.
TEST(AccessRewriteTest, WindowFromBeforeTheTensorIsClampedToTheFirstTile) {
  const Reader r(12, 3);
  ALT_ASSERT_OK_AND_ASSIGN(
      Indices physical, RewriteRead(BindOrDie("unfold(0,6,4)", {12}), {r.h + r.kh - 1}, r.context));
  for (int64_t h = 0; h < 12; ++h) {
    for (int64_t kh = 0; kh < 3; ++kh) {
      const int64_t e = h + kh - 1, b = r.Value(physical[1], h, kh);
      if (e < 0 || e >= 12) continue;
      const int64_t t = r.Value(physical[0], h, kh);
      EXPECT_EQ(t * 4 + b, e);
      EXPECT_TRUE(Inside({t, b}, {3, 6})) << h << " " << kh;
    }
  }
}

// The same at the end: h + kh < 14 is what a guard would say.
TEST(AccessRewriteTest, WindowPastTheEndIsClampedToTheLastTile) {
  const Reader r(14, 3);
  ALT_ASSERT_OK_AND_ASSIGN(Indices physical,
                           RewriteRead(BindOrDie("unfold(0,6,4)", {14}), {r.h + r.kh}, r.context));
  for (int64_t h = 0; h < 14; ++h) {
    for (int64_t kh = 0; kh < 3 && h + kh < 14; ++kh) {
      const int64_t t = r.Value(physical[0], h, kh), b = r.Value(physical[1], h, kh);
      EXPECT_EQ(t * 4 + b, h + kh);
      EXPECT_TRUE(Inside({t, b}, {3, 6})) << h << " " << kh;
    }
  }
}

TEST(AccessRewriteTest, SecondUnfoldWithinATileSlidesToo) {
  const Reader r(32, 3);
  ALT_ASSERT_OK_AND_ASSIGN(
      Indices physical,
      RewriteRead(BindOrDie("unfold(0,18,16) unfold(1,6,4)", {34}), {r.h + r.kh}, r.context));
  for (int64_t h = 0; h < 32; ++h) {
    for (int64_t kh = 0; kh < 3; ++kh) {
      EXPECT_EQ(r.Value(physical[0], h, kh), h / 16);
      EXPECT_EQ(r.Value(physical[1], h, kh), h % 16 / 4);
      EXPECT_EQ(r.Value(physical[2], h, kh), h % 4 + kh);
    }
  }
}

// A 1x1 convolution of stride 2 never reads every other row: tiles of 7 that start 8 apart serve
// it.
TEST(AccessRewriteTest, TilesWithGapsServeStridedReads) {
  const Reader r(8, 1);
  const BoundLayout tiles = BindOrDie("unfold(0,7,8)", {15});
  ALT_ASSERT_OK_AND_ASSIGN(Indices physical, RewriteRead(tiles, {r.h * 2}, r.context));
  EXPECT_EQ(r.Value(physical[1], 7, 0), 6);
  EXPECT_TRUE(StatusIs(RewriteRead(tiles, {r.h}, r.context), kPrecondition,
                       "touches elements 0 to 7 of tiles of 7"));
  EXPECT_TRUE(StatusIs(RewriteRead(BindOrDie("unfold(0,7,8)", {16}), {r.h * 2 + 1}, r.context),
                       kPrecondition, "touches elements 1 to 7 of tiles of 7"));
}

TEST(AccessRewriteTest, CroppedCellsCannotBeRead) {
  const Reader r(10, 3);
  const BoundLayout cropped = BindOrDie("unpad(0,0,1)", {13});
  ALT_EXPECT_OK(RewriteRead(cropped, {r.h + r.kh}, r.context));
  const BoundLayout too_much = BindOrDie("unpad(0,1,0)", {13});
  EXPECT_TRUE(StatusIs(RewriteRead(too_much, {r.h + r.kh}, r.context), kPrecondition,
                       "unpad(0,1,0): index h + kh may read cells that were dropped (1 to 12 are"));
}

TEST(AccessRewriteTest, FoldUndoesTheChoiceOfATile) {
  const Reader r(56, 3);
  ALT_ASSERT_OK_AND_ASSIGN(
      Indices physical,
      RewriteRead(BindOrDie("unfold(0,16,14) fold(0,16,14,58)", {58}), {r.h + r.kh}, r.context));
  EXPECT_EQ(PrintAll(physical), (std::vector<std::string>{"h + kh"}));
}

// One case of the sweep below: reads v*i + d*k, i < outputs, k < taps, of an extent.
struct Sweep {
  int64_t v, d, outputs, taps, size, stride;

  int64_t window() const { return (taps - 1) * d + 1; }
  int64_t extent() const { return v * (outputs - 1) + window(); }
  // docs/layout.md#reading-an-unfolded-tensor: safe when max_i(v*i mod S) + M <= B.
  bool Fits() const {
    int64_t last = 0;
    for (int64_t i = 0; i < outputs; ++i) last = std::max(last, v * i % stride);
    return last + window() <= size;
  }
  std::string Text() const {
    return absl::StrCat("v ", v, " d ", d, " outputs ", outputs, " taps ", taps, " B ", size, " S ",
                        stride);
  }
};

// The physical index, checked at every (i, k); nullopt when refused.
std::optional<Indices> CheckSweep(const Sweep& s) {
  const Reader r(s.outputs, s.taps);
  const BoundLayout bound =
      BindOrDie(absl::StrCat("unfold(0,", s.size, ",", s.stride, ")"), {s.extent()});
  const auto physical = RewriteRead(bound, {r.h * s.v + r.kh * s.d}, r.context);
  if (!physical.ok()) return std::nullopt;
  for (int64_t i = 0; i < s.outputs; ++i) {
    for (int64_t k = 0; k < s.taps; ++k) {
      const int64_t t = r.Value((*physical)[0], i, k), b = r.Value((*physical)[1], i, k);
      EXPECT_TRUE(Inside({t, b}, bound.physical_shape())) << "i " << i << " k " << k;
      EXPECT_EQ(t * s.stride + b, s.v * i + s.d * k) << "i " << i << " k " << k;
    }
  }
  return *physical;
}

// Tiles of n outputs: always served, without minimum, and as many tiles as the output has.
TEST(AccessRewriteSweepTest, MatchingTilesAreAlwaysServed) {
  int cases = 0;
  for (int64_t v = 1; v <= 3; ++v) {
    for (int64_t d = 1; d <= 2; ++d) {
      for (int64_t taps = 1; taps <= 4; ++taps) {
        for (int64_t outputs = 1; outputs <= 11; ++outputs) {
          for (int64_t n = 1; n <= 6; ++n) {
            Sweep s = {.v = v, .d = d, .outputs = outputs, .taps = taps, .stride = v * n};
            s.size = v * (n - 1) + s.window();
            SCOPED_TRACE(s.Text());
            const std::optional<Indices> physical = CheckSweep(s);
            ASSERT_TRUE(physical.has_value());
            EXPECT_FALSE(absl::StrContains(ir::Print((*physical)[0]), "min"));
            EXPECT_EQ(NumCells(*ApplyToShape(Unfold{0, s.size, s.stride}, {s.extent()})),
                      (outputs + n - 1) / n * s.size);
            if (HasFailure()) return;
            ++cases;
          }
        }
      }
    }
  }
  EXPECT_EQ(cases, 3 * 2 * 4 * 11 * 6);
}

// Any tiles: what is served is right; what is refused does not fit (or cannot be seen to, because
// the axis ends before all residues occur).
TEST(AccessRewriteSweepTest, OtherTilesAreServedOrRefusedRightly) {
  int served = 0, refused = 0;
  base::Random random(3);
  for (int i = 0; i < 6000; ++i) {
    const Sweep s = {.v = random.UniformInt(1, 4),
                     .d = random.UniformInt(1, 3),
                     .outputs = random.UniformInt(1, 12),
                     .taps = random.UniformInt(1, 4),
                     .size = random.UniformInt(1, 14),
                     .stride = random.UniformInt(1, 12)};
    SCOPED_TRACE(s.Text());
    const bool one_tile = s.extent() <= s.size;
    const bool slides = s.outputs > 1 && s.taps > 1;
    if (CheckSweep(s).has_value()) {
      ++served;
    } else {
      ++refused;
      EXPECT_FALSE(one_tile);
      EXPECT_TRUE(slides || s.size < s.stride);
      const int64_t residues = s.stride / std::gcd(s.v, s.stride);
      EXPECT_TRUE(!s.Fits() || s.outputs < residues);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(served, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace alt::layout
