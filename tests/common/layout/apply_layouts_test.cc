// What the rewritten stages look like: indices without div and mod where tiles match, guards only
// where cells hold no data.
#include "common/layout/apply_layouts.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "common/te/op/conv.h"
#include "common/te/op/gemm.h"
#include "common/te/op/winograd.h"
#include "common/te/printer.h"
#include "common/te/verify.h"
#include "tests/common/layout/layout_testing.h"
#include "tests/testing/status_matchers.h"

namespace alt::layout {
namespace {

using testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;

te::ConvSpec Conv3x3(int64_t channels, int64_t extent) {
  const te::ConvAxis axis = {.input = extent, .kernel = 3, .pad_begin = 1, .pad_end = 1};
  return {.n = 1, .ic = channels, .oc = channels, .axes = {axis, axis}};
}

std::string StageText(const te::Graph& graph, const std::map<std::string, std::string>& layouts,
                      const std::string& stage) {
  std::map<std::string, Layout> parsed;
  for (const auto& [name, text] : layouts) parsed[name] = ParseOrDie(text);
  const absl::StatusOr<te::Graph> result = ApplyLayouts(graph, parsed);
  if (!result.ok()) return result.status().ToString();
  return te::Print(*result->FindStage(stage));
}

absl::Status Apply(const te::Graph& graph, const std::string& name, const std::string& layout) {
  return ApplyLayouts(graph, {{name, ParseOrDie(layout)}}).status();
}

TEST(ApplyLayoutsTest, PlainGraphIsUnchanged) {
  const te::Graph graph = te::MakeConv(Conv3x3(4, 6));
  ALT_ASSERT_OK_AND_ASSIGN(te::Graph same, ApplyLayouts(graph, {{"x", Layout()}}));
  EXPECT_EQ(same.tensors[0].buffer, graph.tensors[0].buffer);
  EXPECT_TRUE(same.FindStage("conv")->body.same_as(graph.FindStage("conv")->body));
}

TEST(ApplyLayoutsTest, BuffersKeepNameAndRole) {
  const te::Graph graph = te::MakeConv(Conv3x3(32, 6));
  ALT_ASSERT_OK_AND_ASSIGN(
      te::Graph result, ApplyLayouts(graph, {{"w", ParseOrDie("split(0,16) reorder(0,2,3,4,1)")}}));
  ASSERT_EQ(result.tensors.size(), graph.tensors.size());
  EXPECT_EQ(result.tensors[1].buffer->name, "w");
  EXPECT_EQ(result.tensors[1].buffer->shape, (Shape{2, 32, 3, 3, 16}));
  EXPECT_EQ(result.tensors[1].role, te::Role::kConstant);
  EXPECT_EQ(result.tensors[0].buffer, graph.tensors[0].buffer);
}

// The one-level template of docs/search.md#the-space: no div, no mod, no min, no guard is
// left.
TEST(ApplyLayoutsTest, MatchingTilesLeaveLinearIndices) {
  const te::Graph graph = te::MakeConv(Conv3x3(64, 56));
  const std::map<std::string, std::string> layouts = {
      {"y", "split(1,32) split(3,4) split(5,14) reorder(0,3,5,1,4,6,2)"},
      {"xp", "split(1,16) unfold(3,6,4) unfold(5,16,14) reorder(0,3,5,1,4,6,2)"},
      {"w", "split(0,32) split(2,16) reorder(0,2,4,5,3,1)"}};
  EXPECT_EQ(StageText(graph, layouts, "conv"),
            "conv: y[n<1, h.0<14, w.0<4, o.0<2, h.1<4, w.1<14, o.1<32] = sum(ic<64, kh<3, kw<3) "
            "xp[0, h.0, w.0, floordiv(ic, 16), h.1 + kh, w.1 + kw, floormod(ic, 16)]"
            "*w[o.0, floordiv(ic, 16), kh, kw, floormod(ic, 16), o.1]");
  EXPECT_EQ(StageText(graph, layouts, "pad"),
            "pad: xp[n<1, h.0<14, w.0<4, c.0<4, h.1<6, w.1<16, c.1<16] = "
            "select(0 < 4*h.0 + h.1 && 4*h.0 + h.1 < 57 && 0 < 14*w.0 + w.1 && 14*w.0 + w.1 < 57, "
            "x[0, 16*c.0 + c.1, 4*h.0 + h.1 - 1, 14*w.0 + w.1 - 1], 0.0)");
}

// 48 channels in blocks of 32, 50 rows in tiles of 14: the tail is guarded, inside the sum.
TEST(ApplyLayoutsTest, CellsWithoutDataAreGuarded) {
  const te::Graph graph = te::MakeConv(Conv3x3(48, 50));
  EXPECT_EQ(
      StageText(graph, {{"y", "split(1,32)"}}, "conv"),
      "conv: y[n<1, o.0<2, o.1<32, h<50, w<50] = sum(ic<48, kh<3, kw<3) "
      "select(32*o.0 + o.1 < 48, xp[0, ic, h + kh, w + kw]*w_1[32*o.0 + o.1, ic, kh, kw], 0.0)");
  EXPECT_EQ(StageText(graph, {{"y", "split(2,14)"}, {"xp", "unfold(2,16,14)"}}, "conv"),
            "conv: y[n<1, o<48, h.0<4, h.1<14, w<50] = sum(ic<48, kh<3, kw<3) "
            "select(14*h.0 + h.1 < 50, xp[0, ic, h.0, h.1 + kh, w + kw]*w_1[o, ic, kh, kw], 0.0)");
}

// What the padding's own condition implies is not asked twice.
TEST(ApplyLayoutsTest, PaddingTakesTheGuardIntoItsCondition) {
  const te::Graph graph = te::MakeConv(Conv3x3(4, 50));
  EXPECT_EQ(StageText(graph, {{"xp", "unfold(2,16,14)"}}, "pad"),
            "pad: xp[n<1, c<4, h.0<4, h.1<16, w<52] = "
            "select(0 < 14*h.0 + h.1 && 14*h.0 + h.1 < 51 && 0 < w && w < 51, "
            "x[0, c, 14*h.0 + h.1 - 1, w - 1], 0.0)");
  EXPECT_EQ(StageText(graph, {{"xp", "split(1,8)"}}, "pad"),
            "pad: xp[n<1, c.0<1, c.1<8, h<52, w<52] = "
            "select(0 < h && h < 51 && 0 < w && w < 51 && c.1 < 4, x[0, c.1, h - 1, w - 1], 0.0)");
}

// A select of the body's own that is no guard against zero stays inside the guard.
TEST(ApplyLayoutsTest, OtherSelectsAreGuardedAsAWhole) {
  te::Graph graph = te::MakeGemm({.m = 6, .n = 4, .k = 3});
  te::Stage& stage = graph.stages[0];
  const ir::Expr m = stage.spatial[0].var;
  stage.body = ir::Select(m < 2, stage.body, ir::FloatImm(1));
  EXPECT_EQ(StageText(graph, {{"c", "split(0,4)"}}, "matmul"),
            "matmul: c[m.0<2, m.1<4, n<4] = sum(k<3) select(4*m.0 + m.1 < 6, "
            "select(4*m.0 + m.1 < 2, a[m.1, k]*b[k, n], 1.0), 0.0)");
}

TEST(ApplyLayoutsTest, StridedConvolutionWithMatchingTiles) {
  const te::ConvAxis axis = {.input = 56, .kernel = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
  const te::Graph graph = te::MakeConv({.n = 1, .ic = 8, .oc = 8, .axes = {axis, axis}});
  EXPECT_EQ(StageText(graph, {{"y", "split(2,7)"}, {"xp", "unfold(2,15,14)"}}, "conv"),
            "conv: y[n<1, o<8, h.0<4, h.1<7, w<28] = sum(ic<8, kh<3, kw<3) "
            "xp[0, ic, h.0, 2*h.1 + kh, 2*w + kw]*w_1[o, ic, kh, kw]");
}

TEST(ApplyLayoutsTest, GroupedReadsOfBlocks) {
  te::ConvSpec spec = Conv3x3(64, 8);
  spec.groups = 4;
  const std::map<std::string, std::string> layouts = {{"y", "split(1,16)"}, {"xp", "split(1,8)"}};
  EXPECT_EQ(StageText(te::MakeConv(spec), layouts, "conv"),
            "conv: y[n<1, o.0<4, o.1<16, h<8, w<8] = sum(ic<16, kh<3, kw<3) "
            "xp[0, 2*o.0 + floordiv(ic, 8), floormod(ic, 8), h + kh, w + kw]"
            "*w_1[16*o.0 + o.1, ic, kh, kw]");
}

TEST(ApplyLayoutsTest, DepthwiseVectorsRunOverGroups) {
  te::ConvSpec spec = Conv3x3(64, 8);
  spec.groups = 64;
  const std::map<std::string, std::string> layouts = {{"y", "split(1,16) reorder(0,1,3,4,2)"},
                                                      {"xp", "split(1,16) reorder(0,1,3,4,2)"},
                                                      {"w", "split(0,16) reorder(0,2,3,4,1)"}};
  EXPECT_EQ(StageText(te::MakeConv(spec), layouts, "conv"),
            "conv: y[n<1, o.0<4, h<8, w<8, o.1<16] = sum(ic<1, kh<3, kw<3) "
            "xp[0, o.0, h + kh, w + kw, o.1]*w_1[o.0, 0, kh, kw, o.1]");
}

TEST(ApplyLayoutsTest, PackedMatmul) {
  const te::Graph graph = te::MakeGemm({.m = 96, .n = 128, .k = 64});
  const std::map<std::string, std::string> layouts = {
      {"a", "split(0,6) split(2,8) reorder(0,2,1,3)"},
      {"b", "split(0,8) split(2,64) reorder(0,2,1,3)"},
      {"c", "split(0,6) split(2,64) reorder(0,2,1,3)"}};
  EXPECT_EQ(
      StageText(graph, layouts, "matmul"),
      "matmul: c[m.0<16, n.0<2, m.1<6, n.1<64] = sum(k<64) "
      "a[m.0, floordiv(k, 8), m.1, floormod(k, 8)]*b[floordiv(k, 8), n.0, floormod(k, 8), n.1]");
}

TEST(ApplyLayoutsTest, FusedDimensionsMakeOneAxis) {
  const te::Graph graph = te::MakeGemm({.m = 6, .n = 4, .k = 3});
  EXPECT_EQ(StageText(graph, {{"c", "fuse(0,1)"}}, "matmul"),
            "matmul: c[m_n<24] = sum(k<3) a[floordiv(m_n, 4), k]*b[k, floormod(m_n, 4)]");
}

TEST(ApplyLayoutsTest, WinogradTilesOfTheOutput) {
  const te::Graph graph = *te::MakeWinogradConv(Conv3x3(64, 56), 4, 4);
  const std::map<std::string, std::string> layouts = {
      {"y", "split(2,4) split(4,4) reorder(0,2,4,1,3,5)"}, {"s", "reorder(3,0,1,2)"}};
  EXPECT_EQ(StageText(graph, layouts, "out"),
            "out: y[n<1, h.0<14, w.0<14, o<64, h.1<4, w.1<4] = sum(b<6) "
            "at_w[w.1, b]*s[14*h.0 + w.0, h.1, b, o]");
}

TEST(ApplyLayoutsTest, UnfoldedOutputWritesEveryCopy) {
  const te::Graph graph = te::MakeGemm({.m = 5, .n = 4, .k = 3});
  EXPECT_EQ(StageText(graph, {{"c", "unfold(0,3,2)"}}, "matmul"),
            "matmul: c[m.0<2, m.1<3, n<4] = sum(k<3) a[2*m.0 + m.1, k]*b[k, n]");
}

// Padding that no tap sees through becomes zeros; it stays an ordinary intermediate tensor.
TEST(ApplyLayoutsTest, StageOfZerosKeepsItsRole) {
  const te::ConvAxis axis = {.input = 1, .kernel = 1, .stride = 2, .pad_begin = 1};
  const te::Graph graph = te::MakeConv({.axes = {axis}});
  ALT_ASSERT_OK_AND_ASSIGN(te::Graph result,
                           ApplyLayouts(graph, {{"xp", ParseOrDie("split(2,2)")}}));
  ALT_EXPECT_OK(te::Verify(result));
}

TEST(ApplyLayoutsTest, NamesStayUniqueWithinAStage) {
  te::Graph graph = te::MakeGemm({.m = 8, .n = 8, .k = 8});
  // The reduction axis has the name that the split would make.
  te::Stage& stage = graph.stages[0];
  const te::Axis k = te::MakeAxis("m.1", 8);
  stage.body = ir::Load(graph.tensors[0].buffer, {stage.spatial[0].var, k.var});
  stage.reduction = {k};
  ALT_ASSERT_OK_AND_ASSIGN(te::Graph result,
                           ApplyLayouts(graph, {{"c", ParseOrDie("split(0,4)")}}));
  EXPECT_EQ(result.stages[0].spatial[0].name(), "m.0");
  EXPECT_EQ(result.stages[0].spatial[1].name(), "m.1_2");
}

TEST(ApplyLayoutsTest, UnknownTensorIsNamedWithThoseThereAre) {
  EXPECT_TRUE(StatusIs(Apply(te::MakeConv(Conv3x3(4, 6)), "z", "split(0,2)"), kInvalid,
                       "layout z: no such tensor; there are x, w, y, xp"));
}

TEST(ApplyLayoutsTest, LayoutThatDoesNotApplyIsNamedWithItsTensor) {
  EXPECT_TRUE(StatusIs(Apply(te::MakeConv(Conv3x3(4, 6)), "w", "split(7,2)"), kInvalid,
                       "layout w: split(7,2): there is no dimension 7"));
}

TEST(ApplyLayoutsTest, InputsArriveUnderBasicPrimitivesOnly) {
  const te::Graph graph = te::MakeConv(Conv3x3(4, 6));
  ALT_EXPECT_OK(Apply(graph, "x", "split(1,3) reorder(0,1,3,4,2) fuse(2,3)"));
  for (const char* text : {"unfold(2,4,2)", "unfold(2,2,2)", "pad(1,0,4)", "unpad(1,0,1)"}) {
    EXPECT_TRUE(StatusIs(Apply(graph, "x", text), kInvalid,
                         "an external input arrives under split, reorder and fuse only"))
        << text;
  }
  ALT_EXPECT_OK(Apply(graph, "w", "pad(0,0,4)"));
}

TEST(ApplyLayoutsTest, OutputKeepsEveryCell) {
  const te::Graph graph = te::MakeConv(Conv3x3(4, 6));
  ALT_EXPECT_OK(Apply(graph, "y", "unfold(2,4,2)"));
  ALT_EXPECT_OK(Apply(graph, "y", "pad(2,0,2) unpad(2,0,2)"));
  EXPECT_TRUE(StatusIs(Apply(graph, "y", "unpad(2,0,1)"), kInvalid,
                       "layout y: unpad(2,0,1): index i may read cells that were dropped"));
  EXPECT_TRUE(StatusIs(Apply(graph, "y", "unfold(2,2,3)"), kInvalid, "an output must keep"));
}

TEST(ApplyLayoutsTest, WindowThatDoesNotFitNamesStageAndTensor) {
  EXPECT_TRUE(StatusIs(Apply(te::MakeConv(Conv3x3(4, 12)), "xp", "unfold(2,5,4)"), kPrecondition,
                       "stage conv: reading xp: unfold(2,5,4): index h + kh"));
}

}  // namespace
}  // namespace alt::layout
