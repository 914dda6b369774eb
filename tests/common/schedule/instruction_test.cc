#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/printer.h"
#include "common/schedule/apply.h"
#include "gtest/gtest.h"
#include "tests/common/schedule/graphs.h"
#include "tests/testing/status_matchers.h"

namespace alt::schedule {
namespace {

using testing::StatusIs;
using testing::TwoStages;

// "h.0<4 h.1<min(4, 14 - h.0*4) ..": the loops of a stage, outermost first.
std::string Loops(const LoopNest& nest, const std::string& stage) {
  for (const StageNest& s : nest.stages()) {
    if (s.stage.name != stage) continue;
    return absl::StrJoin(s.loops, " ", [](std::string* out, const Loop& loop) {
      absl::StrAppend(out, loop.name, "<", ir::Print(loop.extent));
    });
  }
  return "";
}

absl::Status Perform(const std::string& text, LoopNest& nest) {
  auto trace = Parse(text);
  if (!trace.ok()) return trace.status();
  return Apply(trace->instructions[0], nest);
}

// ".0.0": the outermost part of so many splits.
std::string Zeros(int splits) {
  std::string out;
  for (int i = 0; i < splits; ++i) out += ".0";
  return out;
}

TEST(SplitTest, ADividingSplitHasConstantExtents) {
  LoopNest nest(TwoStages(8, 16));
  ALT_ASSERT_OK(Perform("split(sum.i, 4)", nest));
  EXPECT_EQ(Loops(nest, "sum"), "i.0<2 i.1<4 j<16 k<3");
}

TEST(SplitTest, SeveralFactorsGiveSeveralLoops) {
  LoopNest nest(TwoStages(24, 16));
  ALT_ASSERT_OK(Perform("split(sum.i, 4, 2)", nest));
  EXPECT_EQ(Loops(nest, "sum"), "i.0<3 i.1<4 i.2<2 j<16 k<3");
}

TEST(SplitTest, ARemainderShortensTheLastIteration) {
  LoopNest nest(TwoStages(14, 16));
  ALT_ASSERT_OK(Perform("split(sum.i, 4)", nest));
  EXPECT_EQ(nest.stages()[1].loops[1].max_extent, 4);
  const std::string text = Loops(nest, "sum");
  EXPECT_NE(text.find("min("), std::string::npos) << text;
}

TEST(SplitTest, BadFactorsAreRefused) {
  LoopNest nest(TwoStages(8, 16));
  EXPECT_TRUE(StatusIs(Perform("split(sum.i, 9)", nest), absl::StatusCode::kFailedPrecondition,
                       "factor 9 is not within 1 and the extent 8"));
  EXPECT_TRUE(StatusIs(Perform("split(sum.x, 2)", nest), absl::StatusCode::kInvalidArgument,
                       "no loop x; its loops are: i j k"));
  EXPECT_TRUE(StatusIs(Perform("split(what.i, 2)", nest), absl::StatusCode::kInvalidArgument,
                       "no stage what; stages are: double, sum"));
  EXPECT_EQ(Loops(nest, "sum"), "i<8 j<16 k<3");
}

TEST(SplitTest, FactorsWhoseProductOverflowsAreRefused) {
  LoopNest nest(TwoStages(1 << 20, 1 << 20));
  ALT_ASSERT_OK(Perform("fuse(sum.i, sum.j)", nest));
  EXPECT_TRUE(StatusIs(Perform("split(sum.i_j, 4294967296, 4294967296)", nest),
                       absl::StatusCode::kFailedPrecondition, "larger than the extent"));
}

TEST(SplitTest, AStageHasOnlySoManyLoops) {
  LoopNest nest(TwoStages(8, 16));
  const std::string ones = ", 1, 1, 1, 1, 1, 1, 1, 1, 1, 1";
  for (int i = 0; i < 6; ++i) ALT_ASSERT_OK(Perform("split(sum.k" + Zeros(i) + ones + ")", nest));
  ALT_ASSERT_OK(Perform("split(sum.j, 1)", nest));
  EXPECT_TRUE(StatusIs(Perform("split(sum.i, 1)", nest), absl::StatusCode::kFailedPrecondition,
                       "the stage would have 65 loops, the most is 64"));
}

TEST(FuseTest, NeighboursBecomeOneLoop) {
  LoopNest nest(TwoStages(8, 16));
  ALT_ASSERT_OK(Perform("fuse(sum.i, sum.j)", nest));
  EXPECT_EQ(Loops(nest, "sum"), "i_j<128 k<3");
}

TEST(FuseTest, OnlyNeighboursOfOneKindFuse) {
  LoopNest nest(TwoStages(8, 16));
  EXPECT_TRUE(StatusIs(Perform("fuse(sum.j, sum.i)", nest), absl::StatusCode::kFailedPrecondition,
                       "not neighbours"));
  EXPECT_TRUE(StatusIs(Perform("fuse(sum.j, sum.k)", nest), absl::StatusCode::kFailedPrecondition,
                       "do not fuse"));
}

TEST(ReorderTest, NamedLoopsTakeTheirPlacesTogether) {
  LoopNest nest(TwoStages(8, 16));
  ALT_ASSERT_OK(Perform("reorder(sum: k i)", nest));
  EXPECT_EQ(Loops(nest, "sum"), "k<3 j<16 i<8");
  EXPECT_TRUE(StatusIs(Perform("reorder(sum: i i)", nest), absl::StatusCode::kInvalidArgument,
                       "named twice"));
}

TEST(AnnotateTest, ALoopIsAnnotatedOnce) {
  LoopNest nest(TwoStages(8, 16));
  ALT_ASSERT_OK(Perform("unroll(sum.i)", nest));
  EXPECT_TRUE(StatusIs(Perform("vectorize(sum.i)", nest), absl::StatusCode::kFailedPrecondition,
                       "already"));
  EXPECT_TRUE(
      StatusIs(Perform("split(sum.i, 2)", nest), absl::StatusCode::kFailedPrecondition, "already"));
}

TEST(AnnotateTest, ReductionsDoNotRunInVectorsOrInParallel) {
  LoopNest nest(TwoStages(8, 16));
  EXPECT_TRUE(StatusIs(Perform("vectorize(sum.k)", nest), absl::StatusCode::kFailedPrecondition,
                       "reduction"));
  EXPECT_TRUE(StatusIs(Perform("parallel(sum.k)", nest), absl::StatusCode::kFailedPrecondition,
                       "reduction"));
}

TEST(AnnotateTest, ParallelLoopsDoNotNest) {
  LoopNest nest(TwoStages(8, 16));
  ALT_ASSERT_OK(Perform("parallel(sum.i)", nest));
  EXPECT_TRUE(StatusIs(Perform("parallel(sum.j)", nest), absl::StatusCode::kFailedPrecondition,
                       "the parallel loop i would be around the parallel loop j"));
}

// What loops are to each other does not depend on the order in which they became so.
TEST(AnnotateTest, KindsThatContradictAreRefusedInAnyOrder) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"parallel(sum.i)", "parallel(sum.j)"}, "the parallel loop i would be around"},
      {{"vectorize(sum.i)", "vectorize(sum.j)"}, "loops i and j would both be vectorized"},
      {{"vectorize(sum.i)", "parallel(sum.j)"}, "the vectorized loop i would be around"},
      {{"unroll(sum.i)", "parallel(sum.j)"}, "the unrolled loop i would be around"},
      {{"parallel(sum.j)", "reorder(sum: k j)"}, "the reduction loop k would be around"},
      {{"parallel(sum.i)", "vectorize(sum.j)", "reorder(sum: j i)"}, "the vectorized loop j would"},
      {{"parallel(sum.i)", "unroll(sum.k)", "reorder(sum: k i)"}, "the reduction loop k would"},
  };
  for (const auto& [texts, reason] : cases) {
    std::vector<size_t> order(texts.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      LoopNest nest(TwoStages(8, 16));
      absl::Status status;
      for (size_t i = 0; i < order.size() && status.ok(); ++i) {
        status = Perform(texts[order[i]], nest);
      }
      EXPECT_TRUE(StatusIs(status, absl::StatusCode::kFailedPrecondition, reason)) << texts[0];
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(TransposeTest, TheTwoInnermostLoopsAreTransposed) {
  LoopNest nest(TwoStages(8, 16));
  ALT_ASSERT_OK(Perform("split(double.i, 4)", nest));
  ALT_ASSERT_OK(Perform("transpose(double.j, double.i.1)", nest));
  const std::vector<Loop>& loops = nest.stages()[0].loops;
  EXPECT_EQ(loops[0].kind, ir::ForKind::kSerial);
  EXPECT_EQ(loops[1].kind, ir::ForKind::kTransposed);
  EXPECT_EQ(loops[2].kind, ir::ForKind::kTransposed);
  ALT_EXPECT_OK(Perform("reorder(double: j i.1)", nest));
  ALT_EXPECT_OK(Perform("parallel(double.i.0)", nest));
}

TEST(TransposeTest, WhatIsInTheWayIsRefusedInAnyOrder) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"reorder(double: i.1 i.0)", "transpose(double.i.1, double.j)"},
       "inside the transposed loop i.1"},
      {{"vectorize(double.i.0)", "transpose(double.i.1, double.j)"},
       "loop i.0 would be vectorized around the transposed loop j"},
      {{"unroll(double.j)", "transpose(double.i.1, double.j)"}, "already"},
      {{"prefetch(double.j, x, 2)", "transpose(double.i.1, double.j)"}, ""},
      {{"parallel(double.j)", "transpose(double.i.1, double.j)"}, "already"},
  };
  for (auto [texts, reason] : cases) {
    for (int order = 0; order < 2; ++order) {
      LoopNest nest(TwoStages(8, 16));
      ALT_ASSERT_OK(Perform("split(double.i, 4)", nest));
      ALT_ASSERT_OK(Perform(texts[0], nest));
      EXPECT_TRUE(StatusIs(Perform(texts[1], nest), absl::StatusCode::kFailedPrecondition, reason))
          << texts[0] << " " << texts[1];
      std::swap(texts[0], texts[1]);
    }
  }
}

