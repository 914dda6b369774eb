#include "common/te/printer.h"

#include <gtest/gtest.h>

#include "common/te/op/conv.h"
#include "common/te/op/gemm.h"
#include "common/te/op/winograd.h"
#include "tests/testing/golden.h"
#include "tests/testing/status_matchers.h"

namespace alt::te {
namespace {

using ::alt::testing::MatchesGolden;

ConvSpec Conv3x3() {
  return {.n = 1,
          .ic = 8,
          .oc = 16,
          .axes = {{.input = 14, .kernel = 3, .pad_begin = 1, .pad_end = 1},
                   {.input = 14, .kernel = 3, .pad_begin = 1, .pad_end = 1}}};
}

TEST(PrinterTest, AStageShowsItsAxesWithTheirExtents) {
  const Graph graph = MakeGemm({.m = 4, .n = 5, .k = 6});
  EXPECT_EQ(Print(graph.stages[0]), "matmul: c[m<4, n<5] = sum(k<6) a[m, k]*b[k, n]");
}

TEST(PrinterTest, AConvolution) {
  EXPECT_TRUE(MatchesGolden("te", "conv2d_3x3", Print(MakeConv(Conv3x3()))));
}

TEST(PrinterTest, AStridedDilatedGroupedConvolution) {
  ConvSpec spec = Conv3x3();
  spec.groups = 4;
  spec.axes[0].stride = 2;
  spec.axes[1].dilation = 3;
  EXPECT_TRUE(MatchesGolden("te", "conv2d_grouped", Print(MakeConv(spec))));
}

TEST(PrinterTest, ADepthwiseConvolutionHasNoDivisionByOne) {
  ConvSpec spec = Conv3x3();
  spec.ic = spec.oc = spec.groups = 8;
  EXPECT_TRUE(MatchesGolden("te", "conv2d_depthwise", Print(MakeConv(spec))));
}

TEST(PrinterTest, Winograd) {
  ALT_ASSERT_OK_AND_ASSIGN(const Graph graph, MakeWinogradConv(Conv3x3(), 4, 2));
  EXPECT_TRUE(MatchesGolden("te", "winograd_4_2", Print(graph)));
}

TEST(PrinterTest, WinogradWithAKernelOfOneRowHasCopiesForItsRowTransforms) {
  ConvSpec spec = Conv3x3();
  spec.n = 2;
  spec.axes[0] = {.input = 7, .kernel = 1};
  ALT_ASSERT_OK_AND_ASSIGN(const Graph graph, MakeWinogradConv(spec, 1, 4));
  EXPECT_TRUE(MatchesGolden("te", "winograd_one_row", Print(graph)));
}

TEST(PrinterTest, EveryRoleHasAName) {
  EXPECT_STREQ(RoleName(Role::kInput), "input");
  EXPECT_STREQ(RoleName(Role::kConstant), "constant");
  EXPECT_STREQ(RoleName(Role::kIntermediate), "intermediate");
  EXPECT_STREQ(RoleName(Role::kOutput), "output");
}

}  // namespace
}  // namespace alt::te
