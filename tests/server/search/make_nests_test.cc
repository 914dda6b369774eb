#include "server/search/space/make_nests.h"

#include "common/te/op/conv.h"
#include "common/te/op/gemm.h"
#include "common/te/op/winograd.h"
#include "tests/testing/status_matchers.h"

namespace alt::search {
namespace {

te::Graph Conv(int64_t groups = 1, int64_t n = 1) {
  const te::ConvAxis axis{.input = 14, .kernel = 3, .pad_begin = 1, .pad_end = 1};
  return te::MakeConv({.n = n, .ic = 16, .oc = 16, .groups = groups, .axes = {axis, axis}});
}

// Appends a stage out[..] = body(load of the graph's output) that takes its place as the result.
template <typename Body>
void AppendTail(te::Graph& graph, const std::string& name, Body body) {
  const te::Stage& last = graph.stages.back();
  te::Stage stage{.name = name, .spatial = {}};
  std::vector<ir::Expr> index;
  for (const te::Axis& axis : last.spatial) {
    stage.spatial.push_back(te::MakeAxis(axis.name(), axis.extent));
    index.push_back(stage.spatial.back().var);
  }
  stage.output = ir::MakeBuffer(name + "_out", last.output->shape);
  stage.body = body(last.output, index);
  for (te::Tensor& tensor : graph.tensors) {
    if (tensor.role == te::Role::kOutput) tensor.role = te::Role::kIntermediate;
  }
  graph.tensors.push_back({stage.output, te::Role::kOutput});
  graph.stages.push_back(std::move(stage));
}

const auto kRelu = [](const ir::Buffer& y, const std::vector<ir::Expr>& index) {
  return ir::Max(ir::Load(y, index), ir::Zero(ir::kF32));
};

TEST(MakeNestsTest, AConvolutionIsOneNestWithItsPaddingAsProducer) {
  const te::Graph graph = Conv(1, 2);
  const std::vector<Nest> nests = MakeNests(graph);
  ASSERT_EQ(nests.size(), 1u);
  const Nest& nest = nests[0];
  EXPECT_EQ(nest.core->name, "conv");
  EXPECT_EQ(nest.owner, nest.core);
  ASSERT_NE(nest.producer, nullptr);
  EXPECT_EQ(nest.producer->name, "pad");
  EXPECT_EQ(nest.channel->name, "o");
  EXPECT_EQ(nest.depth->name, "ic");
  ASSERT_EQ(nest.batch.size(), 1u);
  EXPECT_EQ(nest.batch[0]->name, "n");
  ASSERT_EQ(nest.positions.size(), 2u);
  EXPECT_EQ(nest.positions[1]->name, "w");
  ASSERT_EQ(nest.windows.size(), 2u);
  EXPECT_EQ(nest.windows[0]->name, "kh");
}

TEST(MakeNestsTest, StagesBehindItElementForElementAreItsTail) {
  te::Graph graph = Conv();
  AppendTail(graph, "add", [](const ir::Buffer& y, const std::vector<ir::Expr>& index) {
    return ir::Load(y, index) + ir::FloatImm(1);
  });
  AppendTail(graph, "relu", kRelu);
  const std::vector<Nest> nests = MakeNests(graph);
  ASSERT_EQ(nests.size(), 1u);
  EXPECT_EQ(nests[0].owner->name, "relu");
  ASSERT_EQ(nests[0].inlined.size(), 1u);
  EXPECT_EQ(nests[0].inlined[0]->name, "add");
}

TEST(MakeNestsTest, AStageThatReadsElsewhereIsNoTail) {
  te::Graph graph = Conv();
  AppendTail(graph, "flip", [](const ir::Buffer& y, std::vector<ir::Expr> index) {
    std::swap(index[2], index[3]);
    return ir::Load(y, index);
  });
  const std::vector<Nest> nests = MakeNests(graph);
  ASSERT_EQ(nests.size(), 1u);
  EXPECT_EQ(nests[0].owner->name, "conv");
}

TEST(MakeNestsTest, AnIntermediateThatOthersReadTooIsNoTailsBeginning) {
  te::Graph graph = Conv();
  const ir::Buffer y = graph.stages.back().output;
  AppendTail(graph, "relu", kRelu);
  AppendTail(graph, "sum", [&y](const ir::Buffer& relu, const std::vector<ir::Expr>& index) {
    return ir::Load(relu, index) + ir::Load(y, index);
  });
  EXPECT_EQ(MakeNests(graph)[0].owner->name, "conv");
}

TEST(MakeNestsTest, DepthwiseChannelsAreTheChannelAndMatricesOfABatchAreNot) {
  const te::Graph depthwise = Conv(16);
  EXPECT_EQ(MakeNests(depthwise)[0].channel->name, "o");
  const te::Graph matmul = te::MakeGemm({.m = 4, .n = 5, .k = 6, .batch = 30});
  const std::vector<Nest> nests = MakeNests(matmul);
  EXPECT_EQ(nests[0].channel->name, "n");
  ASSERT_EQ(nests[0].positions.size(), 1u);
  EXPECT_EQ(nests[0].positions[0]->name, "m");
  EXPECT_EQ(nests[0].producer, nullptr);
}

TEST(MakeNestsTest, AReductionWithoutFilterHasTheAxisThatDoesNotSlideAsChannel) {
  te::Graph graph = Conv(16);
  te::Stage& pool = graph.stages.back();
  const ir::Expr data = pool.body->args[0];
  pool.body = data;
  pool.reduction.erase(pool.reduction.begin());  // one channel a group
  const std::vector<Nest> nests = MakeNests(graph);
  ASSERT_EQ(nests.size(), 1u);
  EXPECT_EQ(nests[0].roles.role, StageRole::kReduction);
  EXPECT_EQ(nests[0].channel->name, "o");
  EXPECT_EQ(nests[0].positions.size(), 2u);
}

TEST(MakeNestsTest, WinogradHasOneContraction) {
  const te::ConvAxis axis{.input = 14, .kernel = 3, .pad_begin = 1, .pad_end = 1};
  ALT_ASSERT_OK_AND_ASSIGN(
      const te::Graph graph,
      te::MakeWinogradConv({.n = 1, .ic = 16, .oc = 16, .axes = {axis, axis}}, 4, 4));
  const std::vector<Nest> nests = MakeNests(graph);
  ASSERT_EQ(nests.size(), 1u);
  EXPECT_EQ(nests[0].core->name, "mm");
  EXPECT_EQ(nests[0].positions.back()->name, "t");
}

}  // namespace
}  // namespace alt::search
