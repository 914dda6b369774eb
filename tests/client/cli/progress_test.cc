#include "client/cli/progress.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/cli/output.h"
#include "client/cli/terminal.h"

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
            "trial 32/128  ETA 0:48  best 2.000 ms  67% of peak  3.00x default  2 failed  "
            "134.2 GFLOP/s");
}

TEST(ProgressTest, ATerminalOf80ColumnsHasABarAndWholeFields) {
  EXPECT_EQ(FormatProgressBar(TestJob(), 80, false),
            "[=>    ]  32/128  ETA 0:48  best 2.000 ms  67% of peak  3.00x default  2 failed");
  EXPECT_EQ(FormatProgressBar(TestJob(), 110, false),
            "[=====>               ]  32/128  ETA 0:48  best 2.000 ms  67% of peak  3.00x default"
            "  2 failed  134.2 GFLOP/s");
}

TEST(ProgressTest, NoFieldIsCutWhateverTheColumns) {
  const std::vector<std::string> fields = absl::StrSplit(FormatProgress(TestJob()), "  ");
  for (int columns = 16; columns < 150; ++columns) {
    const std::string line = FormatProgressBar(TestJob(), columns, false);
    EXPECT_LT(TextColumns(line), static_cast<size_t>(columns)) << line;
    std::vector<std::string> parts = absl::StrSplit(line, "  ", absl::SkipEmpty());
    if (line[0] == '[') {
      parts = absl::StrSplit(line.substr(line.find(']') + 1), "  ", absl::SkipEmpty());
      parts[0] = "trial " + parts[0];
    }
    for (const std::string& part : parts) {
      EXPECT_NE(std::find(fields.begin(), fields.end(), part), fields.end()) << line;
    }
  }
}

TEST(ProgressTest, ColoursTakeNoRoom) {
  const std::string line = FormatProgressBar(TestJob(), 80, true);
  EXPECT_NE(line.find("\x1b[1mbest 2.000 ms\x1b[0m"), std::string::npos) << line;
  EXPECT_NE(line.find("2 failed"), std::string::npos) << line;
}

TEST(ProgressTest, WaitingSaysWhatFor) {
  job::Job job = TestJob();
  job.state = job::JobState::kQueued;
  job.reason = "no worker for x";
  EXPECT_EQ(FormatProgress(job), "waiting: no worker for x");
}

TEST(ProgressTest, WhatTakesLongStandsInPlaceOfTheEta) {
  job::Job job = TestJob();
  job.activity = "computing the reference";
  EXPECT_EQ(FormatProgress(job).find("trial 32/128  computing the reference  best 2.000 ms"), 0u);
  EXPECT_EQ(FormatProgressBar(job, 60, false), "[==>      ]  32/128  computing the reference  best 2.000 ms");
  job.spec = job::PeakSpec{};
  job.progress = job::PeakProgress{};
  EXPECT_EQ(FormatProgress(job), "j1, peak: running  computing the reference");
}

TEST(ProgressTest, PlainLinesSayAtOnceWhatTakesLong) {
  static auto* const interrupts = new Interrupts();  // its thread does not end
  const Context context{.environment = {}, .options = {}, .interrupts = *interrupts};
  job::Job job = TestJob();
  const absl::Time start = absl::FromUnixSeconds(1);
  ::testing::internal::CaptureStderr();
  {
    ProgressPrinter printer(context);
    printer.Show(job, start);
    std::get<job::TuneProgress>(job.progress).trials = 33;
    printer.Show(job, start + absl::Seconds(1));  // too soon
    job.activity = "computing the reference";
    printer.Show(job, start + absl::Seconds(2));
    std::get<job::TuneProgress>(job.progress).trials = 34;
    printer.Show(job, start + absl::Seconds(3));
    job.activity.clear();
    printer.Show(job, start + absl::Seconds(4));
  }
  const std::vector<std::string> lines =
      absl::StrSplit(::testing::internal::GetCapturedStderr(), '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].find("trial 32/128  ETA"), 0u);
  EXPECT_EQ(lines[1].find("trial 33/128  computing the reference"), 0u);
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

TEST(FormatTest, ALatencyHasItsUncertainty) {
  const measure::Latency latency{.min_ns = 1.9e6, .median_ns = 2e6, .mad_ns = 20'000, .n = 16};
  EXPECT_EQ(FormatLatency(latency),
            absl::StrFormat("2.000 ms ±%.1f%%", 100 * measure::PlusMinusNs(latency) / 2e6));
}

}  // namespace
}  // namespace alt::cli
