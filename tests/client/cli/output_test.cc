#include "client/cli/output.h"

#include <gtest/gtest.h>

namespace alt::cli {
namespace {

workload::Workload Conv() {
  return *workload::Parse("conv2d:n=1,ic=8,ih=6,iw=6,oc=16,kh=3,kw=3,pad=1");
}

workload::Candidate Blocked() {
  workload::Candidate candidate;
  candidate.layouts["w"] = *layout::Parse("split(0,8) reorder(0,2,3,4,1)");
  return candidate;
}

job::TuneProgress Tuned() {
  job::TuneProgress progress{.trials = 4, .proposals = 5};
  progress.outcomes = {{measure::Outcome::kOk, 3},
                       {measure::Outcome::kCrashed, 0},
                       {measure::Outcome::kRejected, 1}};
  progress.best =
      job::BestCandidate{.record = "r1",
                         .candidate = Blocked(),
                         .latency = {.min_ns = 900, .median_ns = 1000, .mad_ns = 10, .n = 5},
                         .peak_gflops = 100};
  progress.curve = {{.trial = 1, .seconds = 0.5, .best_ns = 2000},
                    {.trial = 3, .seconds = 1.5, .best_ns = 1000}};
  return progress;
}

TEST(OutputTest, AShortNameIsTheWorkloadWithoutItsDefaults) {
  for (const char* text : {"conv2d:n=1,ic=8,ih=6,iw=6,oc=16,kh=3,kw=3,pad=1",
                           "conv2d:n=1,ic=8,ih=6,iw=6,oc=16,kh=3,kw=3,stride=2x1,groups=8",
                           "matmul:m=1,n=1,k=1", "matmul:m=4,n=4,k=4,trans_b=1"}) {
    EXPECT_EQ(ShortName(*workload::Parse(text)), text);
    EXPECT_EQ(*workload::Parse(ShortName(*workload::Parse(text))), *workload::Parse(text));
  }
}

TEST(OutputTest, EveryTensorHasALayoutAndPlainOnesAreEmpty) {
  const Json layouts = LayoutsJson(Conv(), Blocked());
  EXPECT_EQ(layouts.at("w"), "split(0,8) reorder(0,2,3,4,1)");
  EXPECT_EQ(layouts.at("x"), "");
  EXPECT_EQ(layouts.at("y"), "");
}

TEST(OutputTest, ALayoutIsDescribedInBlocksAndInPrimitives) {
  const std::string text = DescribeLayouts(Conv(), Blocked());
  EXPECT_NE(text.find("w      [16x8x3x3]  O/8 I KH KW 8o\n"), std::string::npos) << text;
  EXPECT_NE(text.find("       split(0,8) reorder(0,2,3,4,1)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("x      [1x8x6x6]  N C H W\n"), std::string::npos) << text;
}

TEST(OutputTest, OutcomesThatDidNotHappenAreLeftOut) {
  EXPECT_EQ(OutcomesJson(Tuned()), (Json{{"OK", 3}, {"REJECTED", 1}}));
}

TEST(OutputTest, ATuningHasTheFieldsThatScriptsReadBy) {
  const job::TuneSpec spec{.workload = Conv(),
                           .target = *target::ParseTarget("cpu:mcpu=znver4,threads=1"),
                           .policy = "evolve",
                           .seed = 3};
  const job::Job job{.id = "j1", .state = job::JobState::kSucceeded, .active = absl::Seconds(2)};
  const Json json = ToJson(job, spec, Tuned());
  EXPECT_EQ(json.at("job"), "j1");
  EXPECT_EQ(json.at("state"), "succeeded");
  EXPECT_EQ(json.at("workload"), workload::Print(Conv()));
  EXPECT_EQ(json.at("seed"), 3);
  EXPECT_EQ(json.at("trials"), 4);
  const Json& best = json.at("best");
  EXPECT_EQ(best.at("record"), "r1");
  EXPECT_EQ(best.at("latency_ns"),
            (Json{{"min", 900.0}, {"median", 1000.0}, {"mad", 10.0}, {"n", 5}}));
  EXPECT_EQ(best.at("layouts").size(), 4u) << "plain tensors and the padded one too";
  EXPECT_TRUE(best.contains("algorithm") && best.contains("trace"));
  // 2 * 16 * 8 * 9 * 36 FLOPs in a microsecond.
  EXPECT_NEAR(best.at("gflops").get<double>(), 82.944, 1e-9);
  EXPECT_NEAR(best.at("peak_fraction").get<double>(), 0.82944, 1e-9);
  EXPECT_EQ(json.at("curve"), Json::parse("[[1, 0.5, 2000.0], [3, 1.5, 1000.0]]"));
  for (const char* part : {"propose", "build", "check", "run", "wait"}) {
    EXPECT_TRUE(json.at("time_s").contains(part)) << part;
  }
  EXPECT_FALSE(json.contains("reason"));
  EXPECT_FALSE(json.contains("default_latency_ns"));
}

TEST(OutputTest, ATuningWithoutAGoodCandidateHasNoBest) {
  job::TuneProgress progress = Tuned();
  progress.best.reset();
  const job::TuneSpec spec{.workload = Conv(), .target = *target::ParseTarget("cpu:mcpu=znver4")};
  const Json json = ToJson({.id = "j1", .state = job::JobState::kFailed, .reason = "all crashed"},
                           spec, progress);
  EXPECT_FALSE(json.contains("best"));
  EXPECT_EQ(json.at("reason"), "all crashed");
}

}  // namespace
}  // namespace alt::cli
