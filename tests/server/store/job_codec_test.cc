#include "server/store/job_codec.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "tests/testing/records.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

using testing::StatusIs;

workload::Candidate SomeCandidate() { return *workload::ParseCandidate(testing::CandidateText(4)); }

TEST(JobCodecTest, ASpecReadsBack) {
  auto tune = std::get<job::TuneSpec>(testing::MakeJob(1).spec);
  EXPECT_EQ(*DecodeSpec(Encode(tune)), job::JobSpec(tune));
  tune.time_limit.reset();
  tune.loops_only = true;
  tune.patience = 7;
  tune.refresh = 3;
  EXPECT_EQ(*DecodeSpec(Encode(tune)), job::JobSpec(tune));
  job::BenchSpec bench{.workload = tune.workload,
                       .target = tune.target,
                       .candidate = SomeCandidate(),
                       .fixed_layouts = tune.fixed_layouts,
                       .cache = measure::CacheState::kCold};
  EXPECT_EQ(*DecodeSpec(Encode(bench)), job::JobSpec(bench));
  bench.candidate.reset();
  EXPECT_EQ(*DecodeSpec(Encode(bench)), job::JobSpec(bench));
  EXPECT_EQ(*DecodeSpec(Encode(job::PeakSpec{tune.target})),
            job::JobSpec(job::PeakSpec{tune.target}));
}

TEST(JobCodecTest, AStartReadsBack) {
  JobStart start{
      .sequence = 1 << 30, .l1_bytes = 3, .l2_bytes = 4, .time = absl::FromUnixMicros(-5)};
  EXPECT_EQ(*DecodeStart(Encode(start)), start);
  start.validators = {{"cpu", "a model"}, {"llvm", "19"}};
  EXPECT_EQ(*DecodeStart(Encode(start)), start);
}

// Encoded, and decoded as that of a job of this kind.
template <typename Spec>
absl::StatusOr<job::JobProgress> Back(const job::JobProgress& progress) {
  return DecodeProgress(Encode(progress), Spec());
}

TEST(JobCodecTest, ProgressOfATuningReadsBackButForTheCandidate) {
  job::TuneProgress progress;
  EXPECT_EQ(*Back<job::TuneSpec>(progress), job::JobProgress(progress));
  progress.trials = 7;
  progress.outcomes = {{measure::Outcome::kOk, 3}, {measure::Outcome::kRejected, 4}};
  progress.propose_seconds = 0.1;
  progress.seconds = {0.2, 0.3, 0.7, 1e-9};
  progress.best.emplace().record = "0123456789abcdef";
  progress.best->latency = {1.1, 2.2, 3.3, 4};
  progress.best->peak_gflops = 123.456;
  progress.default_latency = measure::Latency{5, 6, 7, 8};
  progress.disturbed = true;
  progress.curve = {{1, 0.1, 0.2}, {5, 0.7, 0.1}};
  EXPECT_EQ(*Back<job::TuneSpec>(progress), job::JobProgress(progress));
}

TEST(JobCodecTest, ProgressOfABenchReadsBack) {
  job::BenchProgress progress;
  EXPECT_EQ(*Back<job::BenchSpec>(progress), job::JobProgress(progress));
  progress.answer.emplace().source = job::AnswerSource::kNearest;
  progress.answer->reason = "k=64 instead of 128";
  progress.answer->record = "0123456789abcdef";
  progress.answer->candidate = SomeCandidate();
  progress.answer->peak_gflops = 99.5;
  EXPECT_EQ(*Back<job::BenchSpec>(progress), job::JobProgress(progress));
  progress.answer->latency = measure::Latency{1, 2, 3, 4};
  progress.result = testing::OkResult(77.7);
  progress.result->disturbed = true;
  EXPECT_EQ(*Back<job::BenchSpec>(progress), job::JobProgress(progress));
  progress.result = testing::FailedResult(measure::Outcome::kCrashed);
  EXPECT_EQ(*Back<job::BenchSpec>(progress), job::JobProgress(progress));
}

TEST(JobCodecTest, ProgressOfAPeakReadsBack) {
  job::PeakProgress progress;
  EXPECT_EQ(*Back<job::PeakSpec>(progress), job::JobProgress(progress));
  progress.peak = {.gflops_1t = 60.5,
                   .gflops = 1.0 / 3,
                   .threads = 2,
                   .read_gbs = 20,
                   .caches = {{.level = 1, .bytes = 32 << 10, .read_gbs = 0.1},
                              {.level = 2, .bytes = 1 << 20, .read_gbs = 0.2}}};
  EXPECT_EQ(*Back<job::PeakSpec>(progress), job::JobProgress(progress));
}

