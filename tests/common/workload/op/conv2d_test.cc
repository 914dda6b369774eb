#include "common/workload/op/conv2d.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensors.h"

namespace alt::workload {
namespace {

using ::alt::testing::EvaluateTensor;
using ::alt::testing::MaxDifference;
using ::alt::testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// The attributes of a 3x3 convolution of 64 channels, and more.
std::string Conv(const std::string& more) {
  return absl::StrCat("conv2d:n=1,ic=64,oc=64,kh=3,kw=3,", more);
}
std::vector<std::string> AlgorithmsOfText(const std::string& text) {
  const absl::StatusOr<Workload> workload = Parse(text);
  if (!workload.ok()) return {workload.status().ToString()};
  std::vector<std::string> texts;
  for (const Algorithm& algorithm : Algorithms(*workload)) texts.push_back(Print(algorithm));
  return texts;
}
using Names = std::vector<std::string>;

TEST(Conv2dTest, AttributesOfEachAxisReachTheirFields) {
  ALT_ASSERT_OK_AND_ASSIGN(
      const Workload workload,
      Parse("conv2d:n=2,ic=4,ih=9,iw=8,oc=6,kh=3,kw=2,stride=2x1,pad=0x1x2x3,dilation=1x2,"
            "groups=2"));
  const Conv2d expected{.n = 2,
                        .ic = 4,
                        .ih = 9,
                        .iw = 8,
                        .oc = 6,
                        .kh = 3,
                        .kw = 2,
                        .stride = {2, 1},
                        .pad_begin = {0, 1},
                        .pad_end = {2, 3},
                        .dilation = {1, 2},
                        .groups = 2};
  EXPECT_EQ(workload, Workload{expected});
  ALT_ASSERT_OK_AND_ASSIGN(const te::Graph graph, MakeGraph(workload));
  EXPECT_EQ(graph.FindTensor("y")->buffer->shape, (std::vector<int64_t>{2, 6, 5, 10}));
}

TEST(Conv2dTest, GroupsDivideBothChannelCounts) {
  EXPECT_TRUE(StatusIs(Parse("conv2d:n=1,ic=8,ih=8,iw=8,oc=6,kh=3,kw=3,groups=4"), kInvalid,
                       "groups=4 does not divide oc=6"));
}

TEST(Conv2dTest, AWindowBeyondThePaddedInputIsExplained) {
  EXPECT_TRUE(StatusIs(Parse("conv2d:n=1,ic=1,ih=9,iw=4,oc=1,kh=1,kw=3,pad=0x0x0x1,dilation=4"),
                       kInvalid,
                       "kw=3 (9 with dilation 4 along w) does not fit the padded input of 5 (iw=4, "
                       "pad 0 before and 1 after)"));
}

TEST(Conv2dTest, PaddedTensorsAreBoundedToo) {
  EXPECT_TRUE(StatusIs(Parse("conv2d:n=1,ic=1024,ih=2,iw=2,oc=1,kh=1,kw=1,pad=1048576"), kInvalid,
                       "tensor xp (x, padded)"));
}

TEST(Conv2dTest, ValuesThatWereNotParsedAreValidated) {
  EXPECT_TRUE(StatusIs(Validate(Workload{Conv2d{.groups = 0}}), kInvalid, "conv2d: groups=0"));
  EXPECT_TRUE(StatusIs(Validate(Workload{Conv2d{.stride = {1, 0}}}), kInvalid, "stride=1x0"));
  EXPECT_TRUE(StatusIs(Validate(Workload{Conv2d{.pad_end = {0, -1}}}), kInvalid, "pad=0x0x0x-1"));
  ALT_EXPECT_OK(Validate(Workload{Conv2d{}}));
}

TEST(Conv2dTest, FlopsCountTheLogicalFormWithItsPadding) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload conv, Parse(Conv("ih=56,iw=56,pad=1")));
  EXPECT_EQ(Flops(conv), 2.0 * 64 * 64 * 9 * 56 * 56);
  ALT_ASSERT_OK_AND_ASSIGN(const Workload grouped, Parse(Conv("ih=56,iw=56,stride=2,groups=64")));
  EXPECT_EQ(Flops(grouped), 2.0 * 64 * 9 * 27 * 27);
}

TEST(Conv2dTest, CompulsoryBytesAreThoseOfTheExternalTensors) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload conv, Parse(Conv("ih=56,iw=56,pad=1")));
  EXPECT_EQ(CompulsoryBytes(conv), 4.0 * (2 * 64 * 56 * 56 + 64 * 64 * 9));
}

TEST(Conv2dTest, InputsThatNoTapReadsAreNotCompulsory) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload sparse,
                           Parse("conv2d:n=1,ic=64,ih=112,iw=112,oc=16,kh=1,kw=1,stride=8"));
  EXPECT_EQ(CompulsoryBytes(sparse), 4.0 * (64 * 14 * 14 + 16 * 64 + 16 * 14 * 14));
  // Against a count of one axis, for windows that overlap, touch, leave gaps and reach outside.
  base::Random random(1);
  for (int i = 0; i < 500; ++i) {
    Conv2d op{.iw = random.UniformInt(1, 40), .kw = random.UniformInt(1, 6)};
    op.stride[1] = random.UniformInt(1, 9);
    op.dilation[1] = random.UniformInt(1, 5);
    op.pad_begin[1] = random.UniformInt(0, 9);
    op.pad_end[1] = random.UniformInt(0, 9);
    if (!Validate(Workload{op}).ok()) continue;
    const int64_t padded = op.iw + op.pad_begin[1] + op.pad_end[1];
    const int64_t outputs = (padded - (op.kw - 1) * op.dilation[1] - 1) / op.stride[1] + 1;
    std::set<int64_t> inputs;
    for (int64_t o = 0; o < outputs; ++o) {
      for (int64_t k = 0; k < op.kw; ++k) {
        const int64_t at = o * op.stride[1] + k * op.dilation[1] - op.pad_begin[1];
        if (at >= 0 && at < op.iw) inputs.insert(at);
      }
    }
    const double elements =
        static_cast<double>(inputs.size()) + static_cast<double>(op.kw + outputs);
    EXPECT_EQ(CompulsoryBytes(Workload{op}), 4.0 * elements) << Print(Workload{op});
  }
}

