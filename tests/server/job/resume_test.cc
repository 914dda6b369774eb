// A job that is stopped or dies anywhere ends as if nothing had happened.

#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/server/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::job {
namespace {

using job::JobState;
using testing::StatusIs;

enum class Interruption { kStop, kCrash };

struct Undisturbed {
  store::Job job;
  store::JobLog log;
  int steps = 0;
};

Undisturbed RunUndisturbed(const store::JobSpec& spec) {
  World world({.failure_rate = 0.1});
  Undisturbed run;
  const std::string id = world.loop.Create(spec);
  ALT_CHECK_OK(world.loop.Begin(id));
  while (world.loop.Step()) ++run.steps;
  run.job = world.Stored(id);
  run.log = world.Log(id);
  return run;
}

void Interrupt(World& world, const std::string& id, Interruption how) {
  if (how == Interruption::kStop) {
    world.loop.Stop();
  } else {
    world.loop.Crash();
  }
  world.clock.Advance(absl::Minutes(3));
  ALT_ASSERT_OK(world.loop.Begin(id));
}

void ExpectSameEnd(const World& world, const std::string& id, const Undisturbed& expected) {
  const store::Job job = world.Stored(id);
  EXPECT_EQ(job.state, expected.job.state);
  EXPECT_EQ(world.Log(id).events, expected.log.events) << "other proposals";
  EXPECT_EQ(job.progress.best_record, expected.job.progress.best_record);
  EXPECT_EQ(job.progress.best_latency, expected.job.progress.best_latency);
  EXPECT_EQ(job.progress.default_latency, expected.job.progress.default_latency);
  EXPECT_EQ(job.progress.trials, expected.job.progress.trials);
  EXPECT_EQ(job.progress.proposals, expected.job.progress.proposals);
  EXPECT_EQ(job.progress.outcomes, expected.job.progress.outcomes);
  ASSERT_EQ(job.progress.curve.size(), expected.job.progress.curve.size());
  for (size_t i = 0; i < job.progress.curve.size(); ++i) {
    EXPECT_EQ(job.progress.curve[i].trial, expected.job.progress.curve[i].trial);
    EXPECT_EQ(job.progress.curve[i].best_ns, expected.job.progress.curve[i].best_ns);
  }
  EXPECT_EQ(world.store->Stats().duplicates, 0);
  EXPECT_TRUE(world.loop.violations().empty()) << world.loop.violations().front();
}

class InterruptedTest : public ::testing::TestWithParam<Interruption> {};

TEST_P(InterruptedTest, AfterAnyEventTheJobEndsAsUndisturbed) {
  const store::JobSpec spec = SmallSpec(20);
  const Undisturbed expected = RunUndisturbed(spec);
  ASSERT_EQ(expected.job.state, JobState::kSucceeded);
  for (int k = 0; k < expected.steps; ++k) {
    SCOPED_TRACE(absl::StrCat("interrupted after ", k, " events"));
    World world({.failure_rate = 0.1});
    const std::string id = world.loop.Create(spec);
    ALT_ASSERT_OK(world.loop.Begin(id));
    for (int i = 0; i < k; ++i) ASSERT_TRUE(world.loop.Step());
    // A job that has ended is not run again; one whose last write is lost has not ended.
    if (GetParam() == Interruption::kStop && world.loop.tuning_job().rests()) continue;
    if (job::Rests(world.Stored(id).state)) continue;
    Interrupt(world, id, GetParam());
    ASSERT_TRUE(world.loop.Finish());
    ExpectSameEnd(world, id, expected);
    if (HasFailure()) return;
  }
}

TEST_P(InterruptedTest, AgainAndAgainItStillEndsAsUndisturbed) {
  const store::JobSpec spec = SmallSpec(40);
  const Undisturbed expected = RunUndisturbed(spec);
  for (const int every : {5, 17, 40}) {
    World world({.failure_rate = 0.1}, {.shuffle = 3});
    const std::string id = world.loop.Create(spec);
    ALT_ASSERT_OK(world.loop.Begin(id));
    // Later and later, so that it gets somewhere at all.
    for (int life = 1; !world.loop.tuning_job().rests() && life < 60; ++life) {
      for (int i = 0; i < every * life && world.loop.Step(); ++i) {
      }
      if (world.loop.tuning_job().rests()) break;
      Interrupt(world, id, GetParam());
    }
    ASSERT_TRUE(world.loop.Finish());
    const store::Job job = world.Stored(id);
    EXPECT_EQ(world.Log(id).events, expected.log.events);
    EXPECT_EQ(job.progress.best_record, expected.job.progress.best_record);
    EXPECT_EQ(job.progress.outcomes, expected.job.progress.outcomes);
    EXPECT_EQ(world.store->Stats().duplicates, 0);
    EXPECT_TRUE(world.loop.violations().empty()) << world.loop.violations().front();
  }
}

TEST_P(InterruptedTest, WhatIsDurableIsNotMeasuredAgain) {
  const store::JobSpec spec = SmallSpec(20);
  World world;
  const std::string id = world.loop.Create(spec);
  ALT_ASSERT_OK(world.loop.Begin(id));
  // Until the baseline and half of the first batch are written.
  while (world.Stored(id).progress.trials == 0 && world.Log(id).results.size() < 9) {
    ASSERT_TRUE(world.loop.Step());
  }
  const size_t durable = world.Log(id).results.size();
  Interrupt(world, id, GetParam());
  std::set<std::pair<int64_t, int64_t>> again;
  for (const WorkUnit& unit : world.loop.units()) {
    for (const int64_t index : unit.indices) again.insert({unit.batch, index});
  }
  EXPECT_EQ(again.size(), 21 - durable) << "the baseline and twenty trials";
  for (const store::LoggedResult& result : world.Log(id).results) {
    EXPECT_FALSE(again.contains({result.place.batch, result.place.index}));
  }
}

TEST_P(InterruptedTest, AComparisonThatLacksAResultRunsAgainWhole) {
  World world;
  const std::string id = world.loop.Create(SmallSpec(8));
  ALT_ASSERT_OK(world.loop.Begin(id));
  const auto compared = [&] {
    size_t count = 0;
    for (const store::LoggedResult& result : world.Log(id).results) {
      count += result.provenance.trial == 0;
    }
    return count;
  };
  // Two baselines and two of the finalists.
  while (compared() < 4) ASSERT_TRUE(world.loop.Step());
  Interrupt(world, id, GetParam());
  ASSERT_EQ(world.loop.units().size(), 1u);
  EXPECT_EQ(world.loop.units().front().indices.size(), 5u);
  ASSERT_TRUE(world.loop.Finish());
  EXPECT_EQ(world.Stored(id).state, JobState::kSucceeded);
}

TEST_P(InterruptedTest, ATimeLimitThatHasActedStaysSo) {
  store::JobSpec spec = SmallSpec(500);
  spec.time_limit = absl::Seconds(1);
  World world;
  const std::string id = world.loop.Create(spec);
  ALT_ASSERT_OK(world.loop.Begin(id));
  while (EventsOf<store::LoggedFinishEarly>(world.Log(id)).empty()) {
    ASSERT_TRUE(world.loop.Step());
  }
  const size_t proposals = EventsOf<store::LoggedProposal>(world.Log(id)).size();
  Interrupt(world, id, GetParam());
  EXPECT_EQ(world.loop.tuning_job().NextDeadline(), absl::InfiniteFuture());
  ASSERT_TRUE(world.loop.Finish());
  const store::JobLog log = world.Log(id);
  EXPECT_EQ(EventsOf<store::LoggedFinishEarly>(log).size(), 1u);
  EXPECT_EQ(EventsOf<store::LoggedProposal>(log).size(), proposals + 2)
      << "the baseline and the finalists";
  EXPECT_EQ(world.Stored(id).state, JobState::kSucceeded);
}

INSTANTIATE_TEST_SUITE_P(How, InterruptedTest,
                         ::testing::Values(Interruption::kStop, Interruption::kCrash),
                         [](const auto& info) {
                           return info.param == Interruption::kStop ? "Stop" : "Crash";
                         });

TEST(ResumeTest, WhatOtherJobsMeasuredMeanwhileChangesNothing) {
  const store::JobSpec spec = SmallSpec(40);
  const Undisturbed expected = RunUndisturbed(spec);
  World world({.failure_rate = 0.1});
  const std::string id = world.loop.Create(spec);
  ALT_ASSERT_OK(world.loop.Begin(id));
  for (int i = 0; i < 30; ++i) world.loop.Step();
  world.loop.Stop();
  EXPECT_EQ(world.Run(SmallSpec(32, 77)).state, JobState::kSucceeded);
  ALT_ASSERT_OK(world.loop.Begin(id));
  ASSERT_TRUE(world.loop.Finish());
  EXPECT_EQ(world.Log(id).events, expected.log.events);
}

TEST(ResumeTest, ALogThatTheTunerDoesNotRepeatIsRefused) {
  World world;
  const std::string id = world.Run(SmallSpec(20)).id;
  const store::Job job = world.Stored(id);
  const Snapshot snapshot = ReadSnapshot(*world.store, job);
  store::JobLog log = world.Log(id);
  ALT_ASSERT_OK(TuningJob::Create(job, snapshot, log));
  std::get<store::LoggedProposal>(log.events.at(1)).candidates.at(3) += "unroll(matmul.k)\n";
  EXPECT_TRUE(StatusIs(TuningJob::Create(job, snapshot, log), absl::StatusCode::kDataLoss,
                       "batch 1, candidate 3 was"));
}

TEST(ResumeTest, ALogWithoutTheResultsThatItObservesIsRefused) {
  World world;
  const std::string id = world.Run(SmallSpec(20)).id;
  const store::Job job = world.Stored(id);
  const Snapshot snapshot = ReadSnapshot(*world.store, job);
  store::JobLog log = world.Log(id);
  log.results.erase(log.results.begin() + 5);
  EXPECT_TRUE(StatusIs(TuningJob::Create(job, snapshot, log), absl::StatusCode::kDataLoss,
                       "batch 1 is observed without a result"));
}

TEST(ResumeTest, ALogThatObservesOutOfOrderIsRefused) {
  World world;
  const std::string id = world.Run(SmallSpec(20)).id;
  const store::Job job = world.Stored(id);
  const Snapshot snapshot = ReadSnapshot(*world.store, job);
  store::JobLog log = world.Log(id);
  std::get<store::LoggedObservation>(log.events.at(2)).batch = 1;
  EXPECT_TRUE(StatusIs(TuningJob::Create(job, snapshot, log), absl::StatusCode::kDataLoss,
                       "batch 1 is not the oldest"));
}

TEST(ResumeTest, ALogThatGoesOnAfterTheEndIsRefused) {
  World world;
  const std::string id = world.Run(SmallSpec(20)).id;
  const store::Job job = world.Stored(id);
  const Snapshot snapshot = ReadSnapshot(*world.store, job);
  store::JobLog log = world.Log(id);
  log.events.push_back(log.events.at(1));
  EXPECT_TRUE(StatusIs(TuningJob::Create(job, snapshot, log), absl::StatusCode::kDataLoss,
                       "nothing is proposed"));
}

TEST(ResumeTest, ResultsOfPlacesThatDoNotExistAreIgnored) {
  World world;
  const std::string id = world.Run(SmallSpec(20)).id;
  const store::Job job = world.Stored(id);
  const Snapshot snapshot = ReadSnapshot(*world.store, job);
  store::JobLog log = world.Log(id);
  store::LoggedResult odd = log.results.front();
  odd.place.index = 99;
  log.results.push_back(odd);
  ALT_ASSERT_OK_AND_ASSIGN(auto again, TuningJob::Create(job, snapshot, log));
  EXPECT_EQ(again->job().progress.trials, 20);
}

}  // namespace
}  // namespace alt::job
