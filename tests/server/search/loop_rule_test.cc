// The loops that the rules plan, shown on traces.

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "tests/server/search/space_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::search {
namespace {

class LoopRuleTest : public ::testing::Test {
 protected:
  // 14x14 outputs, 64 channels to 32: NHWC.
  LoopRuleTest() { Use("conv2d:n=1,ic=64,ih=14,iw=14,oc=32,kh=3,kw=3,pad=1"); }

  void Use(const std::string& text, const std::string& target = "cpu:mcpu=znver4,vec=512") {
    space_ = SpaceOf(WorkloadOf(text), TargetOf(target));
  }
  // Every wish is offered.
  std::string Trace(const Wishes& wishes) const {
    const Point point = space_->At(wishes);
    for (const auto& [name, value] : wishes) {
      const Decision* decision = Find(point, name);
      EXPECT_TRUE(decision != nullptr && decision->value == value) << name << " " << value;
    }
    return schedule::Print(point.candidate.trace);
  }
  // The lines of the trace that begin so.
  std::string Lines(const Wishes& wishes, const std::string& begin) const {
    std::string lines;
    for (absl::string_view line : absl::StrSplit(Trace(wishes), '\n')) {
      if (absl::StartsWith(line, begin)) absl::StrAppend(&lines, line, "\n");
    }
    return lines;
  }
  int64_t FirstOf(const std::string& name, const Wishes& wishes = {}) const {
    const Point point = space_->At(wishes);
    const Decision* decision = Find(point, name);
    return decision == nullptr ? -1 : decision->value;
  }
  std::vector<int64_t> Choices(const std::string& name, const Wishes& wishes = {}) const {
    const Point point = space_->At(wishes);
    const Decision* decision = Find(point, name);
    return decision == nullptr ? std::vector<int64_t>{} : decision->choices;
  }