TEST(TransposeTest, OtherLoopsAreRefusedWithTheReason) {
  const auto kRefused = absl::StatusCode::kFailedPrecondition;
  LoopNest nest(TwoStages(300, 16));
  EXPECT_TRUE(StatusIs(Perform("transpose(sum.i, sum.j)", nest), kRefused, "over 256"));
  ALT_ASSERT_OK(Perform("split(sum.i, 4)", nest));
  EXPECT_TRUE(StatusIs(Perform("transpose(sum.i.1, sum.j)", nest), kRefused, "reduction"));
  ALT_ASSERT_OK(Perform("split(double.i, 4)", nest));
  EXPECT_TRUE(StatusIs(Perform("transpose(double.i.0, double.i.1)", nest), kRefused,
                       "loop j would be inside the transposed loop i.1"));
  EXPECT_TRUE(StatusIs(Perform("transpose(double.j, double.j)", nest),
                       absl::StatusCode::kInvalidArgument, "itself"));
  EXPECT_TRUE(StatusIs(Parse("transpose(double.i, sum.j)").status(),
                       absl::StatusCode::kInvalidArgument, "axes of two stages"));
}

TEST(AnnotateTest, ARefusedKindLeavesTheLoopAsItWas) {
  LoopNest nest(TwoStages(8, 16));
  ALT_ASSERT_OK(Perform("vectorize(sum.i, 4)", nest));
  EXPECT_FALSE(Perform("parallel(sum.j)", nest).ok());
  ALT_EXPECT_OK(Perform("unroll(sum.j)", nest));
}

