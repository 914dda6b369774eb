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
  EXPECT_EQ(region.extent, (std::vector<int64_t>{1, 6}));  // one row, 4 columns and the window
  EXPECT_EQ(ir::Print(region.min[0]), "i");
  EXPECT_EQ(producer.loops[1].max_extent, 6);
}

TEST(ComputeAtTest, LoopsInsideTheTargetVary) {
  ALT_ASSERT_OK_AND_ASSIGN(LoopNest nest, Perform("compute_at(double, sum.i)", 8, 16));
  const Region& region = nest.stages()[0].attachment->region;
  EXPECT_EQ(region.extent, (std::vector<int64_t>{1, 18}));
  EXPECT_EQ(ir::Print(region.min[1]), "0");
}

TEST(ComputeAtTest, TheRegionIsClippedToTheTensor) {
  ALT_ASSERT_OK_AND_ASSIGN(LoopNest nest,
                           Perform("split(sum.j, 4) compute_at(double, sum.j.0)", 8, 14));
  int64_t extent = 0;
  EXPECT_FALSE(ir::IsInt(nest.stages()[0].loops[1].extent, &extent));  // the last tile is short
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
