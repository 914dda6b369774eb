#include "server/search/space/main_loops.h"

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "tests/server/search/space_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::search {
namespace {

// A convolution of 14x14 outputs, 64 channels to 32: NHWC.
class MainLoopsTest : public ::testing::Test {
 protected:
  MainLoopsTest() {
    parts_.stage = "conv";
    parts_.batch = {{"n", 1}};
    parts_.row = {"h", 14};
    parts_.column = {"w", 14};
    parts_.vector = {"o", 32};
    parts_.windows = {{"kh", 3}, {"kw", 3}};
    parts_.depth = {"ic", 64};
    parts_.producer = "pad";
    parts_.streamed = "w";
  }

  absl::StatusOr<schedule::Trace> Build(const std::map<std::string, int64_t>& values) const {
    Knobs knobs;
    AddLoopKnobs(parts_, target_, knobs);
    Point point = knobs.Origin();
    for (const auto& [name, value] : values) {
      knobs.Set(point, name, value);
      EXPECT_EQ(knobs.Value(point, name), value) << name << " is not offered";
    }
    return BuildLoops(parts_, knobs, point, target_, producer_axes_);
  }

  std::string Print(const std::map<std::string, int64_t>& values) const {
    const auto trace = Build(values);
    return trace.ok() ? schedule::Print(*trace) : trace.status().ToString();
  }

  // The line of the trace that begins so.
  std::string Line(const std::map<std::string, int64_t>& values, const std::string& begin) const {
    const std::string text = Print(values);
    const size_t at = ("\n" + text).find("\n" + begin);
    if (at == std::string::npos) return "";
    return text.substr(at, text.find('\n', at) - at);
  }

  std::vector<int64_t> Choices(const std::string& knob) const {
    Knobs knobs;
    AddLoopKnobs(parts_, target_, knobs);
    return knobs.all()[knobs.IndexOf(knob)].choices;
  }

