#include "common/te/op/conv.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/te/verify.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensors.h"
#include "tests/testing/workloads.h"

namespace alt::te {
namespace {

using ::alt::testing::EvaluateTensor;
using ::alt::testing::IsOk;
using ::alt::testing::RandomInputs;
using Tensor1d = std::vector<double>;

ConvSpec SpecOf(const workload::Conv2d& op) {
  return {.n = op.n,
          .ic = op.ic,
          .oc = op.oc,
          .groups = op.groups,
          .axes = {{op.ih, op.kh, op.stride[0], op.pad_begin[0], op.pad_end[0], op.dilation[0]},
                   {op.iw, op.kw, op.stride[1], op.pad_begin[1], op.pad_end[1], op.dilation[1]}}};
}

std::string Describe(const workload::Conv2d& op) { return Print(workload::Workload{op}); }

// ONNX: the window starts at every stride-th position of the padded input where all of it fits.
int64_t CountWindows(const ConvAxis& axis) {
  int64_t count = 0;
  for (int64_t start = -axis.pad_begin;
       start + (axis.kernel - 1) * axis.dilation < axis.input + axis.pad_end;
       start += axis.stride) {
    ++count;
  }
  return count;
}

// The convolution by its definition, reading x itself: no padded copy.
Tensor1d DirectConv2d(const workload::Conv2d& op, const Tensor1d& x, const Tensor1d& w) {
  const ConvSpec spec = SpecOf(op);
  const int64_t oh = CountWindows(spec.axes[0]), ow = CountWindows(spec.axes[1]);
  const int64_t in_group = op.ic / op.groups, out_group = op.oc / op.groups;
  Tensor1d y;
  for (int64_t n = 0; n < op.n; ++n) {
    for (int64_t o = 0; o < op.oc; ++o) {
      for (int64_t position = 0; position < oh * ow; ++position) {
        double sum = 0;
        for (int64_t tap = 0; tap < in_group * op.kh * op.kw; ++tap) {
          const int64_t c = tap / (op.kh * op.kw), kh = tap / op.kw % op.kh, kw = tap % op.kw;
          const int64_t h = position / ow * op.stride[0] + kh * op.dilation[0] - op.pad_begin[0];
          const int64_t v = position % ow * op.stride[1] + kw * op.dilation[1] - op.pad_begin[1];
          if (h < 0 || h >= op.ih || v < 0 || v >= op.iw) continue;
          const int64_t channel = o / out_group * in_group + c;
          sum += x[((n * op.ic + channel) * op.ih + h) * op.iw + v] *
                 w[((o * in_group + c) * op.kh + kh) * op.kw + kw];
        }
        y.push_back(sum);
      }
    }
  }
  return y;
}

void ExpectIsTheConvolution(const workload::Conv2d& op, base::Random& random) {
  const Graph graph = MakeConv(SpecOf(op));
  ASSERT_TRUE(IsOk(Verify(graph)));
  const ir::Memory inputs = RandomInputs(graph, random);
  const Tensor1d& x = inputs.at(graph.FindTensor("x")->buffer.get());
  const Tensor1d& w = inputs.at(graph.FindTensor("w")->buffer.get());
  EXPECT_EQ(EvaluateTensor(graph, inputs, "y"), DirectConv2d(op, x, w));
}

TEST(ConvAxisTest, OutputsAreWhereTheWholeWindowFits) {
  base::Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const ConvAxis axis{.input = random.UniformInt(1, 20),
                        .kernel = random.UniformInt(1, 5),
                        .stride = random.UniformInt(1, 4),
                        .pad_begin = random.UniformInt(0, 4),
                        .pad_end = random.UniformInt(0, 4),
                        .dilation = random.UniformInt(1, 3)};
    if (axis.window() > axis.input + axis.pad_begin + axis.pad_end) continue;
    ASSERT_EQ(axis.output(), CountWindows(axis));
    ASSERT_LE(axis.padded(), axis.input + axis.pad_begin + axis.pad_end);
    // Nothing more can be cropped, and one more output would not fit.
    ASSERT_EQ((axis.padded() - axis.window()) % axis.stride, 0);
    ASSERT_GT(axis.padded() + axis.stride, axis.input + axis.pad_begin + axis.pad_end);
  }
}

TEST(ConvTest, TensorsAreNamedShapedAndOrderedAsTheSignatureHasThem) {
  const Graph graph = MakeConv({.n = 2,
                                .ic = 6,
                                .oc = 9,
                                .groups = 3,
                                .axes = {{.input = 8, .kernel = 3, .stride = 2, .pad_begin = 1},
                                         {.input = 10, .kernel = 2, .dilation = 4}}});
  std::string text;
  for (const te::Tensor& tensor : graph.tensors) {
    absl::StrAppend(&text, tensor.buffer->name);
    for (int64_t extent : tensor.buffer->shape) absl::StrAppend(&text, " ", extent);
    absl::StrAppend(&text, "\n");
  }
  EXPECT_EQ(text, "x 2 6 8 10\nw 9 2 3 2\ny 2 9 4 6\nxp 2 6 9 10\n");
}

TEST(ConvTest, SpatialAxesAreNamedFromTheLast) {
  const ConvAxis axis{.input = 4, .kernel = 2};
  EXPECT_EQ(SpatialNames({.axes = {axis}}), (std::vector<std::string>{"w"}));
  EXPECT_EQ(SpatialNames({.axes = {axis, axis}}), (std::vector<std::string>{"h", "w"}));
  EXPECT_EQ(SpatialNames({.axes = {axis, axis, axis}}), (std::vector<std::string>{"d", "h", "w"}));
}

TEST(ConvTest, ThePadStageIsACopyWithoutPadding) {
  const Graph graph = MakeConv({.ic = 2, .oc = 1, .axes = {{.input = 4, .kernel = 2}}});
  EXPECT_EQ(graph.FindStage("pad")->body->kind, ir::ExprKind::kLoad);
}

TEST(ConvTest, ThePadStageNeedsNoTestBehindACroppedEnd) {
  // Stride 2 over 8 + 1 rows with a window of 3 reads the padding on the left but none on the
  // right.
  const Graph graph =
      MakeConv({.axes = {{.input = 8, .kernel = 2, .stride = 3, .pad_begin = 1, .pad_end = 1}}});
  const Stage& pad = *graph.FindStage("pad");
  EXPECT_EQ(pad.output->shape[2], 8);
  ASSERT_EQ(pad.body->kind, ir::ExprKind::kSelect);
  EXPECT_EQ(pad.body->args[0]->kind, ir::ExprKind::kLe);
}

TEST(ConvTest, StridesDilationsGroupsAndUnevenPads) {
  base::Random random(2);
  ExpectIsTheConvolution({.n = 2,
                          .ic = 4,
                          .ih = 9,
                          .iw = 7,
                          .oc = 6,
                          .kh = 3,
                          .kw = 2,
                          .stride = {2, 3},
                          .pad_begin = {0, 2},
                          .pad_end = {3, 1},
                          .dilation = {2, 3},
                          .groups = 2},
                         random);
}

TEST(ConvTest, DepthwiseWithSeveralOutputsAChannel) {
  base::Random random(3);
  ExpectIsTheConvolution(
      {.ic = 3, .ih = 5, .iw = 5, .oc = 6, .kh = 3, .kw = 3, .pad_begin = {1, 1}, .groups = 3},
      random);
}

TEST(ConvTest, AWindowThatSeesMostlyPadding) {
  base::Random random(4);
  ExpectIsTheConvolution({.ih = 1,
                          .iw = 2,
                          .kh = 3,
                          .kw = 4,
                          .pad_begin = {4, 5},
                          .pad_end = {5, 4},
                          .dilation = {1, 2}},
                         random);
}

TEST(ConvTest, RandomConvolutionsAreWhatOnnxDefines) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    base::Random random(seed);
    const workload::Conv2d op = testing::RandomConv2d(random);
    SCOPED_TRACE(absl::StrCat("seed ", seed, ": ", Describe(op)));
    ExpectIsTheConvolution(op, random);
    if (HasFailure()) break;
  }
}

