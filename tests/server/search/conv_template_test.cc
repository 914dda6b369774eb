#include "server/search/space/conv_template.h"

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "server/search/space/main_loops.h"
#include "tests/server/search/space_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::search {
namespace {

using Values = std::map<std::string, int64_t>;

enum : int64_t { kOverChannels = 0, kOverWidth = 1, kOverGroups = 2 };

class ConvTemplateTest : public ::testing::Test {
 protected:
  explicit ConvTemplateTest(
      const std::string& text = "conv2d:n=1,ic=32,ih=28,iw=28,oc=64,kh=3,kw=3,stride=2,pad=1")
      : workload_(WorkloadOf(text)), space_(SpaceOf(workload_, Avx512())) {}

  void Use(const std::string& text, SpaceOptions options = {}) {
    workload_ = WorkloadOf(text);
    space_ = SpaceOf(workload_, Avx512(), std::move(options));
  }

  // A small register tile that always builds, with these values.
  Point At(const Values& values) const {
    Point point = space_->knobs().Origin();
    Values all{{"producer", kInlined}, {"vector_tile", 16}};
    for (const auto& [name, value] : values) all[name] = value;
    for (const auto& [name, value] : all) space_->knobs().Set(point, name, value);
    for (const auto& [name, value] : values) {
      EXPECT_EQ(space_->knobs().Value(point, name), value) << name << " is not offered";
    }
    return point;
  }

  workload::Candidate Build(const Values& values) const {
    auto candidate = space_->Build(At(values));
    EXPECT_TRUE(testing::IsOk(candidate));
    return candidate.ok() ? *std::move(candidate) : workload::Candidate{};
  }

  std::vector<int64_t> Choices(const std::string& knob) const {
    return space_->knobs().all()[space_->knobs().IndexOf(knob)].choices;
  }

  static std::string Trace(const workload::Candidate& candidate) {
    return schedule::Print(candidate.trace);
  }

  // The line "reorder(conv: ...)".
  static std::string Loops(const workload::Candidate& candidate) {
    const std::string text = Trace(candidate);
    const size_t at = text.find("reorder(conv: ");
    return text.substr(at, text.find('\n', at) - at);
  }

