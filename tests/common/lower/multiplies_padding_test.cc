#include "common/lower/multiplies_padding.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "common/layout/apply_layouts.h"
#include "common/lower/lower.h"
#include "common/schedule/apply.h"
#include "gtest/gtest.h"
#include "tests/common/lower/run_kernel.h"
#include "tests/testing/fuzz_cases.h"
#include "tests/testing/random_candidate.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/workloads.h"

namespace alt::lower {
namespace {

constexpr char kConv[] = "conv2d:n=1,ic=4,ih=4,iw=4,oc=17,kh=3,kw=3,pad=1";

target::Target FourLanes() {
  target::Target target;
  target.vec_bits = 128;
  return target;
}

bool Multiplies(const std::string& workload, const std::string& candidate) {
  const auto kernel =
      Lower(*workload::Parse(workload), *workload::ParseCandidate(candidate), FourLanes());
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  return MultipliesPadding(kernel->module);
}

TEST(MultipliesPaddingTest, APaddedCopyIsMultiplied) { EXPECT_TRUE(Multiplies(kConv, "")); }

TEST(MultipliesPaddingTest, TapsThatPartitioningTakesAwayAreNot) {
  EXPECT_FALSE(Multiplies(kConv,
                          "inline(pad)\nreorder(conv: n h w o ic kh kw)\n"
                          "unroll(conv.kh)\nunroll(conv.kw)\nunroll(conv.w)\n"
                          "unroll(conv.h)"));
}

TEST(MultipliesPaddingTest, ASelectStandsAroundTheProduct) {
  EXPECT_FALSE(Multiplies(kConv, "inline(pad)\nfuse(conv.h, conv.w)\nvectorize(conv.h_w)"));
}

TEST(MultipliesPaddingTest, WithoutPaddingThereIsNoneToMultiply) {
  EXPECT_FALSE(Multiplies("conv2d:n=1,ic=4,ih=6,iw=6,oc=17,kh=3,kw=3", ""));
  EXPECT_FALSE(Multiplies("matmul:m=7,n=9,k=5", "layout b: split(0,4)\nvectorize(matmul.n)"));
}

// A convolution of these operands that skips taps outside of the data.
std::vector<double> Convolve(const workload::Conv2d& op, const testing::Values& in) {
  const int64_t oh =
      (op.ih + op.pad_begin[0] + op.pad_end[0] - (op.kh - 1) * op.dilation[0] - 1) / op.stride[0] +
      1;
  const int64_t ow =
      (op.iw + op.pad_begin[1] + op.pad_end[1] - (op.kw - 1) * op.dilation[1] - 1) / op.stride[1] +
      1;
  const int64_t group_in = op.ic / op.groups, group_out = op.oc / op.groups;
  std::vector<double> y;
  for (int64_t cell = 0; cell < op.n * op.oc * oh * ow; ++cell) {
    const int64_t w = cell % ow, h = cell / ow % oh, o = cell / ow / oh % op.oc,
                  n = cell / ow / oh / op.oc;
    double sum = 0;
    for (int64_t tap = 0; tap < group_in * op.kh * op.kw; ++tap) {
      const int64_t kw = tap % op.kw, kh = tap / op.kw % op.kh, ic = tap / op.kw / op.kh;
      const int64_t ih = h * op.stride[0] + kh * op.dilation[0] - op.pad_begin[0];
      const int64_t iw = w * op.stride[1] + kw * op.dilation[1] - op.pad_begin[1];
      if (ih < 0 || ih >= op.ih || iw < 0 || iw >= op.iw) continue;
      const int64_t c = o / group_out * group_in + ic;
      sum += in.at("x")[((n * op.ic + c) * op.ih + ih) * op.iw + iw] *
             in.at("w")[o * group_in * op.kh * op.kw + tap];
    }
    y.push_back(sum);
  }
  return y;
}

// Small integers; some weights are not finite.
testing::Values RandomOperands(const workload::Conv2d& op, base::Random& random) {
  constexpr double kOdd[] = {-std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};
  testing::Values in;
  in["x"].resize(op.n * op.ic * op.ih * op.iw);
  in["w"].resize(op.oc * op.ic / op.groups * op.kh * op.kw);
  for (double& x : in["x"]) x = static_cast<double>(random.UniformInt(1, 4));
  for (double& w : in["w"]) {
    w = random.Bernoulli(0.05) ? kOdd[random.Uniform(2)]
                               : static_cast<double>(random.UniformInt(-4, 4));
  }
  in["y"] = Convolve(op, in);
  return in;
}

bool Same(const std::vector<double>& a, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  }
  return true;
}

TEST(MultipliesPaddingTest, WhoDoesNotGivesWhatAReferenceThatSkipsTapsGives) {
  int skipping = 0, differing = 0;
  const uint64_t end = testing::FuzzCases(500);
  for (uint64_t seed = 0; seed < end; ++seed) {
    base::Random random(seed);
    const workload::Conv2d op = testing::RandomConv2d(random);
    const workload::Workload workload{op};
    const te::Graph graph = *workload::MakeGraph(workload);
    workload::Candidate candidate;
    candidate.layouts = testing::RandomLayouts(graph, random);
    const te::Graph physical = *layout::ApplyLayouts(graph, candidate.layouts);
    schedule::Trace start;
    schedule::LoopNest nest(physical);
    if (random.Bernoulli(0.5) && Apply(schedule::Inline{"pad"}, nest).ok()) {
      start.instructions.push_back(schedule::Inline{"pad"});
    }
    candidate.trace = testing::RandomTrace(physical, 15, random, start);
    const auto kernel = Lower(workload, candidate, FourLanes());
    if (!kernel.ok()) continue;
    const auto outputs =
        testing::RunOn(RandomOperands(op, random), workload, candidate, FourLanes());
    ALT_ASSERT_OK(outputs.status()) << "seed " << seed;
    const bool same = Same(outputs->kernel, outputs->reference);
    if (!MultipliesPadding(kernel->module)) {
      ++skipping;
      ASSERT_TRUE(same) << "seed " << seed << "\n"
                        << workload::Print(workload::CandidateFile{workload, candidate});
    }
    differing += same ? 0 : 1;
  }
  EXPECT_GT(skipping, 50);
  EXPECT_GT(differing, 50);
}

}  // namespace
}  // namespace alt::lower
