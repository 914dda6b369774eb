// Roles of stages and parts of axes, read from the stages of operators.

#include "server/search/space/role.h"

#include "common/te/op/conv.h"
#include "common/te/op/gemm.h"
#include "common/te/op/winograd.h"
#include "tests/testing/status_matchers.h"

namespace alt::search {
namespace {

StageRoles RolesIn(const te::Graph& graph, const std::string& stage) {
  return RolesOf(graph, *graph.FindStage(stage));
}

const AxisRole& Axis(const StageRoles& roles, const std::string& name) {
  for (const AxisRole& axis : roles.spatial) {
    if (axis.name == name) return axis;
  }
  for (const AxisRole& axis : roles.reduction) {
    if (axis.name == name) return axis;
  }
  ADD_FAILURE() << "no axis " << name;
  return roles.spatial[0];
}

te::ConvSpec Conv(int64_t groups, int64_t stride = 1, int64_t dilation = 1) {
  const te::ConvAxis axis{.input = 14, .kernel = 3, .stride = stride, .dilation = dilation};
  return {.n = 2, .ic = 16, .oc = 32, .groups = groups, .axes = {axis, axis}};
}

TEST(RoleTest, AConvolutionIsAContractionOfWindowsWithAFilter) {
  const te::Graph graph = te::MakeConv(Conv(1, 2, 3));
  EXPECT_EQ(RolesIn(graph, "pad").role, StageRole::kElementwise);
  const StageRoles conv = RolesIn(graph, "conv");
  EXPECT_EQ(conv.role, StageRole::kContraction);
  EXPECT_EQ(conv.data.tensor->name, "xp");
  EXPECT_EQ(conv.filter.tensor->name, "w");
  EXPECT_EQ(Axis(conv, "o").part, AxisPart::kColumn);
  EXPECT_EQ(Axis(conv, "n").part, AxisPart::kRow);
  EXPECT_FALSE(Axis(conv, "n").slides);
  EXPECT_EQ(Axis(conv, "w").part, AxisPart::kRow);
  EXPECT_TRUE(Axis(conv, "w").slides);
  EXPECT_EQ(Axis(conv, "w").data.step, 2);
  EXPECT_EQ(Axis(conv, "kw").part, AxisPart::kWindow);
  EXPECT_EQ(Axis(conv, "kw").data.step, 3);
  EXPECT_EQ(Axis(conv, "kw").data.dim, Axis(conv, "w").data.dim);
  EXPECT_EQ(Axis(conv, "ic").part, AxisPart::kDepth);
}

TEST(RoleTest, ChannelsInGroupsAreColumnsWithADivisor) {
  const te::Graph graph = te::MakeConv(Conv(4));
  const StageRoles conv = RolesIn(graph, "conv");
  EXPECT_EQ(Axis(conv, "o").part, AxisPart::kColumn);
  EXPECT_EQ(Axis(conv, "o").data.divisor, 8);
  EXPECT_EQ(Axis(conv, "o").data.step, 4);
  EXPECT_EQ(Axis(conv, "ic").part, AxisPart::kDepth)
      << "it shares a dimension with o, not a window";
}

TEST(RoleTest, DepthwiseChannelsAreBatchAxes) {
  te::ConvSpec spec = Conv(16);
  spec.oc = 16;
  const te::Graph graph = te::MakeConv(spec);
  const StageRoles conv = RolesIn(graph, "conv");
  EXPECT_EQ(Axis(conv, "o").part, AxisPart::kBatch);
  EXPECT_EQ(Axis(conv, "o").data.step, 1);
}

TEST(RoleTest, RowsAndColumnsOfAProductOfMatrices) {
  const te::Graph graph = te::MakeGemm({.m = 4, .n = 5, .k = 6, .batch = 3, .trans_a = true});
  const StageRoles matmul = RolesIn(graph, "matmul");
  EXPECT_EQ(matmul.role, StageRole::kContraction);
  EXPECT_EQ(matmul.filter.tensor->name, "b");
  EXPECT_EQ(Axis(matmul, "b").part, AxisPart::kBatch);
  EXPECT_EQ(Axis(matmul, "m").part, AxisPart::kRow);
  EXPECT_EQ(Axis(matmul, "m").data.dim, 2);
  EXPECT_EQ(Axis(matmul, "n").part, AxisPart::kColumn);
  EXPECT_EQ(Axis(matmul, "k").part, AxisPart::kDepth);
}

TEST(RoleTest, OfTwoOperandsTheConstantIsTheFilterWhereverItStands) {
  ALT_ASSERT_OK_AND_ASSIGN(const te::Graph graph, te::MakeWinogradConv(Conv(1), 4, 4));
  const StageRoles mm = RolesIn(graph, "mm");
  EXPECT_EQ(mm.role, StageRole::kContraction);
  EXPECT_EQ(mm.data.tensor->name, "v");
  EXPECT_EQ(mm.filter.tensor->name, "u");
  EXPECT_EQ(Axis(mm, "a").part, AxisPart::kBatch);
  EXPECT_EQ(Axis(mm, "t").part, AxisPart::kRow);
  EXPECT_EQ(Axis(mm, "o").part, AxisPart::kColumn);
  EXPECT_EQ(RolesIn(graph, "inv").role, StageRole::kTransform);
  EXPECT_FALSE(Axis(RolesIn(graph, "col"), "t").data.regular) << "t is in three dimensions of d1";
}

}  // namespace
}  // namespace alt::search
