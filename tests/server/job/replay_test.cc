#include "server/job/replay.h"

#include <string>

#include "absl/strings/match.h"
#include "tests/server/job/job_fixture.h"
#include "tests/testing/jobs.h"
#include "tests/testing/status_matchers.h"

namespace alt::job {
namespace {

using testing::StatusIs;

class ReplayTest : public ::testing::Test {
 protected:
  ReplayTest() { Use(SmallSpec(40)); }

  void Use(const TuneSpec& spec) {
    id_ = world_.Run(spec).id;
    job_ = world_.Stored(id_);
    log_ = world_.Log(id_);
  }

  ReplayReport Report() const {
    auto report = Replay(job_, ReadSnapshot(*world_.store, job_), log_);
    EXPECT_TRUE(testing::IsOk(report));
    return report.ok() ? *std::move(report) : ReplayReport{};
  }

  store::LoggedProposal& Proposal(int64_t batch) {
    for (store::LogEvent& event : log_.events) {
      auto* proposal = std::get_if<store::LoggedProposal>(&event);
      if (proposal != nullptr && proposal->batch == batch) return *proposal;
    }
    ALT_CHECK(false) << "no batch " << batch;
    return std::get<store::LoggedProposal>(log_.events.front());
  }

  World world_{{.failure_rate = 0.1}};
  std::string id_;
  store::Job job_;
  store::JobLog log_;
};

TEST_F(ReplayTest, AnUntouchedLogIsIdentical) {
  const ReplayReport report = Report();
  EXPECT_TRUE(report.identical);
  EXPECT_EQ(report.first_difference, "");
  int64_t proposals = 0;
  for (const auto& p : EventsOf<store::LoggedProposal>(log_)) {
    proposals += static_cast<int64_t>(p.candidates.size());
  }
  EXPECT_EQ(report.proposals, proposals);
  EXPECT_EQ(report.proposals, 40 + 2 + 5) << "trials, baseline twice, finalists";
}

TEST_F(ReplayTest, MeasuresNothing) {
  const int64_t measured = world_.measurer.measured();
  Report();
  EXPECT_EQ(world_.measurer.measured(), measured);
}

TEST_F(ReplayTest, ALogThatBreaksOffIsIdenticalSoFar) {
  log_.events.resize(4);
  const ReplayReport report = Report();
  EXPECT_TRUE(report.identical);
  EXPECT_LT(report.proposals, 47);
}

TEST_F(ReplayTest, AJobThatKnewEarlierOnesIsIdentical) {
  Use(SmallSpec(40, 9));
  EXPECT_TRUE(Report().identical) << Report().first_difference;
}

TEST_F(ReplayTest, AJobThatATimeLimitEndedIsIdentical) {
  TuneSpec spec = SmallSpec(500, 3);
  spec.time_limit = absl::Seconds(1);
  Use(spec);
  EXPECT_EQ(EventsOf<store::LoggedFinishEarly>(log_).size(), 1u);
  EXPECT_TRUE(Report().identical) << Report().first_difference;
}

TEST_F(ReplayTest, AJobThatWasInterruptedIsIdentical) {
  World world({}, {.shuffle = 4});
  const std::string id = world.driver.Create(SmallSpec(40));
  ALT_ASSERT_OK(world.driver.Begin(id));
  for (int i = 0; i < 40; ++i) world.driver.Step();
  ALT_ASSERT_OK(world.driver.Begin(id));
  ASSERT_TRUE(world.driver.Finish());
  const store::Job job = world.Stored(id);
  ALT_ASSERT_OK_AND_ASSIGN(ReplayReport report,
                           Replay(job, ReadSnapshot(*world.store, job), world.Log(id)));
  EXPECT_TRUE(report.identical) << report.first_difference;
}

TEST_F(ReplayTest, AnAlteredCandidateIsTheFirstDifference) {
  std::string& candidate = Proposal(2).candidates.at(3);
  const std::string before = candidate;
  candidate += "unroll(matmul.k)\n";
  const ReplayReport report = Report();
  EXPECT_FALSE(report.identical);
  EXPECT_TRUE(absl::StartsWith(report.first_difference, "batch 2, candidate 3 was\n"))
      << report.first_difference;
  EXPECT_TRUE(absl::StrContains(report.first_difference, "and is now\n" + before));
  EXPECT_EQ(report.proposals, 1 + 16) << "what was compared before";
}

TEST_F(ReplayTest, ACandidateTooManyOrTooFewIsADifference) {
  Proposal(1).candidates.pop_back();
  EXPECT_TRUE(absl::StartsWith(Report().first_difference, "batch 1, candidate 15 was\nnothing"))
      << Report().first_difference;
  Use(SmallSpec(40, 5));
  Proposal(1).candidates.push_back("algorithm direct\n");
  EXPECT_TRUE(absl::StartsWith(Report().first_difference, "batch 1, candidate 16 was\nalgorithm"))
      << Report().first_difference;
  EXPECT_TRUE(absl::StrContains(Report().first_difference, "and is now\nnothing"));
}

TEST_F(ReplayTest, AnAlteredResultShowsInTheBatchesThatFollow) {
  for (store::LoggedResult& result : log_.results) {
    if (result.place.batch == 1 && result.result.latency) result.result.latency->median_ns *= 5;
  }
  const ReplayReport report = Report();
  EXPECT_FALSE(report.identical);
  EXPECT_TRUE(absl::StrContains(report.first_difference, "batch ")) << report.first_difference;
}

TEST_F(ReplayTest, AnotherKindOfBatchIsADifference) {
  Proposal(1).kind = "finalists";
  EXPECT_EQ(Report().first_difference, "batch 1 of finalists is now batch 1 of trials");
}

TEST_F(ReplayTest, AnotherIncumbentIsADifference) {
  Proposal(2).incumbent_ns = 1.0;
  EXPECT_EQ(Report().first_difference, "batch 2 differs in mode or incumbent");
}

TEST_F(ReplayTest, AMissingResultIsADifference) {
  log_.results.erase(log_.results.begin() + 4);
  EXPECT_TRUE(absl::StrContains(Report().first_difference, "batch 1 is observed without a result"))
      << Report().first_difference;
}

TEST_F(ReplayTest, ALogThatGoesOnAfterTheEndIsADifference) {
  store::LoggedProposal more = Proposal(1);
  more.batch = 99;
  log_.events.push_back(more);
  EXPECT_EQ(Report().first_difference, "batch 99: nothing is proposed");
}

TEST_F(ReplayTest, AnotherSeedIsADifference) {
  testing::TuneOf(job_).seed = 1234;
  EXPECT_FALSE(Report().identical);
}

TEST_F(ReplayTest, AJobThatNeverStartedIsAnError) {
  job_.start.reset();
  EXPECT_TRUE(
      StatusIs(Replay(job_, {}, log_), absl::StatusCode::kFailedPrecondition, "has not started"));
}

}  // namespace
}  // namespace alt::job
