#include "absl/strings/str_cat.h"
#include "common/ir/printer.h"
#include "common/schedule/apply.h"
#include "gtest/gtest.h"
#include "tests/common/schedule/graphs.h"
#include "tests/testing/status_matchers.h"

namespace alt::schedule {
namespace {

using testing::StatusIs;
using testing::TwoStages;

absl::StatusOr<LoopNest> Perform(const std::string& text, int64_t rows, int64_t cols) {
  auto trace = Parse(text);
  if (!trace.ok()) return trace.status();
  return ApplyTrace(TwoStages(rows, cols), *trace);
}

TEST(ComputeAtTest, TheRegionIsWhatOneIterationReads) {
  ALT_ASSERT_OK_AND_ASSIGN(LoopNest nest,
                           Perform("split(sum.j, 4) compute_at(double, sum.j.0)", 8, 16));
  const StageNest& producer = nest.stages()[0];
  ASSERT_TRUE(producer.attachment.has_value());
  const Region& region = producer.attachment->region;
  EXPECT_EQ(region.max_count, (std::vector<int64_t>{1, 6}));  // one row, 4 columns and the window
  EXPECT_EQ(ir::Print(region.min[0]), "i");
  EXPECT_EQ(producer.loops[1].max_extent, 6);
}

TEST(ComputeAtTest, LoopsInsideTheTargetVary) {
  ALT_ASSERT_OK_AND_ASSIGN(LoopNest nest, Perform("compute_at(double, sum.i)", 8, 16));
  const Region& region = nest.stages()[0].attachment->region;
  EXPECT_EQ(region.max_count, (std::vector<int64_t>{1, 18}));
  EXPECT_EQ(ir::Print(region.min[1]), "0");
}

TEST(ComputeAtTest, TheRegionIsClippedToTheTensor) {
  ALT_ASSERT_OK_AND_ASSIGN(LoopNest nest,
                           Perform("split(sum.j, 4) compute_at(double, sum.j.0)", 8, 14));
  int64_t extent = 0;
  EXPECT_FALSE(ir::IsInt(nest.stages()[0].loops[1].extent, &extent));  // the last tile is short
}

TEST(ComputeAtTest, AHaloIsClippedAtBothEnds) {
  ALT_ASSERT_OK_AND_ASSIGN(
      LoopNest nest,
      ApplyTrace(testing::SeparableBlock(2, 56),
                 *Parse("split(last.h, 4) reorder(last: h.0 o h.1 w) compute_at(middle, last.h.0) "
                        "compute_at(pad, last.h.0) compute_at(first, last.h.0)")));
  const Region& region = nest.stages()[0].attachment->region;
  EXPECT_EQ(region.max_count, (std::vector<int64_t>{2, 6, 56}));
  EXPECT_EQ(ir::Print(region.min[1]), "max(4*h.0 - 1, 0)");
  EXPECT_EQ(ir::Print(region.count[1]), "min(min(4*h.0 - 1, 0) + 6, 56 - max(4*h.0 - 1, 0))");
}

// y[i, j] = t[index(i, j)] of 64 cells.
LoopNest ReadAt(ir::Expr (*index)(ir::Expr i, ir::Expr j)) {
  const te::Axis c = te::MakeAxis("c", 64), i = te::MakeAxis("i", 8), j = te::MakeAxis("j", 6);
  const ir::Buffer x = ir::MakeBuffer("x", {64}), t = ir::MakeBuffer("t", {64}),
                   y = ir::MakeBuffer("y", {8, 6});
  te::Graph graph;
  graph.tensors = {{x, te::Role::kInput}, {y, te::Role::kOutput}, {t, te::Role::kIntermediate}};
  graph.stages = {te::Stage{"t", t, {c}, {}, ir::Load(x, {c.var})},
                  te::Stage{"y", y, {i, j}, {}, ir::Load(t, {index(i.var, j.var)})}};
  return LoopNest(graph);
}

TEST(ComputeAtTest, DigitsOfAnIndexAreBoundedByTheLoopsAround) {
  const auto region = [](LoopNest nest) {
    ALT_EXPECT_OK(Apply(ComputeAt{"t", "y", "i"}, nest));
    const Region& region = nest.stages()[0].attachment->region;
    return absl::StrCat(ir::Print(region.min[0]), " + ", region.max_count[0]);
  };
  const auto block = [](ir::Expr i, ir::Expr j) { return ir::FloorDiv(6 * i + j, 4); };
  EXPECT_EQ(region(ReadAt(block)), "floordiv(3*i, 2) + 2");
  const auto aligned = [](ir::Expr i, ir::Expr j) { return ir::FloorDiv(8 * i + j, 4); };
  EXPECT_EQ(region(ReadAt(aligned)), "2*i + 2");
  const auto digit = [](ir::Expr i, ir::Expr j) { return ir::FloorMod(8 * i + j, 32); };
  EXPECT_EQ(region(ReadAt(digit)), "8*floormod(i, 4) + 6");
  const auto over_its_end = [](ir::Expr i, ir::Expr j) { return ir::FloorMod(6 * i + j, 8); };
  EXPECT_EQ(region(ReadAt(over_its_end)), "0 + 8");
  const auto clamped = [](ir::Expr i, ir::Expr j) { return ir::Min(8 * i + j, 50); };
  EXPECT_EQ(region(ReadAt(clamped)), "min(8*i, 50) + 6");
}

TEST(ComputeAtTest, ReadsThatDoNotFollowTheLoopsAreRefused) {
  LoopNest nest = ReadAt([](ir::Expr i, ir::Expr j) { return i * j; });
  EXPECT_TRUE(StatusIs(Apply(ComputeAt{"t", "y", "i"}, nest), absl::StatusCode::kFailedPrecondition,
                       "dimension 0 does not follow from the loops around: every iteration would "
                       "compute all 64 cells"));
}

TEST(ComputeAtTest, TheTargetsLoopsAboveAreFixedAfterwards) {
  EXPECT_TRUE(StatusIs(Perform("compute_at(double, sum.j) split(sum.i, 2)", 8, 16).status(),
                       absl::StatusCode::kFailedPrecondition, "split before compute_at"));
  EXPECT_TRUE(StatusIs(Perform("compute_at(double, sum.i) reorder(sum: j i)", 8, 16).status(),
                       absl::StatusCode::kFailedPrecondition, "moves above"));
  ALT_EXPECT_OK(Perform("compute_at(double, sum.i) split(sum.j, 2)", 8, 16).status());
}

TEST(ComputeAtTest, OtherInstructionsOnTheStageComeLater) {
  EXPECT_TRUE(StatusIs(Perform("unroll(double.j) compute_at(double, sum.i)", 8, 16).status(),
                       absl::StatusCode::kFailedPrecondition, "must come before"));
  EXPECT_TRUE(StatusIs(Perform("compute_at(double, sum.i) inline(double)", 8, 16).status(),
                       absl::StatusCode::kFailedPrecondition, "must come before"));
}

TEST(ComputeAtTest, AReaderMustStandInsideTheLoop) {
  EXPECT_TRUE(StatusIs(Perform("compute_at(sum, double.i)", 8, 16).status(),
                       absl::StatusCode::kFailedPrecondition, "no stage reads it"));
  EXPECT_TRUE(StatusIs(Perform("compute_at(double, double.i)", 8, 16).status(),
                       absl::StatusCode::kInvalidArgument, "inside itself"));
}

}  // namespace
}  // namespace alt::schedule
