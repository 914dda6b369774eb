#include "common/te/op/winograd.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/te/verify.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensors.h"

namespace alt::te {
namespace {

using ::alt::testing::EvaluateTensor;
using ::alt::testing::IsOk;
using ::alt::testing::MaxDifference;
using ::alt::testing::RandomRealInputs;
using ::alt::testing::SameInputs;
using ::alt::testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

ConvSpec Conv(int64_t n, ConvAxis h, ConvAxis w) {
  return {.n = n, .ic = 2, .oc = 3, .axes = {h, w}};
}

void ExpectIsTheConvolution(const ConvSpec& spec, int64_t mh, int64_t mw) {
  SCOPED_TRACE(absl::StrCat("winograd(", mh, ",", mw, ") of ", spec.axes[0].kernel, "x",
                            spec.axes[1].kernel, " on ", spec.axes[0].input, "x",
                            spec.axes[1].input));
  const Graph direct = MakeConv(spec);
  ALT_ASSERT_OK_AND_ASSIGN(const Graph winograd, MakeWinogradConv(spec, mh, mw));
  ASSERT_TRUE(IsOk(Verify(winograd)));
  base::Random random(17);
  const ir::Memory inputs = RandomRealInputs(direct, random);
  EXPECT_LT(MaxDifference(EvaluateTensor(winograd, SameInputs(direct, inputs, winograd), "y"),
                          EvaluateTensor(direct, inputs, "y")),
            1e-9);
}

TEST(WinogradTest, EveryTileSizeForThreeByThree) {
  const ConvAxis h{.input = 7, .kernel = 3, .pad_begin = 1, .pad_end = 1};
  const ConvAxis w{.input = 9, .kernel = 3, .pad_begin = 1, .pad_end = 1};
  for (int64_t mh = 1; mh <= 6; ++mh) {
    for (int64_t mw = 1; mw <= 6; ++mw) ExpectIsTheConvolution(Conv(1, h, w), mh, mw);
  }
}

TEST(WinogradTest, KernelsOfAllSizes) {
  for (int64_t kh = 1; kh <= 3; ++kh) {
    for (int64_t kw = 1; kw <= 3; ++kw) {
      const ConvSpec spec = Conv(1, {.input = 6, .kernel = kh}, {.input = 7, .kernel = kw});
      ExpectIsTheConvolution(spec, 2, 4);
      ExpectIsTheConvolution(spec, 3, 1);
    }
  }
  ExpectIsTheConvolution(Conv(1, {.input = 4}, {.input = 11, .kernel = 7, .pad_begin = 3}), 1, 2);
}

TEST(WinogradTest, SeveralImages) {
  const ConvAxis h{.input = 5, .kernel = 3}, w{.input = 8, .kernel = 3, .pad_begin = 1};
  ExpectIsTheConvolution(Conv(3, h, w), 2, 2);
  ExpectIsTheConvolution(Conv(2, h, w), 4, 4);
}

TEST(WinogradTest, UnevenPads) {
  ExpectIsTheConvolution(Conv(1, {.input = 5, .kernel = 3, .pad_begin = 2},
                              {.input = 5, .kernel = 3, .pad_begin = 0, .pad_end = 3}),
                         4, 2);
}

TEST(WinogradTest, OutputsSmallerThanATile) {
  ExpectIsTheConvolution(Conv(1, {.input = 3, .kernel = 3}, {.input = 4, .kernel = 3}), 4, 6);
}

TEST(WinogradTest, StagesTensorsAndRoles) {
  const ConvAxis axis{.input = 14, .kernel = 3, .pad_begin = 1, .pad_end = 1};
  ALT_ASSERT_OK_AND_ASSIGN(const Graph graph, MakeWinogradConv(Conv(2, axis, axis), 4, 2));
  std::string stages, tensors;
  for (const Stage& stage : graph.stages) absl::StrAppend(&stages, stage.name, " ");
  for (const te::Tensor& tensor : graph.tensors)
    absl::StrAppend(&tensors, tensor.buffer->name, " ");
  EXPECT_EQ(stages, "pad row col f1 u mm inv out ");
  EXPECT_EQ(tensors, "x w y xp d1 v f1 u m s ");
  EXPECT_EQ(graph.FindTensor("u")->role, Role::kConstant);
  EXPECT_EQ(graph.FindTensor("f1")->role, Role::kConstant);
  EXPECT_EQ(graph.FindTensor("v")->role, Role::kIntermediate);
  // 4 x 7 tiles of patches of 6 x 4 in each of 2 images.
  EXPECT_EQ(graph.FindTensor("v")->buffer->shape, (std::vector<int64_t>{6, 4, 2, 56}));
  EXPECT_EQ(graph.FindTensor("u")->buffer->shape, (std::vector<int64_t>{6, 4, 3, 2}));
  EXPECT_EQ(graph.FindTensor("xp")->buffer->shape, (std::vector<int64_t>{2, 2, 18, 16}));
}

TEST(WinogradTest, TrivialTransformsAreCopiesWithoutReduction) {
  ALT_ASSERT_OK_AND_ASSIGN(
      const Graph graph, MakeWinogradConv(Conv(1, {.input = 6}, {.input = 6, .kernel = 3}), 2, 2));
  for (const char* name : {"row", "f1", "inv"}) {
    EXPECT_TRUE(graph.FindStage(name)->reduction.empty()) << name;
  }
  for (const char* name : {"col", "u", "out"}) {
    EXPECT_EQ(graph.FindStage(name)->reduction.size(), 1u) << name;
  }
}

TEST(WinogradTest, RefusalsSayWhy) {
  const ConvAxis axis{.input = 14, .kernel = 3};
  ConvSpec grouped = Conv(1, axis, axis);
  grouped.ic = grouped.oc = grouped.groups = 4;
  EXPECT_TRUE(StatusIs(MakeWinogradConv(grouped, 2, 2), kInvalid, "needs groups=1"));
  ConvAxis strided = axis;
  strided.stride = 2;
  EXPECT_TRUE(StatusIs(MakeWinogradConv(Conv(1, axis, strided), 2, 2), kInvalid, "stride 2"));
  ConvAxis dilated = axis;
  dilated.dilation = 2;
  EXPECT_TRUE(StatusIs(MakeWinogradConv(Conv(1, dilated, axis), 2, 2), kInvalid, "dilation 2"));
  ConvAxis large = axis;
  large.kernel = 11;
  EXPECT_TRUE(StatusIs(MakeWinogradConv(Conv(1, large, axis), 1, 1), kInvalid, "at most 8"));
  EXPECT_TRUE(StatusIs(MakeWinogradConv({.axes = {axis}}, 2, 2), kInvalid, "two spatial axes"));
  EXPECT_TRUE(
      StatusIs(MakeWinogradConv(Conv(1, axis, axis), 7, 2), kInvalid, "mh=7 must be from 1 to 6"));
  EXPECT_TRUE(StatusIs(MakeWinogradConv(Conv(1, axis, axis), 2, 0), kInvalid, "mw=0"));
}

TEST(WinogradTest, MultiplyAddsAreThoseOfTheStagesThatRunEachTime) {
  const ConvSpec spec = Conv(2, {.input = 9, .kernel = 3}, {.input = 8, .kernel = 3});
  ALT_ASSERT_OK_AND_ASSIGN(const Graph graph, MakeWinogradConv(spec, 4, 2));
  double sum = 0;
  for (const Stage& stage : graph.stages) {
    if (stage.name == "pad" || RunsAhead(graph, stage)) continue;
    double product = 1;
    for (const Axis& axis : stage.spatial) product *= static_cast<double>(axis.extent);
    for (const Axis& axis : stage.reduction) product *= static_cast<double>(axis.extent);
    sum += product;
  }
  // The last stage writes outputs only; the estimate counts whole tiles.
  const double wasted = 2 * 3 * (8 * 6 - 7 * 6) * 4;
  EXPECT_EQ(WinogradMultiplyAdds(spec, 4, 2), sum + wasted);
}

}  // namespace
}  // namespace alt::te