  Parts parts_;
  std::vector<ProducerAxis> producer_axes_{{"h", 16, 1}, {"c", 64, 64}};
  target::Target target_ = Avx512();
};

using Values = std::map<std::string, int64_t>;

// A register tile of 1 x 7 x two vectors.
Values Tile(Values more = {}) {
  Values values{{"vector_tile", 32}, {"row_tile", 1}, {"column_tile", 7}, {"producer", kInlined}};
  for (const auto& [name, value] : more) values[name] = value;
  return values;
}

TEST_F(MainLoopsTest, ARegisterTileStandsInsideTheReductionAndIsUnrolled) {
  EXPECT_EQ(Print(Tile()),
            "inline(pad)\n"
            "split(conv.w, 7)\n"
            "reorder(conv: n h w.0 kh kw ic w.1 o)\n"
            "unroll(conv.w.1)\n"
            "vectorize(conv.o)\n");
}

TEST_F(MainLoopsTest, BlocksOfRowsSplitTheRowTwice) {
  EXPECT_EQ(Print(Tile({{"row_tile", 2}, {"row_block", 2}, {"vector_tile", 16}})),
            "inline(pad)\n"
            "split(conv.h, 2, 2)\n"
            "split(conv.w, 7)\n"
            "split(conv.o, 16)\n"
            "reorder(conv: n h.0 o.0 h.1 w.0 kh kw ic w.1 h.2 o.1)\n"
            "unroll(conv.w.1)\n"
            "unroll(conv.h.2)\n"
            "vectorize(conv.o.1)\n");
}

TEST_F(MainLoopsTest, EachOrderPutsTheOuterLoopsDifferently) {
  const Values tile = Tile({{"row_tile", 2}, {"row_block", 2}, {"vector_tile", 16}});
  const std::string inner = " kh kw ic w.1 h.2 o.1)";
  const std::vector<std::string> outer{"n h.0 o.0 h.1 w.0", "n h.0 h.1 o.0 w.0",
                                       "n o.0 h.0 h.1 w.0", "n h.0 h.1 w.0 o.0",
                                       "n h.0 w.0 o.0 h.1"};
  EXPECT_EQ(Choices("order").size(), outer.size());
  for (size_t order = 0; order < outer.size(); ++order) {
    Values values = tile;
    values["order"] = static_cast<int64_t>(order);
    EXPECT_EQ(Line(values, "reorder"), "reorder(conv: " + outer[order] + inner);
  }
}

TEST_F(MainLoopsTest, BatchAxesStandOutermostInTheirOrder) {
  parts_.batch = {{"n", 2}, {"h.0", 2}, {"w.0", 2}};
  parts_.row = {"h.1", 7}, parts_.column = {"w.1", 7};
  EXPECT_EQ(Line(Tile(), "reorder"), "reorder(conv: n h.0 w.0 h.1 kh kw ic w.1 o)");
}

TEST_F(MainLoopsTest, ATileOfTheWholeAxisNeedsNoSplit) {
  const std::string text = Print(Tile({{"column_tile", 14}, {"vector_tile", 16}}));
  EXPECT_FALSE(absl::StrContains(text, "split(conv.w")) << text;
  EXPECT_TRUE(absl::StrContains(text, "unroll(conv.w)")) << text;
}

TEST_F(MainLoopsTest, TilesLargerThanTheAxisAreCutToIt) {
  parts_.column = {"w", 5};
  Knobs knobs;
  AddLoopKnobs(parts_, target_, knobs);
  Point point = knobs.Origin();
  knobs.Set(point, "column_tile", 5);
  knobs.Set(point, "row_block", 14);
  parts_.column = {"w", 3};  // as a layout factor may leave it
  ALT_ASSERT_OK_AND_ASSIGN(schedule::Trace trace,
                           BuildLoops(parts_, knobs, point, target_, producer_axes_));
  EXPECT_FALSE(absl::StrContains(schedule::Print(trace), "split(conv.w"));
}

TEST_F(MainLoopsTest, SmallAxesAreWholeInTheRegisterTile) {
  parts_.unrolled = {{"g", 4}};
  EXPECT_EQ(Print(Tile({{"column_tile", 2}})),
            "inline(pad)\n"
            "split(conv.w, 2)\n"
            "reorder(conv: n h w.0 kh kw ic w.1 g o)\n"
            "unroll(conv.w.1)\n"
            "unroll(conv.g)\n"
            "vectorize(conv.o)\n");
}

TEST_F(MainLoopsTest, AStageWithoutColumnsOrRowsHasNoLoopsForThem) {
  parts_.column = {};
  parts_.row = {};
  parts_.windows = {};
  EXPECT_EQ(Print({{"vector_tile", 16}, {"producer", kInlined}}),
            "inline(pad)\n"
            "split(conv.o, 16)\n"
            "reorder(conv: n o.0 ic o.1)\n"
            "vectorize(conv.o.1)\n");
}

// ---- Reductions. --------------------------------------------------------------------------------

TEST_F(MainLoopsTest, BlocksOfTheDepthStandOutsideTheWindow) {
  EXPECT_EQ(Line(Tile({{"depth_block", 16}}), "split(conv.ic"), "split(conv.ic, 16)");
  EXPECT_EQ(Line(Tile({{"depth_block", 16}}), "reorder"),
            "reorder(conv: n h w.0 ic.0 kh kw ic.1 w.1 o)");
}

TEST_F(MainLoopsTest, TheDepthIsUnrolledByParts) {
  const Values values = Tile({{"depth_unroll", 4}});
  EXPECT_EQ(Line(values, "split(conv.ic"), "split(conv.ic, 4)");
  EXPECT_EQ(Line(values, "reorder"), "reorder(conv: n h w.0 kh kw ic.0 ic.1 w.1 o)");
  EXPECT_EQ(Line(values, "unroll(conv.ic"), "unroll(conv.ic.1)");
}

TEST_F(MainLoopsTest, BlocksOfTheDepthAreUnrolledByPartsToo) {
  const Values values = Tile({{"depth_block", 32}, {"depth_unroll", 4}});
  EXPECT_EQ(Line(values, "split(conv.ic"), "split(conv.ic, 8, 4)");
  EXPECT_EQ(Line(values, "reorder"), "reorder(conv: n h w.0 ic.0 kh kw ic.1 ic.2 w.1 o)");
  EXPECT_EQ(Line(values, "unroll(conv.ic"), "unroll(conv.ic.2)");
}

TEST_F(MainLoopsTest, TheDepthFollowsTheBlocksOfTheLayout) {
  parts_.depth_split = 16;
  EXPECT_EQ(Line(Tile(), "split(conv.ic"), "split(conv.ic, 16)");
  EXPECT_EQ(Line(Tile(), "reorder"), "reorder(conv: n h w.0 kh kw ic.0 ic.1 w.1 o)");
  const Values outside = Tile({{"depth_block", 32}, {"depth_unroll", 8}});
  EXPECT_EQ(Line(outside, "split(conv.ic"), "split(conv.ic, 2, 8)");
  EXPECT_EQ(Line(outside, "reorder"), "reorder(conv: n h w.0 ic.0 kh kw ic.1 ic.2 w.1 o)");
}

TEST_F(MainLoopsTest, WindowsUnrollFromTheInnermostOn) {
  EXPECT_FALSE(absl::StrContains(Print(Tile()), "unroll(conv.k"));
  const std::string one = Print(Tile({{"window_unroll", 1}}));
  EXPECT_TRUE(absl::StrContains(one, "unroll(conv.kw)")) << one;
  EXPECT_FALSE(absl::StrContains(one, "unroll(conv.kh)")) << one;
  const std::string two = Print(Tile({{"window_unroll", 2}}));
  EXPECT_TRUE(absl::StrContains(two, "unroll(conv.kh)\nunroll(conv.kw)")) << two;
}

TEST_F(MainLoopsTest, LongWindowsAreNotUnrolled) {
  parts_.windows = {{"kh", 3}, {"kw", 16}};
  const std::string text = Print(Tile({{"window_unroll", 2}}));
  EXPECT_TRUE(absl::StrContains(text, "unroll(conv.kh)")) << text;
  EXPECT_FALSE(absl::StrContains(text, "unroll(conv.kw)")) << text;
}

TEST_F(MainLoopsTest, PrefetchingHintsAheadOfTheInnerDepthLoop) {
  EXPECT_EQ(Line(Tile({{"prefetch", 16}}), "prefetch"), "prefetch(conv.ic, w, 16)");
  EXPECT_EQ(Line(Tile({{"prefetch", 8}, {"depth_unroll", 4}}), "prefetch"),
            "prefetch(conv.ic.0, w, 8)");
  EXPECT_EQ(Line(Tile(), "prefetch"), "");
}

// ---- Completing one output after the other. -----------------------------------------------------

class CompleteTest : public MainLoopsTest {
 protected:
  CompleteTest() { parts_.depth = {"ic", 1}; }  // depthwise
};

TEST_F(CompleteTest, TheReductionStandsInsideTheTileAndIsUnrolledWhole) {
  EXPECT_EQ(Print(Tile({{"complete", 1}, {"row_tile", 2}, {"vector_tile", 16}})),
            "inline(pad)\n"
            "split(conv.h, 2)\n"
            "split(conv.w, 7)\n"
            "split(conv.o, 16)\n"
            "reorder(conv: n o.0 h.0 w.0 w.1 h.1 kh kw ic o.1)\n"
            "unroll(conv.w.1)\n"
            "unroll(conv.h.1)\n"
            "unroll(conv.kh)\n"
            "unroll(conv.kw)\n"
            "vectorize(conv.o.1)\n");
}

TEST_F(CompleteTest, ItHasNoDepthBlocksAndNoPrefetches) {
  parts_.depth = {"ic", 4};
  const std::string text =
      Print(Tile({{"complete", 1}, {"depth_unroll", 2}, {"prefetch", 8}, {"vector_tile", 16}}));
  EXPECT_FALSE(absl::StrContains(text, "split(conv.ic")) << text;
  EXPECT_FALSE(absl::StrContains(text, "prefetch")) << text;
  EXPECT_TRUE(absl::StrContains(text, "unroll(conv.ic)")) << text;
}

TEST_F(CompleteTest, ItNeedsRegistersForOneOutputOnly) {
  ALT_EXPECT_OK(Build(Tile({{"complete", 1}, {"row_tile", 2}, {"column_tile", 14}})));
  EXPECT_TRUE(testing::StatusIs(Build(Tile({{"row_tile", 2}, {"column_tile", 14}})),
                                absl::StatusCode::kFailedPrecondition, "vector registers of 32"));
}

TEST_F(CompleteTest, TooMuchCodeIsRefused) {
  EXPECT_TRUE(
      testing::StatusIs(Build(Tile({{"complete", 1}, {"row_tile", 4}, {"column_tile", 14}})),
                        absl::StatusCode::kFailedPrecondition, "too large"));
}

TEST_F(CompleteTest, ItIsOfferedForShortReductionsOnly) {
  EXPECT_EQ(Choices("complete"), (std::vector<int64_t>{0, 1}));
  parts_.depth = {"ic", 64};
  EXPECT_EQ(Choices("complete"), (std::vector<int64_t>{0}));
}

// ---- The producer. ------------------------------------------------------------------------------

TEST_F(MainLoopsTest, AnInlinedProducerComesFirst) {
  EXPECT_TRUE(absl::StartsWith(Print(Tile()), "inline(pad)\n"));
}

TEST_F(MainLoopsTest, AProducerAtTheRootIsVectorized) {
  const std::string text = Print(Tile({{"producer", kAtRoot}}));
  EXPECT_FALSE(absl::StrContains(text, "inline")) << text;
  EXPECT_FALSE(absl::StrContains(text, "compute_at")) << text;
  EXPECT_TRUE(absl::StrContains(text, "vectorize(pad.c)\n")) << text;
}

TEST_F(MainLoopsTest, AProducerAtTheBlockStandsInTheBlocksOfRows) {
  const std::string text = Print(Tile({{"producer", kAtBlock}, {"row_block", 2}}));
  EXPECT_TRUE(absl::StrContains(text, "o)\ncompute_at(pad, conv.h.0)\nvectorize(pad.c)\n")) << text;
}

TEST_F(MainLoopsTest, WithoutBlocksOfRowsItStandsInTheInnermostBatchLoopThatIterates) {
  parts_.batch = {{"n", 2}, {"h.0", 2}, {"o.0", 1}};
  EXPECT_EQ(Line(Tile({{"producer", kAtBlock}}), "compute_at"), "compute_at(pad, conv.h.0)");
}

TEST_F(MainLoopsTest, WhereNoBlockIteratesItHasNoPlaceThere) {
  EXPECT_TRUE(testing::StatusIs(Build(Tile({{"producer", kAtBlock}})),
                                absl::StatusCode::kFailedPrecondition, "no block"));
}

TEST_F(MainLoopsTest, LongRowsOfTheProducerRunAsALoopOfVectors) {
  producer_axes_ = {{"h", 16, 1}, {"c", 256, 256}};
  const std::string text = Print(Tile({{"producer", kAtRoot}}));
  EXPECT_TRUE(absl::StrContains(text, "split(pad.c, 64)\nvectorize(pad.c.1)\n")) << text;
}

TEST_F(MainLoopsTest, InABlockTheyAreSplitNoFurtherThanWhatIsReadThere) {
  producer_axes_ = {{"h", 16, 1}, {"c", 256, 16}};
  const Values values{{"producer", kAtBlock}, {"row_block", 2}};
  EXPECT_EQ(Line(Tile(values), "split(pad"), "split(pad.c, 16)");
  EXPECT_EQ(Line(Tile({{"producer", kAtRoot}}), "split(pad"), "split(pad.c, 64)");
}

TEST_F(MainLoopsTest, AStageWithoutProducerOffersNoPlaces) {
  parts_.producer = "";
  EXPECT_EQ(Choices("producer"), (std::vector<int64_t>{kAtRoot}));
  EXPECT_EQ(Print({{"vector_tile", 32}, {"column_tile", 7}}),
            "split(conv.w, 7)\n"
            "reorder(conv: n h w.0 kh kw ic w.1 o)\n"
            "unroll(conv.w.1)\n"
            "vectorize(conv.o)\n");
}

// ---- Registers. ---------------------------------------------------------------------------------

TEST_F(MainLoopsTest, SumsInputAndWeightsMustFitTheRegisters) {
  // 14 x 2 sums, 2 weights and an input are 31.
  ALT_EXPECT_OK(Build(Tile({{"column_tile", 14}})));
  EXPECT_TRUE(testing::StatusIs(Build(Tile({{"column_tile", 8}, {"row_tile", 2}})),
                                absl::StatusCode::kFailedPrecondition,
                                "the tile needs 35 vector registers of 32"));
}

TEST_F(MainLoopsTest, NarrowMachinesHaveSixteen) {
  target_ = Avx2OfTwoThreads();
  ALT_EXPECT_OK(Build(Tile({{"vector_tile", 16}, {"column_tile", 6}})));
  EXPECT_TRUE(testing::StatusIs(Build(Tile({{"vector_tile", 16}, {"column_tile", 7}})),
                                absl::StatusCode::kFailedPrecondition,
                                "17 vector registers of 16"));
}

TEST_F(MainLoopsTest, AnUnrolledAxisCountsAsRows) {
  parts_.unrolled = {{"g", 8}};
  EXPECT_TRUE(testing::StatusIs(Build(Tile({{"column_tile", 4}})),
                                absl::StatusCode::kFailedPrecondition, "vector registers"));
}

TEST_F(MainLoopsTest, APartOfAVectorTakesAWholeRegister) {
  parts_.vector = {"o", 24};
  parts_.vector_unit = 24;
  ALT_EXPECT_OK(Build(Tile({{"vector_tile", 24}, {"column_tile", 14}})));
  EXPECT_TRUE(
      testing::StatusIs(Build(Tile({{"vector_tile", 24}, {"column_tile", 8}, {"row_tile", 2}})),
                        absl::StatusCode::kFailedPrecondition, "35 vector registers"));
}

// ---- Choices. -----------------------------------------------------------------------------------

TEST_F(MainLoopsTest, VectorTilesAreHalfAVectorToFour) {
  parts_.vector = {"o", 1000};
  EXPECT_EQ(Choices("vector_tile"), (std::vector<int64_t>{8, 16, 32, 48, 64}));
  parts_.vector = {"o", 40};
  EXPECT_EQ(Choices("vector_tile"), (std::vector<int64_t>{8, 16, 32, 40}));
}

TEST_F(MainLoopsTest, ANarrowAxisMayBeOneVectorTile) {
  parts_.vector = {"w", 14};
  EXPECT_EQ(Choices("vector_tile"), (std::vector<int64_t>{8, 14}));
  parts_.vector = {"o", 3};
  EXPECT_EQ(Choices("vector_tile"), (std::vector<int64_t>{3}));
}

TEST_F(MainLoopsTest, DivisorsOfTheUnitAreVectorTilesToo) {
  parts_.vector = {"o", 60};
  parts_.vector_unit = 20;
  EXPECT_EQ(Choices("vector_tile"), (std::vector<int64_t>{4, 5, 8, 10, 16, 20, 32, 48, 60}));
}

TEST_F(MainLoopsTest, DepthBlocksAreSmallerThanTheDepth) {
  EXPECT_EQ(Choices("depth_block"), (std::vector<int64_t>{0, 16, 32}));
  parts_.depth = {"ic", 1};
  EXPECT_EQ(Choices("depth_block"), (std::vector<int64_t>{0}));
  EXPECT_EQ(Choices("depth_unroll"), (std::vector<int64_t>{1}));
}

// ---- Threads. -----------------------------------------------------------------------------------

class TwoThreadsTest : public MainLoopsTest {
 protected:
  TwoThreadsTest() { target_.threads = 2; }
};

TEST_F(TwoThreadsTest, TheFirstLoopWithEnoughIterationsIsParallel) {
  EXPECT_EQ(Line(Tile(), "parallel(conv"), "parallel(conv.h)");
  parts_.batch = {{"n", 2}};
  EXPECT_EQ(Line(Tile(), "parallel(conv"), "parallel(conv.n)");
}

TEST_F(TwoThreadsTest, BlocksOfRowsAreCountedRight) {
  target_.threads = 4;
  // Four blocks of 2 x 2 rows, the last one a part.
  EXPECT_EQ(Line(Tile({{"row_tile", 2}, {"row_block", 2}}), "parallel(conv"), "parallel(conv.h.0)");
  // Two blocks of 8 rows are too few: one of the loops inside.
  EXPECT_EQ(Line(Tile({{"row_block", 8}}), "parallel(conv"), "parallel(conv.h.1)");
}

TEST_F(TwoThreadsTest, NothingIsParallelWhereNothingIterates) {
  parts_.row = {"h", 1};
  parts_.column = {"w", 7};
  EXPECT_EQ(Line(Tile(), "parallel(conv"), "");
}

TEST_F(TwoThreadsTest, AProducerAtTheRootRunsOnThemToo) {
  EXPECT_EQ(Line(Tile({{"producer", kAtRoot}}), "parallel(pad"), "parallel(pad.h)");
  producer_axes_ = {{"h", 3, 1}, {"c", 64, 64}};
  EXPECT_EQ(Line(Tile({{"producer", kAtRoot}}), "parallel(pad"), "") << "too few rows";
}

TEST_F(TwoThreadsTest, AProducerInABlockDoesNot) {
  EXPECT_EQ(Line(Tile({{"producer", kAtBlock}, {"row_block", 2}}), "parallel(pad"), "");
}

TEST_F(TwoThreadsTest, OneThreadHasNoParallelLoops) {
  target_.threads = 1;
  EXPECT_FALSE(absl::StrContains(Print(Tile({{"producer", kAtRoot}})), "parallel"));
}

// ---- Axes of a layout. --------------------------------------------------------------------------

TEST(PhysicalAxesTest, AreNamedAndSizedAsTheLayoutLeavesThem) {
  const auto axes =
      PhysicalAxes(LayoutOf("split(1,16) reorder(0,1,3,4,2)"), {1, 60, 7, 9}, {"n", "o", "h", "w"});
  std::string text;
  for (const NamedAxis& axis : axes) absl::StrAppend(&text, axis.name, "=", axis.extent, " ");
  EXPECT_EQ(text, "n=1 o.0=4 h=7 w=9 o.1=16 ");
}

}  // namespace
}  // namespace alt::search