TEST(Conv2dTest, TapsThatMeetPaddingCanBeDoneWithout) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload conv, Parse(Conv("ih=56,iw=56,pad=0")));
  EXPECT_EQ(LeastFlops(conv), Flops(conv));
  // Against a count of one axis.
  base::Random random(2);
  for (int i = 0; i < 500; ++i) {
    Conv2d op{.iw = random.UniformInt(1, 40), .kw = random.UniformInt(1, 6)};
    op.stride[1] = random.UniformInt(1, 9);
    op.dilation[1] = random.UniformInt(1, 5);
    op.pad_begin[1] = random.UniformInt(0, 9);
    op.pad_end[1] = random.UniformInt(0, 9);
    if (!Validate(Workload{op}).ok()) continue;
    const int64_t padded = op.iw + op.pad_begin[1] + op.pad_end[1];
    const int64_t outputs = (padded - (op.kw - 1) * op.dilation[1] - 1) / op.stride[1] + 1;
    double taps = 0;
    for (int64_t o = 0; o < outputs; ++o) {
      for (int64_t k = 0; k < op.kw; ++k) {
        const int64_t at = o * op.stride[1] + k * op.dilation[1] - op.pad_begin[1];
        taps += at >= 0 && at < op.iw;
      }
    }
    EXPECT_NEAR(LeastFlops(Workload{op}), 2 * taps, 1e-6) << Print(Workload{op});
  }
}

TEST(Conv2dTest, WinogradDoesWithFewerProducts) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload conv, Parse(Conv("ih=58,iw=58,pad=0")));
  ALT_ASSERT_OK_AND_ASSIGN(const Algorithm winograd, ParseAlgorithm("winograd(2,2)"));
  EXPECT_NEAR(LeastFlops(conv, winograd), Flops(conv) * 16 / 36, 1);
}

TEST(Conv2dTest, WinogradIsOfferedWhereItSaves) {
  EXPECT_EQ(AlgorithmsOfText(Conv("ih=56,iw=56,pad=1")),
            (Names{"direct", "winograd(2,2)", "winograd(2,4)", "winograd(4,2)", "winograd(4,4)"}));
  EXPECT_EQ(AlgorithmsOfText("conv2d:n=1,ic=192,ih=17,iw=56,oc=192,kh=1,kw=3"),
            (Names{"direct", "winograd(1,4)"}));
}

TEST(Conv2dTest, WinogradIsNotOfferedWhereItDoesNotApplyOrPay) {
  EXPECT_EQ(AlgorithmsOfText(Conv("ih=56,iw=56,stride=2")), Names{"direct"});
  EXPECT_EQ(AlgorithmsOfText(Conv("ih=56,iw=56,dilation=2")), Names{"direct"});
  EXPECT_EQ(AlgorithmsOfText(Conv("ih=56,iw=56,groups=4")), Names{"direct"});
  EXPECT_EQ(AlgorithmsOfText("conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=1,kw=1"), Names{"direct"});
  EXPECT_EQ(AlgorithmsOfText("conv2d:n=1,ic=3,ih=56,iw=56,oc=64,kh=3,kw=3"), Names{"direct"});
}

TEST(Conv2dTest, EveryAlgorithmOnOfferComputesTheSame) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload conv,
                           Parse("conv2d:n=1,ic=32,ih=8,iw=7,oc=32,kh=3,kw=3,pad=1"));
  ALT_ASSERT_OK_AND_ASSIGN(const te::Graph direct, MakeGraph(conv));
  base::Random random(1);
  const ir::Memory inputs = testing::RandomRealInputs(direct, random);
  const std::vector<double> expected = EvaluateTensor(direct, inputs, "y");
  ASSERT_GT(Algorithms(conv).size(), 1u);
  for (const Algorithm& algorithm : Algorithms(conv)) {
    ALT_ASSERT_OK_AND_ASSIGN(const te::Graph graph, MakeGraph(conv, algorithm));
    const ir::Memory same = testing::SameInputs(direct, inputs, graph);
    EXPECT_LT(MaxDifference(EvaluateTensor(graph, same, "y"), expected), 1e-9) << Print(algorithm);
  }
}

TEST(Conv2dTest, AskingForWinogradWhereItDoesNotApplySaysWhy) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload strided, Parse(Conv("ih=56,iw=56,stride=2")));
  EXPECT_TRUE(StatusIs(MakeGraph(strided, {{Winograd{4, 4}}}), kInvalid, "stride 2"));
  ALT_ASSERT_OK_AND_ASSIGN(const Workload plain, Parse(Conv("ih=56,iw=56")));
  EXPECT_TRUE(StatusIs(MakeGraph(plain, {{Winograd{8, 4}}}), kInvalid, "mh=8 must be from 1 to 6"));
}

}  // namespace
}  // namespace alt::workload