TEST(JobCodecTest, WhatEarlierVersionsKeptAsJsonIsAsIfItHadNotRun) {
  const std::string old =
      "trials 0\nproposals 0\nseconds 0 0 0 0 0\nbest_record \ntext {\"source\":1}\n";
  EXPECT_EQ(*DecodeProgress(old, job::BenchSpec()), job::JobProgress(job::BenchProgress()));
  EXPECT_EQ(*DecodeProgress(old, job::PeakSpec()), job::JobProgress(job::PeakProgress()));
}

TEST(JobCodecTest, ADefaultThatWasNotTimedIsAbsent) {
  job::TuneProgress progress;
  progress.default_latency = measure::Latency();
  EXPECT_EQ(*Back<job::TuneSpec>(progress), job::JobProgress(job::TuneProgress()));
}

TEST(JobCodecTest, EventsReadBack) {
  const LogEvent events[] = {
      LoggedProposal{.batch = 3, .kind = "finalists", .mode = measure::MeasureMode::kCompare},
      LoggedProposal{.batch = 4,
                     .kind = "trials",
                     .incumbent_ns = 1.0 / 3,
                     .candidates = {testing::CandidateText(1), ""}},
      LoggedObservation{.batch = 4},
      LoggedFinishEarly{},
  };
  for (const LogEvent& event : events) EXPECT_EQ(*DecodeEvent(Encode(event)), event);
}

TEST(JobCodecTest, ValidatorsReadBack) {
  const measure::Validators validators = {{"cpu", "AMD EPYC 9B14"}, {"llvm", ""}};
  EXPECT_EQ(*DecodeValidators(Encode(validators)), validators);
  EXPECT_EQ(Encode(measure::Validators()), "");
}

TEST(JobCodecTest, ReadersIgnoreWhatTheyDoNotKnow) {
  const job::JobSpec spec = testing::MakeJob(1).spec;
  EXPECT_EQ(*DecodeSpec(Encode(spec) + "from_the_future 1\n"), spec);
}

TEST(JobCodecTest, BadValuesAreDataLoss) {
  const auto lost = [](const auto& decoded, const char* field) {
    return StatusIs(decoded, absl::StatusCode::kDataLoss, field);
  };
  const std::string tune = absl::StrCat("kind tune\nworkload ", testing::kWorkloadText, "\ntarget ",
                                        testing::kTargetText, "\n");
  const job::TuneSpec tunes;
  EXPECT_TRUE(lost(DecodeSpec("kind brew\ncache warm\n"), "kind"));
  EXPECT_TRUE(lost(DecodeSpec(tune + "cache hot\n"), "cache"));
  EXPECT_TRUE(lost(DecodeStart("sequence x\n"), "sequence"));
  EXPECT_TRUE(lost(DecodeProgress("seconds 1 2 3\n", tunes), "seconds"));
  EXPECT_TRUE(lost(DecodeProgress("seconds 1 2 3 4 5\noutcome FINE 3\n", tunes), "outcome"));
  EXPECT_TRUE(lost(DecodeProgress("seconds 1 2 3 4 5\nbest_latency 1 2\n", tunes), "best_latency"));
  EXPECT_TRUE(lost(DecodeProgress("seconds 1 2 3 4 5\ncurve 1 2 x\n", tunes), "curve"));
  EXPECT_TRUE(lost(DecodeEvent("event guess\nmode search\n"), "event"));
  EXPECT_TRUE(lost(DecodeEvent("event proposal\nmode fast\n"), "mode"));
  EXPECT_TRUE(lost(DecodeEvent("event observation\nbatch x\n"), "batch"));
  EXPECT_TRUE(lost(DecodeValidators("is"), "not a field"));
}

TEST(JobCodecTest, TextsThatAreNotTakenAnyMoreAreNoDamage) {
  const auto refused = [](const auto& decoded, const char* why) {
    return StatusIs(decoded, absl::StatusCode::kInvalidArgument, why);
  };
  EXPECT_TRUE(refused(DecodeSpec("kind bench\nworkload conv9d:n=1\n"), "conv9d"));
  EXPECT_TRUE(refused(DecodeSpec("kind peak\ntarget abacus\n"), "abacus"));
  EXPECT_TRUE(refused(DecodeProgress("source exact\ncandidate algorithm magic\n", job::BenchSpec()),
                      "magic"));
}

}  // namespace
}  // namespace alt::store
