// A job that is stopped or dies anywhere ends as if nothing had happened.

#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/server/job/job_fixture.h"
#include "tests/testing/jobs.h"
#include "tests/testing/status_matchers.h"

namespace alt::job {
namespace {

using testing::StatusIs;
using testing::Tuned;

enum class Interruption { kStop, kCrash };

struct Undisturbed {
  store::Job job;
  store::JobLog log;
  int steps = 0;
};

Undisturbed RunUndisturbed(const TuneSpec& spec) {
  World world({.failure_rate = 0.1});
  Undisturbed run;
  const std::string id = world.driver.Create(spec);
  ALT_CHECK_OK(world.driver.Begin(id));
  while (world.driver.Step()) ++run.steps;
  run.job = world.Stored(id);
  run.log = world.Log(id);
  return run;
}

void Interrupt(World& world, const std::string& id, Interruption how) {
  if (how == Interruption::kStop) {
    world.driver.Stop();
  } else {
    world.driver.Crash();
  }
  world.clock.Advance(absl::Minutes(3));
  ALT_ASSERT_OK(world.driver.Begin(id));
}

void ExpectSameEnd(const World& world, const std::string& id, const Undisturbed& expected) {
  const store::Job job = world.Stored(id);
  EXPECT_EQ(job.state, expected.job.state);
  EXPECT_EQ(world.Log(id).events, expected.log.events) << "other proposals";
  EXPECT_EQ(Tuned(job).best->record, Tuned(expected.job).best->record);
  EXPECT_EQ(Tuned(job).best->latency, Tuned(expected.job).best->latency);
  EXPECT_EQ(Tuned(job).default_latency, Tuned(expected.job).default_latency);
  EXPECT_EQ(Tuned(job).trials, Tuned(expected.job).trials);
  EXPECT_EQ(Tuned(job).proposals, Tuned(expected.job).proposals);
  EXPECT_EQ(Tuned(job).outcomes, Tuned(expected.job).outcomes);
  ASSERT_EQ(Tuned(job).curve.size(), Tuned(expected.job).curve.size());
  for (size_t i = 0; i < Tuned(job).curve.size(); ++i) {
    EXPECT_EQ(Tuned(job).curve[i].trial, Tuned(expected.job).curve[i].trial);
    EXPECT_EQ(Tuned(job).curve[i].best_ns, Tuned(expected.job).curve[i].best_ns);
  }
  EXPECT_EQ(world.store->Stats().duplicates, 0);
  EXPECT_TRUE(world.driver.violations().empty()) << world.driver.violations().front();
}

class InterruptedTest : public ::testing::TestWithParam<Interruption> {};

TEST_P(InterruptedTest, AfterAnyEventTheJobEndsAsUndisturbed) {
  const TuneSpec spec = SmallSpec(20);
  const Undisturbed expected = RunUndisturbed(spec);
  ASSERT_EQ(expected.job.state, JobState::kSucceeded);
  for (int k = 0; k < expected.steps; ++k) {
    SCOPED_TRACE(absl::StrCat("interrupted after ", k, " events"));
    World world({.failure_rate = 0.1});
    const std::string id = world.driver.Create(spec);
    ALT_ASSERT_OK(world.driver.Begin(id));
    for (int i = 0; i < k; ++i) ASSERT_TRUE(world.driver.Step());
    // A job that has ended is not run again; one whose last write is lost has not ended.
    if (GetParam() == Interruption::kStop && world.driver.tuning_job().rests()) continue;
    if (job::Rests(world.Stored(id).state)) continue;
    Interrupt(world, id, GetParam());
    ASSERT_TRUE(world.driver.Finish());
    ExpectSameEnd(world, id, expected);
    if (HasFailure()) return;
  }
}

TEST_P(InterruptedTest, AgainAndAgainItStillEndsAsUndisturbed) {
  const TuneSpec spec = SmallSpec(40);
  const Undisturbed expected = RunUndisturbed(spec);
  for (const int every : {5, 17, 40}) {
    World world({.failure_rate = 0.1}, {.shuffle = 3});
    const std::string id = world.driver.Create(spec);
    ALT_ASSERT_OK(world.driver.Begin(id));
    // Later and later, so that it gets somewhere at all.
    for (int life = 1; !world.driver.tuning_job().rests() && life < 60; ++life) {
      for (int i = 0; i < every * life && world.driver.Step(); ++i) {
      }
      if (world.driver.tuning_job().rests()) break;
      Interrupt(world, id, GetParam());
    }
    ASSERT_TRUE(world.driver.Finish());
    const store::Job job = world.Stored(id);
    EXPECT_EQ(world.Log(id).events, expected.log.events);
    EXPECT_EQ(Tuned(job).best->record, Tuned(expected.job).best->record);
    EXPECT_EQ(Tuned(job).outcomes, Tuned(expected.job).outcomes);
    EXPECT_EQ(world.store->Stats().duplicates, 0);
    EXPECT_TRUE(world.driver.violations().empty()) << world.driver.violations().front();
  }
}

TEST_P(InterruptedTest, WhatIsDurableIsNotMeasuredAgain) {
  const TuneSpec spec = SmallSpec(20);
  World world;
  const std::string id = world.driver.Create(spec);
  ALT_ASSERT_OK(world.driver.Begin(id));
  // Until the baseline and half of the first batch are written.
  while (Tuned(world.Stored(id)).trials == 0 && world.Log(id).results.size() < 9) {
    ASSERT_TRUE(world.driver.Step());
  }
  const size_t durable = world.Log(id).results.size();
  Interrupt(world, id, GetParam());
  std::set<std::pair<int64_t, int64_t>> again;
  for (const dispatch::WorkUnit& unit : world.driver.units()) {
    for (const int64_t index : unit.indices) again.insert({unit.batch, index});
  }
  EXPECT_EQ(again.size(), 21 - durable) << "the baseline and twenty trials";
  for (const store::LoggedResult& result : world.Log(id).results) {
    EXPECT_FALSE(again.contains({result.place.batch, result.place.index}));
  }
}

TEST_P(InterruptedTest, AComparisonThatLacksAResultRunsAgainWhole) {
  World world;
  const std::string id = world.driver.Create(SmallSpec(8));
  ALT_ASSERT_OK(world.driver.Begin(id));
  const auto compared = [&] {
    size_t count = 0;
    for (const store::LoggedResult& result : world.Log(id).results) {
      count += result.provenance.trial == 0;
    }
    return count;
  };
  // Two baselines and two of the finalists.
  while (compared() < 4) ASSERT_TRUE(world.driver.Step());
  Interrupt(world, id, GetParam());
  ASSERT_EQ(world.driver.units().size(), 1u);
  EXPECT_EQ(world.driver.units().front().indices.size(), 5u);
  ASSERT_TRUE(world.driver.Finish());
  EXPECT_EQ(world.Stored(id).state, JobState::kSucceeded);
}

TEST_P(InterruptedTest, ATimeLimitThatHasActedStaysSo) {
  TuneSpec spec = SmallSpec(500);
  spec.time_limit = absl::Seconds(1);
  World world;
  const std::string id = world.driver.Create(spec);
  ALT_ASSERT_OK(world.driver.Begin(id));
  while (EventsOf<store::LoggedFinishEarly>(world.Log(id)).empty()) {
    ASSERT_TRUE(world.driver.Step());
  }
  const size_t proposals = EventsOf<store::LoggedProposal>(world.Log(id)).size();
  Interrupt(world, id, GetParam());
  EXPECT_EQ(world.driver.tuning_job().NextDeadline(), absl::InfiniteFuture());
  ASSERT_TRUE(world.driver.Finish());
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
  const TuneSpec spec = SmallSpec(40);
  const Undisturbed expected = RunUndisturbed(spec);
  World world({.failure_rate = 0.1});
  const std::string id = world.driver.Create(spec);
  ALT_ASSERT_OK(world.driver.Begin(id));
  for (int i = 0; i < 30; ++i) world.driver.Step();
  world.driver.Stop();
  EXPECT_EQ(world.Run(SmallSpec(32, 77)).state, JobState::kSucceeded);
  ALT_ASSERT_OK(world.driver.Begin(id));
  ASSERT_TRUE(world.driver.Finish());
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
  EXPECT_EQ(Tuned(again->job()).trials, 20);
}

}  // namespace
}  // namespace alt::job