TEST(AnnotateTest, NumbersOutOfRangeAreRefused) {
  LoopNest nest(TwoStages(1024, 16));
  const auto kInvalid = absl::StatusCode::kInvalidArgument;
  const auto kRefused = absl::StatusCode::kFailedPrecondition;
  EXPECT_TRUE(StatusIs(Perform("vectorize(sum.j, 65)", nest), kInvalid, "lanes are 1 to 64"));
  EXPECT_TRUE(StatusIs(Perform("vectorize(sum.i)", nest), kRefused, "extent 1024 is over 512"));
  EXPECT_TRUE(StatusIs(Perform("unroll(sum.i)", nest), kRefused, "extent 1024 is over 256"));
  EXPECT_TRUE(StatusIs(Perform("prefetch(sum.k, w, 1099511627776)", nest), kInvalid,
                       "distance 1099511627776 is not within 1 and 4096"));
  ALT_EXPECT_OK(Perform("prefetch(sum.k, w, 4096)", nest));
}

TEST(AnnotateTest, PrefetchesAreNotLostAndDoNotPileUp) {
  LoopNest nest(TwoStages(8, 16));
  for (int i = 1; i <= 16; ++i) {
    ALT_ASSERT_OK(Perform(absl::StrCat("prefetch(sum.i, w, ", i, ")"), nest));
  }
  const auto kRefused = absl::StatusCode::kFailedPrecondition;
  EXPECT_TRUE(StatusIs(Perform("prefetch(sum.i, w, 1)", nest), kRefused, "16 prefetches already"));
  EXPECT_TRUE(StatusIs(Perform("split(sum.i, 2)", nest), kRefused, "prefetches: split first"));
  EXPECT_TRUE(StatusIs(Perform("fuse(sum.i, sum.j)", nest), kRefused, "prefetches: fuse first"));
}

TEST(AnnotateTest, PrefetchNeedsATensorThatTheStageReads) {
  LoopNest nest(TwoStages(8, 16));
  ALT_EXPECT_OK(Perform("prefetch(sum.k, w, 4)", nest));
  EXPECT_TRUE(StatusIs(Perform("prefetch(sum.k, x, 4)", nest),
                       absl::StatusCode::kFailedPrecondition, "does not read x"));
}

TEST(InlineTest, TheBodyTakesThePlaceOfTheReads) {
  LoopNest nest(TwoStages(8, 16));
  ALT_ASSERT_OK(Perform("inline(double)", nest));
  EXPECT_TRUE(nest.stages()[0].inlined);
  EXPECT_EQ(te::ReadsOf(nest.stages()[1].stage)[0]->name, "x");
  EXPECT_TRUE(StatusIs(Perform("unroll(double.i)", nest), absl::StatusCode::kFailedPrecondition,
                       "is inlined"));
}

TEST(InlineTest, ReductionsAndResultsDoNotInline) {
  LoopNest nest(TwoStages(8, 16));
  EXPECT_TRUE(
      StatusIs(Perform("inline(sum)", nest), absl::StatusCode::kFailedPrecondition, "reduction"));
}

TEST(ApplyTraceTest, TheErrorNamesTheInstruction) {
  ALT_ASSERT_OK_AND_ASSIGN(Trace trace, Parse("unroll(sum.k) unroll(sum.q)"));
  EXPECT_TRUE(StatusIs(ApplyTrace(TwoStages(8, 16), trace).status(),
                       absl::StatusCode::kInvalidArgument,
                       "instruction 2, unroll(sum.q): stage sum has no loop q"));
}

}  // namespace
}  // namespace alt::schedule
