// The layouts that the rules derive, shown on the texts of candidates.

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "server/search/space/draft.h"
#include "tests/server/search/space_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::search {
namespace {

enum : int64_t { kOverChannels = 0, kOverPositions = 1, kOverGroups = 2 };

class LayoutRuleTest : public ::testing::Test {
 protected:
  LayoutRuleTest() { Use("conv2d:n=1,ic=32,ih=28,iw=28,oc=64,kh=3,kw=3,stride=2,pad=1"); }

  void Use(const std::string& text, SpaceOptions options = {}) {
    space_ = SpaceOf(WorkloadOf(text), Avx512(), std::move(options));
  }
  // Every wish is offered.
  workload::Candidate At(const Wishes& wishes) const {
    const Point point = space_->At(wishes);
    for (const auto& [name, value] : wishes) {
      const Decision* decision = Find(point, name);
      EXPECT_TRUE(decision != nullptr && decision->value == value) << name << " " << value;
    }
    return point.candidate;
  }
  std::vector<int64_t> Choices(const std::string& name, const Wishes& wishes = {}) const {
    const Point point = space_->At(wishes);
    const Decision* decision = Find(point, name);
    return decision == nullptr ? std::vector<int64_t>{} : decision->choices;
  }
  // The line "reorder(stage: ...)".
  static std::string Loops(const workload::Candidate& candidate) {
    const std::string text = schedule::Print(candidate.trace);
    const size_t at = text.find("reorder(");
    return text.substr(at, text.find('\n', at) - at);
  }