  std::unique_ptr<Space> space_;
};

// A register tile of 1 x 7 x two vectors.
Wishes Tile(Wishes more = {}) {
  more.merge(Wishes{{"conv.vector_tile", 32},
                    {"conv.column_tile", 7},
                    {"conv.row_tile", 1},
                    {"conv.row_block", 1},
                    {"conv.order", 0},
                    {"pad.place", 2}});
  return more;
}

TEST_F(LoopRuleTest, ARegisterTileStandsInsideTheReductionAndIsUnrolled) {
  EXPECT_EQ(Trace(Tile()),
            "inline(pad)\n"
            "split(conv.w, 7)\n"
            "reorder(conv: n h w.0 kh kw ic w.1 o)\n"
            "unroll(conv.w.1)\n"
            "vectorize(conv.o)\n");
}

TEST_F(LoopRuleTest, BlocksOfRowsSplitTheRowTwice) {
  EXPECT_EQ(Trace(Tile({{"conv.row_tile", 2}, {"conv.row_block", 2}, {"conv.vector_tile", 16}})),
            "inline(pad)\n"
            "split(conv.h, 2, 2)\n"
            "split(conv.w, 7)\n"
            "split(conv.o, 16)\n"
            "reorder(conv: n h.0 o.0 h.1 w.0 kh kw ic w.1 h.2 o.1)\n"
            "unroll(conv.w.1)\n"
            "unroll(conv.h.2)\n"
            "vectorize(conv.o.1)\n");
}

TEST_F(LoopRuleTest, EachOrderPutsTheOuterLoopsDifferently) {
  const std::string inner = " kh kw ic w.1 h.2 o.1)\n";
  const std::vector<std::string> outer{"n h.0 o.0 h.1 w.0", "n h.0 h.1 o.0 w.0",
                                       "n o.0 h.0 h.1 w.0", "n h.0 h.1 w.0 o.0",
                                       "n h.0 w.0 o.0 h.1"};
  EXPECT_EQ(Choices("conv.order").size(), outer.size());
  for (size_t order = 0; order < outer.size(); ++order) {
    const Wishes wishes = Tile({{"conv.row_tile", 2},
                                {"conv.row_block", 2},
                                {"conv.vector_tile", 16},
                                {"conv.order", static_cast<int64_t>(order)}});
    EXPECT_EQ(Lines(wishes, "reorder"), "reorder(conv: " + outer[order] + inner);
  }
}

TEST_F(LoopRuleTest, ATileOfTheWholeAxisNeedsNoSplit) {
  const std::string text = Trace(Tile({{"conv.column_tile", 14}, {"conv.vector_tile", 16}}));
  EXPECT_FALSE(absl::StrContains(text, "split(conv.w")) << text;
  EXPECT_TRUE(absl::StrContains(text, "unroll(conv.w)")) << text;
}

TEST_F(LoopRuleTest, SumsFilterAndDataFitTheRegisters) {
  for (const int64_t vectors : {1, 2}) {
    for (const int64_t columns : {1, 6, 14}) {
      const Wishes wishes{{"conv.vector_tile", 16 * vectors}, {"conv.column_tile", columns}};
      for (const int64_t rows : Choices("conv.row_tile", wishes)) {
        EXPECT_LE(rows * columns * vectors + vectors + 1, 32);
      }
    }
  }
}

TEST_F(LoopRuleTest, TheFirstTileKeepsTheMultipliersBusy) {
  const int64_t sums =
      FirstOf("conv.vector_tile") / 16 * FirstOf("conv.column_tile") * FirstOf("conv.row_tile");
  EXPECT_GE(sums, 24) << "of 30 registers";
  EXPECT_LE(sums, 30);
  EXPECT_EQ(14 % FirstOf("conv.column_tile"), 0) << "no rest";
}

TEST_F(LoopRuleTest, OneRowOfAMatrixIsCoveredByVectors) {
  Use("matmul:m=1,n=1000,k=2048");
  EXPECT_GE(FirstOf("matmul.vector_tile"), 64) << "sums hide the latency of the multiply-adds";
}

TEST_F(LoopRuleTest, BlocksOfTheReductionStandAroundTheTaps) {
  EXPECT_EQ(Lines(Tile({{"conv.depth_block", 16}}), "reorder"),
            "reorder(conv: n h w.0 ic.0 kh kw ic.1 w.1 o)\n");
  EXPECT_EQ(Lines(Tile({{"conv.depth_block", 32}, {"conv.depth_unroll", 4}}), "reorder"),
            "reorder(conv: n h w.0 ic.0 kh kw ic.1 ic.2 w.1 o)\n");
}

TEST_F(LoopRuleTest, UnrolledBodiesAreBounded) {
  const Wishes all{{"conv.window_unroll", 9}, {"conv.depth_unroll", 9}};
  const Point point = space_->At(Tile(all));
  int64_t body = 2 * 7 * Find(point, "conv.depth_unroll")->value;
  for (int64_t i = 0; i < Find(point, "conv.window_unroll")->value; ++i) body *= 3;
  EXPECT_LE(body, 640);
  EXPECT_GE(body, 100) << "and something is unrolled";
}

TEST_F(LoopRuleTest, ProducersAreInlinedOrComputedAtABlockOrOnTheirOwn) {
  Wishes wishes = Tile({{"conv.row_block", 2}, {"pad.place", 1}});
  EXPECT_EQ(Lines(wishes, "compute_at"), "compute_at(pad, conv.h.0)\n");
  EXPECT_EQ(Lines(wishes, "vectorize(pad"), "vectorize(pad.c)\n");
  wishes["pad.place"] = 0;
  EXPECT_EQ(Lines(wishes, "compute_at"), "");
  EXPECT_EQ(Lines(wishes, "inline"), "");
}

TEST_F(LoopRuleTest, WithoutALoopOverBlocksThereIsNothingToComputeAProducerAt) {
  EXPECT_EQ(Choices("pad.place", {{"conv.row_block", 1}}), (std::vector<int64_t>{0, 2}));
}

TEST_F(LoopRuleTest, ACopyInTheSameLayoutIsInlinedFirst) {
  Use("conv2d:n=1,ic=64,ih=14,iw=14,oc=32,kh=1,kw=1");
  EXPECT_EQ(FirstOf("pad.place"), 2);
}

TEST_F(LoopRuleTest, DepthwiseIsCompletedVectorByVectorFirst) {
  Use("conv2d:n=1,ic=96,ih=14,iw=14,oc=96,kh=3,kw=3,pad=1,groups=96");
  EXPECT_EQ(FirstOf("conv.complete"), 1);
  EXPECT_TRUE(absl::StrContains(Lines({}, "reorder"), " kh kw ic o.1)")) << Lines({}, "reorder");
  EXPECT_TRUE(absl::StrContains(Trace({}), "unroll(conv.kh)"));
}

TEST_F(LoopRuleTest, EveryThreadGetsSomethingToDo) {
  Use("conv2d:n=1,ic=64,ih=14,iw=14,oc=32,kh=3,kw=3,pad=1", "cpu:mcpu=znver4,vec=512,threads=4");
  EXPECT_EQ(Lines(Tile({{"conv.row_block", 2}}), "parallel(conv"), "parallel(conv.h.0)\n");
  EXPECT_EQ(Lines(Tile({{"conv.row_block", 2}, {"pad.place", 0}}), "parallel(pad"),
            "parallel(pad.h)\n");
}

TEST_F(LoopRuleTest, PrefetchingIsForTheFilterInTheInnerReduction) {
  EXPECT_EQ(Lines(Tile({{"conv.prefetch", 16}}), "prefetch"), "prefetch(conv.ic, w, 16)\n");
}

}  // namespace
}  // namespace alt::search