TEST(ConvTest, OneSpatialAxis) {
  const Graph graph =
      MakeConv({.ic = 1, .oc = 1, .axes = {{.input = 4, .kernel = 2, .pad_end = 1}}});
  ir::Memory memory;
  memory[graph.tensors[0].buffer.get()] = {1, 2, 3, 4};
  memory[graph.tensors[1].buffer.get()] = {10, 1};
  EXPECT_EQ(EvaluateTensor(graph, memory, "y"), (Tensor1d{12, 23, 34, 40}));
}

TEST(ConvTest, ThreeSpatialAxesAreAPlaneConvolutionWhenOneIsTrivial) {
  const ConvAxis h{.input = 5, .kernel = 3, .pad_begin = 1}, w{.input = 4, .kernel = 2};
  const Graph plane = MakeConv({.ic = 2, .oc = 2, .axes = {h, w}});
  const Graph volume = MakeConv({.ic = 2, .oc = 2, .axes = {{}, h, w}});
  base::Random random(5);
  const ir::Memory inputs = RandomInputs(plane, random);
  EXPECT_EQ(EvaluateTensor(volume, testing::SameInputs(plane, inputs, volume), "y"),
            EvaluateTensor(plane, inputs, "y"));
}

}  // namespace
}  // namespace alt::te