  std::unique_ptr<Space> space_;
};

TEST_F(LayoutRuleTest, WithoutBlocksAndTilesChannelsAreInnermost) {
  const workload::Candidate c = At({{"conv.vector_tile", 16}});
  EXPECT_EQ(LayoutText(c, "x"), "reorder(0,2,3,1)");
  EXPECT_EQ(LayoutText(c, "xp"), "reorder(0,2,3,1)");
  EXPECT_EQ(LayoutText(c, "y"), "reorder(0,2,3,1)");
  EXPECT_EQ(LayoutText(c, "w"), "split(0,16) reorder(0,3,4,2,1)");
}

TEST_F(LayoutRuleTest, BlocksOfInputAndOutputAreChosenApart) {
  const workload::Candidate c = At({{"conv.channel_block", 32}, {"conv.input_block", 8}});
  EXPECT_EQ(LayoutText(c, "x"), "split(1,8) reorder(0,1,3,4,2)");
  EXPECT_EQ(LayoutText(c, "xp"), "split(1,8) reorder(0,1,3,4,2)");
  EXPECT_EQ(LayoutText(c, "y"), "split(1,32) reorder(0,1,3,4,2)");
  EXPECT_TRUE(absl::StrContains(Loops(c), " kh kw ic.0 ic.1 ")) << Loops(c);
}

TEST_F(LayoutRuleTest, TilesUnfoldThePaddedInputToMatch) {
  const workload::Candidate c = At({{"conv.channel_block", 16},
                                    {"conv.input_block", 16},
                                    {"conv.tile_h", 2},
                                    {"conv.tile_w", 7}});
  EXPECT_EQ(LayoutText(c, "y"), "split(1,16) split(3,2) split(5,7) reorder(0,3,5,1,4,6,2)");
  // Two rows at stride 2 read five, seven columns fifteen.
  EXPECT_EQ(LayoutText(c, "xp"),
            "split(1,16) unfold(3,5,4) unfold(5,15,14) reorder(0,3,5,1,4,6,2)");
  EXPECT_EQ(LayoutText(c, "x"), "split(1,16) reorder(0,1,3,4,2)") << "inputs are never unfolded";
}

TEST_F(LayoutRuleTest, ATileOfOneAxisIsWholeInTheOther) {
  EXPECT_EQ(LayoutText(At({{"conv.tile_h", 7}}), "y"),
            "split(1,64) split(3,7) split(5,14) reorder(0,3,5,1,4,6,2)");
}

TEST_F(LayoutRuleTest, TheFilterFollowsTheVectorTileAndTheLoops) {
  EXPECT_EQ(LayoutText(At({{"conv.vector_tile", 32}}), "w"), "split(0,32) reorder(0,3,4,2,1)");
  EXPECT_EQ(LayoutText(At({{"conv.vector_tile", 64}}), "w"), "reorder(2,3,1,0)");
  const workload::Candidate c = At({{"conv.depth_outside", 1}, {"conv.vector_tile", 16}});
  EXPECT_EQ(LayoutText(c, "w"), "split(0,16) reorder(0,2,3,4,1)");
  EXPECT_TRUE(absl::StrContains(Loops(c), " ic kh kw ")) << Loops(c);
}

TEST_F(LayoutRuleTest, TapsAreNotInsideBlocksOfInput) {
  EXPECT_EQ(Choices("conv.depth_outside"), (std::vector<int64_t>{0, 1}));
  EXPECT_TRUE(Choices("conv.depth_outside", {{"conv.input_block", 8}}).empty());
}

TEST_F(LayoutRuleTest, TilesAndBlocksDivide) {
  EXPECT_EQ(Choices("conv.tile_h"), (std::vector<int64_t>{0, 2, 7}));
  EXPECT_EQ(Choices("conv.channel_block"), (std::vector<int64_t>{0, 8, 16, 32}));
  EXPECT_EQ(Choices("conv.input_block"), (std::vector<int64_t>{0, 8, 16}));
}

TEST_F(LayoutRuleTest, VectorsAlongAPositionNeedNeighboursInTheData) {
  EXPECT_TRUE(Choices("conv.lanes").empty()) << "stride 2";
  Use("conv2d:n=1,ic=32,ih=28,iw=28,oc=64,kh=3,kw=3,stride=1,pad=1");
  EXPECT_EQ(Choices("conv.lanes"), (std::vector<int64_t>{kOverChannels, kOverPositions}));
  const workload::Candidate c =
      At({{"conv.lanes", kOverPositions}, {"conv.column_tile", 1}, {"conv.row_tile", 4}});
  EXPECT_EQ(LayoutText(c, "x"), "");
  EXPECT_EQ(LayoutText(c, "xp"), "");
  EXPECT_EQ(LayoutText(c, "y"), "");
  EXPECT_EQ(LayoutText(c, "w"), "split(0,4) reorder(0,3,4,2,1)");
  EXPECT_TRUE(absl::StrContains(schedule::Print(c.trace), "vectorize(conv.w")) << Loops(c);
}

TEST_F(LayoutRuleTest, LanesRunOverWhatFillsThem) {
  Use("matmul:m=700,n=35,k=128");
  const workload::Candidate c = space_->At({}).candidate;
  EXPECT_EQ(LayoutText(c, "c"), "reorder(1,0)") << "35 columns leave a quarter of the lanes idle";
  EXPECT_EQ(LayoutText(c, "a"), "reorder(1,0)");
  Use("matmul:m=700,n=35,k=128", Fixed({{"a", ""}}));
  EXPECT_EQ(LayoutText(space_->At({}).candidate, "c"), "") << "rows of a fixed a are no neighbours";
}

TEST_F(LayoutRuleTest, PanelsOfDataAreAsHighAsTheTile) {
  Use("matmul:m=48,n=64,k=100");
  const workload::Candidate c =
      At({{"matmul.vector_tile", 16}, {"matmul.row_tile", 6}, {"matmul.panels", 1}});
  EXPECT_EQ(LayoutText(c, "a"), "split(0,6) reorder(0,2,1)");
  EXPECT_EQ(LayoutText(c, "b"), "split(1,16) reorder(1,0,2)");
  EXPECT_EQ(LayoutText(c, "c"), "");
}

TEST_F(LayoutRuleTest, TilesOfAProductStandTogetherWithTheirRows) {
  Use("matmul:m=48,n=64,k=100");
  const workload::Candidate c = At({{"matmul.channel_block", 32}, {"matmul.tile_m", 8}});
  EXPECT_EQ(LayoutText(c, "c"), "split(0,8) split(2,32) reorder(0,2,1,3)");
  EXPECT_EQ(LayoutText(c, "a"), "split(0,8) split(2,100) reorder(0,2,1,3)");
}

TEST_F(LayoutRuleTest, BatchAndTransposedOperands) {
  Use("matmul:m=48,n=64,k=40,batch=3,trans_a=1,trans_b=1");
  const workload::Candidate c =
      At({{"matmul.vector_tile", 32}, {"matmul.row_tile", 8}, {"matmul.panels", 1}});
  EXPECT_EQ(LayoutText(c, "a"), "split(2,8) reorder(0,2,1,3)");
  EXPECT_EQ(LayoutText(c, "b"), "split(1,32) reorder(0,1,3,2)");
}

// ---- Groups. ------------------------------------------------------------------------------------

TEST_F(LayoutRuleTest, NarrowGroupsPutVectorsOverGroups) {
  Use("conv2d:n=1,ic=128,ih=14,iw=14,oc=128,kh=3,kw=3,pad=1,groups=32");
  const workload::Candidate c = At({{"conv.lanes", kOverGroups}});
  EXPECT_EQ(LayoutText(c, "x"), "split(1,16,4) reorder(0,1,4,5,3,2)");
  EXPECT_EQ(LayoutText(c, "y"), "split(1,16,4) reorder(0,1,4,5,3,2)");
  EXPECT_EQ(LayoutText(c, "w"), "split(0,16,4) reorder(0,4,5,3,2,1)");
  const std::string text = schedule::Print(c.trace);
  EXPECT_TRUE(absl::StrContains(text, "vectorize(conv.o.1)")) << text;
  EXPECT_TRUE(absl::StrContains(text, "unroll(conv.o.2)")) << text;
  EXPECT_EQ(LayoutText(space_->At({}).candidate, "y"), LayoutText(c, "y")) << "the first choice";
}

TEST_F(LayoutRuleTest, WideGroupsDoNot) {
  Use("conv2d:n=1,ic=256,ih=14,iw=14,oc=256,kh=3,kw=3,pad=1,groups=2");
  EXPECT_EQ(Choices("conv.lanes"), (std::vector<int64_t>{kOverChannels, kOverPositions}));
}

TEST_F(LayoutRuleTest, VectorsStayWithinAGroup) {
  Use("conv2d:n=1,ic=240,ih=28,iw=28,oc=60,kh=1,kw=1,groups=3");
  for (const int64_t tile : Choices("conv.vector_tile", {{"conv.lanes", kOverChannels}})) {
    EXPECT_EQ(20 % tile, 0);
  }
  EXPECT_EQ(LayoutText(At({{"conv.lanes", kOverChannels}, {"conv.vector_tile", 20}}), "w"),
            "split(0,20) reorder(0,3,4,2,1)");
}

TEST_F(LayoutRuleTest, BlocksHoldWholeGroupsOrArePartOfOne) {
  Use("conv2d:n=1,ic=48,ih=14,iw=14,oc=96,kh=3,kw=3,pad=1,groups=4");
  const Wishes channels{{"conv.lanes", kOverChannels}};
  EXPECT_EQ(Choices("conv.channel_block", channels), (std::vector<int64_t>{0, 8, 48}));  // of 24
  EXPECT_TRUE(Choices("conv.input_block", channels).empty());                            // of 12
}

// ---- --fix. -------------------------------------------------------------------------------------

constexpr char kText[] = "conv2d:n=1,ic=32,ih=28,iw=28,oc=64,kh=3,kw=3,stride=1,pad=1";

TEST_F(LayoutRuleTest, WithoutAConversionAFixedOutputHasVectorsAlongItsInnermostAxis) {
  Use(kText, Fixed({{"y", ""}}));
  const Wishes direct{{"y.convert", 0}};
  EXPECT_TRUE(Choices("conv.lanes", direct).empty());
  EXPECT_TRUE(Choices("conv.tile_h", direct).empty());
  EXPECT_TRUE(absl::StrContains(schedule::Print(At(direct).trace), "vectorize(conv.w"));
  Use(kText, Fixed({{"y", "split(1,16) reorder(0,1,3,4,2)"}}));
  EXPECT_TRUE(
      absl::StrContains(schedule::Print(space_->At({}).candidate.trace), "vectorize(conv.o.1"));
}

TEST_F(LayoutRuleTest, AConversionBehindAFixedOutputLeavesTheKernelItsOwn) {
  Use(kText, Fixed({{"x", ""}, {"y", ""}}));
  const workload::Candidate c = space_->At({}).candidate;
  EXPECT_EQ(workload::Print(c.algorithm), "convert(y)") << "the first choice";
  EXPECT_EQ(LayoutText(c, "y_c"), "reorder(0,2,3,1)");
  EXPECT_EQ(LayoutText(c, "y"), "");
  const std::string text = schedule::Print(c.trace);
  EXPECT_TRUE(absl::StrContains(text, "compute_at(conv, convert_y.")) << text;
  EXPECT_TRUE(absl::StrContains(text, "transpose(pad.c, pad.w)")) << text;
  EXPECT_TRUE(absl::StrContains(text, "vectorize(conv.o")) << text;
  EXPECT_TRUE(absl::StrContains(text, "transpose(convert_y.o.1, convert_y.w.1)")) << text;
}

TEST_F(LayoutRuleTest, WhereChannelsAreInnermostAnywayNothingIsConvertedFirst) {
  Use(kText, Fixed({{"y", "reorder(0,2,3,1)"}}));
  EXPECT_EQ(workload::Print(space_->At({}).candidate.algorithm), "direct");
  EXPECT_EQ(workload::Print(At({{"y.convert", 1}}).algorithm), "convert(y)");
}

TEST_F(LayoutRuleTest, AFixedMatrixMayBePackedOnTheWay) {
  Use("matmul:m=48,n=64,k=100", Fixed({{"a", ""}}));
  const workload::Candidate c = At({{"a.convert", 1}});
  EXPECT_EQ(workload::Print(c.algorithm), "convert(a)");
  EXPECT_EQ(LayoutText(c, "a"), "");
}

TEST_F(LayoutRuleTest, AFixedInputLeavesTheOutputFree) {
  Use(kText, Fixed({{"x", ""}}));
  const workload::Candidate c = At({{"conv.channel_block", 16}});
  EXPECT_EQ(LayoutText(c, "x"), "");
  EXPECT_EQ(LayoutText(c, "xp"), "reorder(0,2,3,1)") << "padding converts";
  EXPECT_EQ(LayoutText(c, "y"), "split(1,16) reorder(0,1,3,4,2)");
}

TEST_F(LayoutRuleTest, FixedFiltersAreLeftAlone) {
  Use(kText, Fixed({{"w", "reorder(2,3,1,0)"}}));
  EXPECT_EQ(LayoutText(space_->At({}).candidate, "w"), "reorder(2,3,1,0)");
}

}  // namespace
}  // namespace alt::search
