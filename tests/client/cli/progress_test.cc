#include "client/cli/progress.h"

#include <gtest/gtest.h>

#include "client/cli/output.h"

namespace alt::cli {
namespace {

job::Job TestJob() {
  job::TuneSpec spec{.workload = *workload::Parse("matmul:m=512,n=512,k=512"),
                     .target = *target::ParseTarget("cpu:mcpu=znver4,threads=2"),
                     .trials = 128};
  job::TuneProgress progress{.trials = 32};
  progress.outcomes = {{measure::Outcome::kOk, 30}, {measure::Outcome::kRejected, 2}};
  // 268.4 MFLOP in 2 ms: 134.2 GFLOP/s.
  progress.best = job::BestCandidate{
      .record = "r", .latency = {.min_ns = 1.9e6, .median_ns = 2e6, .mad_ns = 1, .n = 5}};
  progress.default_latency = measure::Latency{.min_ns = 6e6, .median_ns = 6e6, .mad_ns = 1, .n = 5};
  progress.machine_peak =
      measure::Peak{.gflops_1t = 100, .gflops = 190, .threads = 4, .read_gbs = 20};
  return {.id = "j1",
          .spec = spec,
          .state = job::JobState::kRunning,
          .active = absl::Seconds(16),
          .progress = progress};
}

TEST(ProgressTest, OneLineSaysItAll) {
  EXPECT_EQ(FormatProgress(TestJob()),
            "trial 32/128  ETA 0:48  best 2.000 ms  134.2 GFLOP/s  67% of peak  3.00x default  "
            "2 failed");
}

TEST(ProgressTest, WaitingSaysWhatFor) {
  job::Job job = TestJob();
  job.state = job::JobState::kQueued;
  job.reason = "no worker for x";
  EXPECT_EQ(FormatProgress(job), "waiting: no worker for x");
}

TEST(ProgressTest, TheEndIsNamed) {
  job::Job job = TestJob();
  auto& progress = std::get<job::TuneProgress>(job.progress);
  progress.trials = 128;
  EXPECT_NE(FormatProgress(job).find("comparing finalists"), std::string::npos);
  job.state = job::JobState::kSucceeded;
  EXPECT_EQ(FormatProgress(job).find("trial 128/128  succeeded  best"), 0u);
  job.state = job::JobState::kStopped;
  job.reason = "cancelled";
  EXPECT_NE(FormatProgress(job).find("stopped: cancelled"), std::string::npos);
}

TEST(ProgressTest, TheFinalistsPeakCountsMoreThanTheCalibration) {
  job::Job job = TestJob();
  auto& progress = std::get<job::TuneProgress>(job.progress);
  progress.best->peak_gflops = 268.435456;
  EXPECT_NEAR(*PeakShare(std::get<job::TuneSpec>(job.spec), progress), 0.5, 1e-9);
  progress.best.reset();
  EXPECT_FALSE(PeakShare(std::get<job::TuneSpec>(job.spec), progress).has_value());
}

TEST(FormatTest, Nanoseconds) {
  EXPECT_EQ(FormatNanoseconds(999), "999.0 ns");
  EXPECT_EQ(FormatNanoseconds(12'345), "12.35 us");
  EXPECT_EQ(FormatNanoseconds(1'234'567), "1.235 ms");
  EXPECT_EQ(FormatNanoseconds(2.5e9), "2.500 s");
}

TEST(FormatTest, Seconds) {
  EXPECT_EQ(FormatSeconds(0), "0:00");
  EXPECT_EQ(FormatSeconds(65.4), "1:05");
  EXPECT_EQ(FormatSeconds(7810), "2:10:10");
  EXPECT_EQ(FormatSeconds(-1), "0:00");
}

TEST(FormatTest, ALineThatIsTooLongIsCut) {
  EXPECT_EQ(FitLine("trial 1/2  best", 0), "trial 1/2  best");
  EXPECT_EQ(FitLine("trial 1/2  best", 16), "trial 1/2  best");
  EXPECT_EQ(FitLine("trial 1/2  best", 15), "trial 1/2  ...");
  EXPECT_EQ(FitLine("trial 1/2  best", 2), "t");
}

}  // namespace
}  // namespace alt::cli
