#include "common/te/stage.h"

#include <gtest/gtest.h>

#include "common/te/op/conv.h"
#include "common/te/op/winograd.h"
#include "tests/testing/status_matchers.h"

namespace alt::te {
namespace {

ConvSpec SmallConv() {
  return {
      .n = 1,
      .ic = 2,
      .oc = 3,
      .axes = {{.input = 6, .kernel = 3, .pad_begin = 1, .pad_end = 1}, {.input = 5, .kernel = 3}}};
}

TEST(StageTest, RangesCoverSpatialAndReductionAxes) {
  const Graph graph = MakeConv(SmallConv());
  const Stage& conv = *graph.FindStage("conv");
  const ir::RangeMap ranges = RangesOf(conv);
  EXPECT_EQ(ranges.size(), 7u);
  EXPECT_EQ(ranges.at(conv.spatial[1].var.get()), (ir::Interval{0, 2}));
  EXPECT_EQ(ranges.at(conv.reduction[2].var.get()), (ir::Interval{0, 2}));
}

TEST(StageTest, EachStageHasAxesOfItsOwn) {
  const Graph graph = MakeConv(SmallConv());
  EXPECT_EQ(graph.stages[0].spatial[2].name(), graph.stages[1].spatial[2].name());
  EXPECT_NE(graph.stages[0].spatial[2].var, graph.stages[1].spatial[2].var);
}

TEST(StageTest, ReadsAreInOrderOfOccurrenceOnceEachWithoutTables) {
  const ir::Buffer p = ir::MakeBuffer("p", {4}), q = ir::MakeBuffer("q", {4});
  const ir::Buffer table = ir::MakeTable("t", {4}, {1, 2, 3, 4});
  const Axis i = MakeAxis("i", 4);
  const Stage stage{.name = "s",
                    .output = ir::MakeBuffer("r", {4}),
                    .spatial = {i},
                    .body = ir::Load(q, {i.var}) * ir::Load(table, {i.var}) + ir::Load(p, {i.var}) +
                            ir::Load(q, {ir::Expr(3) - i.var})};
  EXPECT_EQ(ReadsOf(stage), (std::vector<ir::Buffer>{q, p}));
}

TEST(GraphTest, TensorsAndStagesAreFoundByName) {
  const Graph graph = MakeConv(SmallConv());
  ASSERT_NE(graph.FindTensor("xp"), nullptr);
  EXPECT_EQ(graph.FindTensor("xp")->buffer, graph.FindStage("pad")->output);
  EXPECT_EQ(graph.FindTensor("nothing"), nullptr);
  EXPECT_EQ(graph.FindStage("nothing"), nullptr);
}

TEST(GraphTest, ABufferOfTheSameNameIsAnotherTensor) {
  const Graph graph = MakeConv(SmallConv());
  const ir::Buffer same_name = ir::MakeBuffer("xp", graph.FindTensor("xp")->buffer->shape);
  EXPECT_EQ(graph.FindTensor(same_name), nullptr);
  EXPECT_EQ(graph.Producer(same_name), nullptr);
}

TEST(GraphTest, ProducersAndConsumersFollowTheReads) {
  const Graph graph = MakeConv(SmallConv());
  const Stage* pad = graph.FindStage("pad");
  const Stage* conv = graph.FindStage("conv");
  EXPECT_EQ(graph.Producer(graph.FindTensor("x")->buffer), nullptr);
  EXPECT_EQ(graph.Producer(graph.FindTensor("xp")->buffer), pad);
  EXPECT_EQ(graph.Consumers(graph.FindTensor("x")->buffer), std::vector<const Stage*>{pad});
  EXPECT_EQ(graph.Consumers(graph.FindTensor("xp")->buffer), std::vector<const Stage*>{conv});
  EXPECT_TRUE(graph.Consumers(graph.FindTensor("y")->buffer).empty());
}

TEST(GraphTest, StagesOverConstantsAloneRunAhead) {
  ALT_ASSERT_OK_AND_ASSIGN(const Graph graph, MakeWinogradConv(SmallConv(), 2, 2));
  for (const Stage& stage : graph.stages) {
    EXPECT_EQ(RunsAhead(graph, stage), stage.name == "f1" || stage.name == "u") << stage.name;
  }
}

TEST(GraphTest, TheStageThatWritesTheOutputNeverRunsAhead) {
  const ir::Buffer w = ir::MakeBuffer("w", {4}), y = ir::MakeBuffer("y", {4});
  const Axis i = MakeAxis("i", 4);
  Graph pack;
  pack.tensors = {{w, Role::kConstant}, {y, Role::kOutput}};
  pack.stages = {
      {.name = "pack", .output = y, .spatial = {i}, .body = ir::Load(w, {ir::Expr(i.var)})}};
  EXPECT_FALSE(RunsAhead(pack, pack.stages[0]));
}

TEST(GraphTest, AStageThatReadsNothingDoesNotRunAhead) {
  const ir::Buffer z = ir::MakeBuffer("z", {4}), y = ir::MakeBuffer("y", {4});
  const Axis i = MakeAxis("i", 4), j = MakeAxis("j", 4);
  Graph graph;
  graph.tensors = {{y, Role::kOutput}, {z, Role::kIntermediate}};
  graph.stages = {
      {.name = "zero", .output = z, .spatial = {i}, .body = ir::FloatImm(0)},
      {.name = "copy", .output = y, .spatial = {j}, .body = ir::Load(z, {ir::Expr(j.var)})}};
  EXPECT_FALSE(RunsAhead(graph, graph.stages[0]));
}

}  // namespace
}  // namespace alt::te