  workload::Workload workload_;
  std::unique_ptr<Space> space_;
};

TEST_F(ConvTemplateTest, LayoutFactorsAreLayoutKnobsAndTheRestIsLoops) {
  for (const Knob& knob : space_->knobs().all()) {
    const bool layout = knob.name == "vectors" || knob.name == "channel_block" ||
                        knob.name == "input_block" || knob.name == "tile_h" ||
                        knob.name == "tile_w" || knob.name == "taps_outside";
    EXPECT_EQ(knob.layout, layout) << knob.name;
  }
}

TEST_F(ConvTemplateTest, WithoutBlocksAndTilesItIsNhwc) {
  const workload::Candidate c = Build({});
  EXPECT_EQ(LayoutText(c, "x"), "reorder(0,2,3,1)");
  EXPECT_EQ(LayoutText(c, "xp"), "reorder(0,2,3,1)");
  EXPECT_EQ(LayoutText(c, "y"), "reorder(0,2,3,1)");
  EXPECT_EQ(LayoutText(c, "w"), "split(0,16) reorder(0,3,4,2,1)");
  EXPECT_EQ(Loops(c), "reorder(conv: n o.0 h w kh kw ic o.1)");
}

TEST_F(ConvTemplateTest, BlocksOfChannelsMakeNchw16c) {
  const workload::Candidate c = Build({{"channel_block", 16}, {"input_block", 16}});
  EXPECT_EQ(LayoutText(c, "x"), "split(1,16) reorder(0,1,3,4,2)");
  EXPECT_EQ(LayoutText(c, "y"), "split(1,16) reorder(0,1,3,4,2)");
  EXPECT_EQ(LayoutText(c, "w"), "split(0,16) reorder(0,3,4,2,1)");
  EXPECT_EQ(Loops(c), "reorder(conv: n o.0 h w kh kw ic.0 ic.1 o.1)");
}

TEST_F(ConvTemplateTest, BlocksOfInputAndOutputAreChosenApart) {
  const workload::Candidate c = Build({{"channel_block", 32}, {"input_block", 8}});
  EXPECT_EQ(LayoutText(c, "x"), "split(1,8) reorder(0,1,3,4,2)");
  EXPECT_EQ(LayoutText(c, "y"), "split(1,32) reorder(0,1,3,4,2)");
}

TEST_F(ConvTemplateTest, TilesUnfoldThePaddedInputToMatch) {
  const workload::Candidate c =
      Build({{"channel_block", 16}, {"input_block", 16}, {"tile_h", 2}, {"tile_w", 7}});
  EXPECT_EQ(LayoutText(c, "y"), "split(1,16) split(3,2) split(5,7) reorder(0,3,5,1,4,6,2)");
  // Two rows at stride 2 read five, seven columns fifteen.
  EXPECT_EQ(LayoutText(c, "xp"),
            "split(1,16) unfold(3,5,4) unfold(5,15,14) reorder(0,3,5,1,4,6,2)");
  EXPECT_EQ(LayoutText(c, "x"), "split(1,16) reorder(0,1,3,4,2)") << "inputs are never unfolded";
  EXPECT_EQ(Loops(c), "reorder(conv: n h.0 w.0 o.0 h.1 w.1 kh kw ic.0 ic.1 o.1)");
}

TEST_F(ConvTemplateTest, ATileOfOneAxisIsWholeInTheOther) {
  const workload::Candidate c = Build({{"tile_h", 7}});
  EXPECT_EQ(LayoutText(c, "y"), "split(1,64) split(3,7) split(5,14) reorder(0,3,5,1,4,6,2)");
}

TEST_F(ConvTemplateTest, WeightsFollowTheVectorTile) {
  EXPECT_EQ(LayoutText(Build({{"vector_tile", 32}}), "w"), "split(0,32) reorder(0,3,4,2,1)");
  EXPECT_EQ(LayoutText(Build({{"vector_tile", 32}, {"channel_block", 8}}), "w"),
            "split(0,8) reorder(0,3,4,2,1)");
}

TEST_F(ConvTemplateTest, TapsInsideTheDepthChangeWeightsAndLoops) {
  const workload::Candidate c = Build({{"taps_outside", 0}});
  EXPECT_EQ(LayoutText(c, "w"), "split(0,16) reorder(0,2,3,4,1)");
  EXPECT_EQ(Loops(c), "reorder(conv: n o.0 h w ic kh kw o.1)");
}

TEST_F(ConvTemplateTest, TapsInsideTheDepthExcludeBlocksOfInput) {
  EXPECT_TRUE(testing::StatusIs(space_->Build(At({{"taps_outside", 0}, {"input_block", 8}})),
                                absl::StatusCode::kFailedPrecondition, "taps outside"));
}

TEST_F(ConvTemplateTest, VectorsAlongTheWidthKeepPlainLayouts) {
  const workload::Candidate c = Build({{"vectors", kOverWidth}, {"row_tile", 4}});
  EXPECT_EQ(LayoutText(c, "x"), "");
  EXPECT_EQ(LayoutText(c, "xp"), "");
  EXPECT_EQ(LayoutText(c, "y"), "");
  EXPECT_EQ(Loops(c), "reorder(conv: n o.0 h kh kw ic o.1 w)");
  EXPECT_TRUE(absl::StrContains(Trace(c), "vectorize(conv.w)")) << Trace(c);
}

TEST_F(ConvTemplateTest, ThereVectorsIgnoreBlocksAndTiles) {
  const Values along{{"vectors", kOverWidth}};
  Values more = along;
  for (const char* name : {"channel_block", "input_block"}) more[name] = 16;
  more["tile_h"] = 7;
  EXPECT_EQ(Build(along), Build(more));
}

TEST_F(ConvTemplateTest, PaddingInAChannelBlockedInputIsVectorizedOverTheBlock) {
  const std::string text = Trace(Build({{"input_block", 16}, {"producer", kAtRoot}}));
  EXPECT_TRUE(absl::StrContains(text, "vectorize(pad.c.1)")) << text;
}

TEST_F(ConvTemplateTest, TilesAreThoseThatDivideTheOutput) {
  EXPECT_EQ(Choices("tile_h"), (std::vector<int64_t>{0, 2, 7}));
  EXPECT_EQ(Choices("tile_w"), (std::vector<int64_t>{0, 7}));
  EXPECT_EQ(Choices("channel_block"), (std::vector<int64_t>{0, 8, 16, 32}));
  EXPECT_EQ(Choices("input_block"), (std::vector<int64_t>{0, 8, 16}));
}

TEST_F(ConvTemplateTest, SeedsAreTheWellKnownLayoutsWithNhwcFirst) {
  std::vector<std::string> outputs;
  for (const Point& seed : space_->Seeds()) {
    ALT_ASSERT_OK_AND_ASSIGN(workload::Candidate c, space_->Build(seed));
    outputs.push_back(LayoutText(c, "y"));
  }
  ASSERT_FALSE(outputs.empty());
  EXPECT_EQ(outputs.front(), "reorder(0,2,3,1)");
  for (const char* known : {"split(1,16) reorder(0,1,3,4,2)", ""}) {
    EXPECT_NE(std::find(outputs.begin(), outputs.end(), known), outputs.end()) << known;
  }
}

TEST_F(ConvTemplateTest, WhereAllRowsAreOneBlockTheFirstSeedPadsAtTheRoot) {
  Use("conv2d:n=1,ic=512,ih=7,iw=7,oc=512,kh=3,kw=3,stride=1,pad=1");
  ALT_ASSERT_OK_AND_ASSIGN(workload::Candidate c, space_->Build(space_->Seeds().front()));
  EXPECT_EQ(LayoutText(c, "y"), "reorder(0,2,3,1)");
  EXPECT_FALSE(absl::StrContains(Trace(c), "compute_at")) << Trace(c);
}

// ---- Groups. ------------------------------------------------------------------------------------

TEST_F(ConvTemplateTest, NarrowGroupsPutVectorsOverGroups) {
  Use("conv2d:n=1,ic=128,ih=14,iw=14,oc=128,kh=3,kw=3,pad=1,groups=32");
  const workload::Candidate c = Build({{"vectors", kOverGroups}, {"column_tile", 2}});
  EXPECT_EQ(LayoutText(c, "x"), "split(1,4) split(1,16) reorder(0,1,4,5,3,2)");
  EXPECT_EQ(LayoutText(c, "y"), "split(1,4) split(1,16) reorder(0,1,4,5,3,2)");
  EXPECT_EQ(LayoutText(c, "w"), "split(0,4) split(0,16) reorder(0,4,5,3,2,1)");
  EXPECT_TRUE(absl::StrContains(Trace(c), "vectorize(conv.o.0.1)")) << Trace(c);
  EXPECT_TRUE(absl::StrContains(Trace(c), "unroll(conv.o.1)")) << Trace(c);
}

TEST_F(ConvTemplateTest, WideGroupsDoNot) {
  Use("conv2d:n=1,ic=256,ih=14,iw=14,oc=256,kh=3,kw=3,pad=1,groups=2");
  EXPECT_EQ(Choices("vectors"), (std::vector<int64_t>{kOverChannels, kOverWidth}));
}

TEST_F(ConvTemplateTest, VectorsStayWithinAGroup) {
  Use("conv2d:n=1,ic=240,ih=28,iw=28,oc=60,kh=1,kw=1,groups=3");
  EXPECT_TRUE(testing::StatusIs(space_->Build(At({{"vector_tile", 16}})),
                                absl::StatusCode::kFailedPrecondition,
                                "vectors of 16 channels cross groups of 20"));
  EXPECT_EQ(LayoutText(Build({{"vector_tile", 20}}), "w"), "split(0,20) reorder(0,3,4,2,1)");
  EXPECT_EQ(LayoutText(Build({{"vector_tile", 10}}), "y"), "reorder(0,2,3,1)");
}

TEST_F(ConvTemplateTest, BlocksHoldWholeGroupsOrArePartOfOne) {
  Use("conv2d:n=1,ic=48,ih=14,iw=14,oc=96,kh=3,kw=3,pad=1,groups=4");
  EXPECT_EQ(Choices("channel_block"), (std::vector<int64_t>{0, 8, 48}));  // groups of 24
  EXPECT_EQ(Choices("input_block"), (std::vector<int64_t>{0}));           // of 12
}

TEST_F(ConvTemplateTest, DepthwiseVectorsCrossGroupsAndMayCompleteEachOutput) {
  Use("conv2d:n=1,ic=96,ih=14,iw=14,oc=96,kh=3,kw=3,pad=1,groups=96");
  const workload::Candidate c = Build({{"vector_tile", 32}, {"complete", 1}, {"column_tile", 7}});
  EXPECT_EQ(LayoutText(c, "w"), "split(0,32) reorder(0,3,4,2,1)");
  EXPECT_EQ(Loops(c), "reorder(conv: n o.0 h w.0 w.1 kh kw ic o.1)");
  ALT_ASSERT_OK_AND_ASSIGN(workload::Candidate seed, space_->Build(space_->Seeds().front()));
  EXPECT_TRUE(absl::StrContains(Trace(seed), "unroll(conv.kh)")) << Trace(seed);
}

TEST_F(ConvTemplateTest, APaddedBlockOfADepthwiseInputIsSplitAsSmallAsItsVectors) {
  Use("conv2d:n=1,ic=576,ih=14,iw=14,oc=576,kh=3,kw=3,pad=1,groups=576");
  const std::string text =
      Trace(Build({{"channel_block", 16}, {"tile_h", 2}, {"tile_w", 7}, {"producer", kAtBlock}}));
  EXPECT_TRUE(absl::StrContains(text, "compute_at(pad, conv.o.0)\nsplit(pad.c.1, 16)\n")) << text;
}

// ---- --fix. -------------------------------------------------------------------------------------

constexpr char kText[] = "conv2d:n=1,ic=32,ih=28,iw=28,oc=64,kh=3,kw=3,stride=2,pad=1";

TEST_F(ConvTemplateTest, APlainOutputHasVectorsAlongTheWidth) {
  Use(kText, Fixed({{"y", ""}}));
  EXPECT_EQ(Choices("vectors"), (std::vector<int64_t>{kOverWidth}));
  EXPECT_EQ(Choices("tile_h"), (std::vector<int64_t>{0}));
  EXPECT_EQ(Loops(Build({{"vector_tile", 14}})), "reorder(conv: n o h kh kw ic w)");
}

TEST_F(ConvTemplateTest, AFixedBlockedOutputHasVectorsInTheBlock) {
  Use(kText, Fixed({{"y", "split(1,16) reorder(0,1,3,4,2)"}}));
  EXPECT_EQ(Choices("vectors"), (std::vector<int64_t>{kOverChannels}));
  const workload::Candidate c = Build({{"vector_tile", 16}, {"column_tile", 7}});
  EXPECT_EQ(Loops(c), "reorder(conv: n o.0 h w.0 kh kw ic w.1 o.1)");
  EXPECT_EQ(LayoutText(c, "w"), "split(0,16) reorder(0,3,4,2,1)");
}

TEST_F(ConvTemplateTest, AFixedInputLeavesTheOutputFree) {
  Use(kText, Fixed({{"x", ""}}));
  const workload::Candidate c = Build({{"channel_block", 16}});
  EXPECT_EQ(LayoutText(c, "x"), "");
  EXPECT_EQ(LayoutText(c, "xp"), "reorder(0,2,3,1)") << "padding converts";
  EXPECT_EQ(LayoutText(c, "y"), "split(1,16) reorder(0,1,3,4,2)");
}

TEST_F(ConvTemplateTest, FixedWeightsAreLeftAlone) {
  Use(kText, Fixed({{"w", "reorder(2,3,1,0)"}}));
  EXPECT_EQ(LayoutText(Build({}), "w"), "reorder(2,3,1,0)");
}

}  // namespace
}  // namespace alt::search
