#include "server/store/job_codec.h"

#include <gtest/gtest.h>

#include "tests/testing/records.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

using testing::StatusIs;

TEST(JobCodecTest, ASpecReadsBack) {
  JobSpec spec = testing::MakeJob(1).spec;
  EXPECT_EQ(*DecodeSpec(Encode(spec)), spec);
  spec.kind = JobKind::kBench;
  spec.cache = measure::CacheState::kCold;
  spec.loops_only = true;
  spec.time_limit.reset();
  spec.candidate = testing::CandidateText(4);
  EXPECT_EQ(*DecodeSpec(Encode(spec)), spec);
  EXPECT_EQ(*DecodeSpec(Encode(JobSpec())), JobSpec());
}

TEST(JobCodecTest, AStartReadsBack) {
  const JobStart start{
      .sequence = 1 << 30, .l1_bytes = 3, .l2_bytes = 4, .time = absl::FromUnixMicros(-5)};
  EXPECT_EQ(*DecodeStart(Encode(start)), start);
}

TEST(JobCodecTest, ProgressReadsBack) {
  JobProgress progress;
  EXPECT_EQ(*DecodeProgress(Encode(progress)), progress);
  progress.trials = 7;
  progress.outcomes = {{measure::Outcome::kOk, 3}, {measure::Outcome::kRejected, 4}};
  progress.propose_seconds = 0.1;
  progress.seconds = {0.2, 0.3, 0.7, 1e-9};
  progress.best_record = "0123456789abcdef";
  progress.best_latency = measure::Latency{1.1, 2.2, 3.3, 4};
  progress.best_peak_gflops = 123.456;
  progress.default_latency = measure::Latency{5, 6, 7, 8};
  progress.curve = {{1, 0.1, 0.2}, {5, 0.7, 0.1}};
  progress.text = "\n";
  EXPECT_EQ(*DecodeProgress(Encode(progress)), progress);
}

TEST(JobCodecTest, ADefaultThatWasNotTimedIsAbsent) {
  JobProgress progress;
  progress.default_latency = measure::Latency();
  EXPECT_FALSE(DecodeProgress(Encode(progress))->default_latency.has_value());
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
  EXPECT_EQ(DecodeSpec(Encode(JobSpec()) + "from_the_future 1\n")->trials, 0);
}

TEST(JobCodecTest, BadValuesAreDataLoss) {
  const auto lost = [](const auto& decoded, const char* field) {
    return StatusIs(decoded, absl::StatusCode::kDataLoss, field);
  };
  EXPECT_TRUE(lost(DecodeSpec("kind brew\ncache warm\n"), "kind"));
  EXPECT_TRUE(lost(DecodeSpec("kind tune\ncache hot\n"), "cache"));
  EXPECT_TRUE(lost(DecodeStart("sequence x\n"), "sequence"));
  EXPECT_TRUE(lost(DecodeProgress("seconds 1 2 3\n"), "seconds"));
  EXPECT_TRUE(lost(DecodeProgress("seconds 1 2 3 4 5\noutcome FINE 3\n"), "outcome"));
  EXPECT_TRUE(lost(DecodeProgress("seconds 1 2 3 4 5\nbest_latency 1 2\n"), "best_latency"));
  EXPECT_TRUE(lost(DecodeProgress("seconds 1 2 3 4 5\ncurve 1 2 x\n"), "curve"));
  EXPECT_TRUE(lost(DecodeEvent("event guess\nmode search\n"), "event"));
  EXPECT_TRUE(lost(DecodeEvent("event proposal\nmode fast\n"), "mode"));
  EXPECT_TRUE(lost(DecodeEvent("event observation\nbatch x\n"), "batch"));
  EXPECT_TRUE(lost(DecodeValidators("is"), "not a field"));
}

TEST(JobTest, NamesOfKindsParseBack) {
  for (const auto kind : {JobKind::kTune, JobKind::kBench, JobKind::kPeak}) {
    EXPECT_EQ(ParseJobKind(JobKindName(kind)), kind);
  }
  EXPECT_EQ(ParseJobKind("x"), std::nullopt);
}

}  // namespace
}  // namespace alt::store
