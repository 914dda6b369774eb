#include "server/job/tuning_job.h"

#include <map>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/search/evaluator.h"
#include "tests/server/job/job_fixture.h"
#include "tests/testing/jobs.h"
#include "tests/testing/status_matchers.h"

namespace alt::job {
namespace {

using measure::Outcome;
using testing::FakeMeasurer;
using testing::JobDriver;
using testing::StatusIs;
using testing::Tuned;
using testing::TuneOf;

// ---- A whole job. -------------------------------------------------------------------------------

TEST(TuningJobTest, AJobSucceedsWithItsTrialsMeasured) {
  World world;
  const store::Job job = world.Run(SmallSpec(24));
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(job.reason, "");
  EXPECT_EQ(Tuned(job).trials, 24);
  EXPECT_EQ(Tuned(job).proposals, 24);
  ASSERT_TRUE(job.finished.has_value());
  EXPECT_EQ(*job.finished, job.start->time + job.active + absl::Milliseconds(0));
  EXPECT_TRUE(world.driver.violations().empty()) << world.driver.violations().front();
  EXPECT_EQ(world.driver.tuning_job().awaited(), 0);
}

TEST(TuningJobTest, TheBestIsTheTunersAndIsTheChampion) {
  World world;
  const store::Job job = world.Run(SmallSpec());
  const auto champion =
      world.store->ChampionAt(ChampionKeyOf(TuneOf(job)), world.store->LastSequence());
  ASSERT_TRUE(champion.has_value());
  EXPECT_EQ(champion->record, Tuned(job).best->record);
  EXPECT_EQ(champion->latency, Tuned(job).best->latency);
  EXPECT_EQ(champion->job, job.id);
  EXPECT_LE(Tuned(job).best->latency.median_ns, Tuned(job).default_latency->median_ns);
  ALT_ASSERT_OK_AND_ASSIGN(store::StoredRecord record,
                           world.store->GetRecord(Tuned(job).best->record));
  EXPECT_EQ(record.key.candidate, champion->candidate);
  // FLOPs by median, of what the FMA loop reached.
  const double gflops = 2.0 * 64 * 96 * 48 / champion->latency.median_ns;
  EXPECT_NEAR(*champion->peak_share, gflops / 100, 1e-9);
}

TEST(TuningJobTest, EveryTrialIsARecordOfTheJob) {
  World world;
  const store::Job job = world.Run(SmallSpec(24));
  const auto log = world.Log(job.id);
  std::set<int64_t> numbers;
  for (const store::LoggedResult& result : log.results) {
    EXPECT_EQ(result.provenance.job, job.id);
    if (result.provenance.trial > 0) numbers.insert(result.provenance.trial);
  }
  ASSERT_EQ(numbers.size(), 24u);
  EXPECT_EQ(*numbers.begin(), 1);
  EXPECT_EQ(*numbers.rbegin(), 24);
  EXPECT_EQ(world.store->Stats().records, 25) << "the trials and the baseline";
  EXPECT_EQ(world.store->Stats().duplicates, 0);
}

TEST(TuningJobTest, TheLogHasProposalsAndObservationsInOrder) {
  World world;
  const store::Job job = world.Run(SmallSpec(24));
  std::string text;
  for (const store::LogEvent& event : world.Log(job.id).events) {
    if (const auto* p = std::get_if<store::LoggedProposal>(&event)) {
      absl::StrAppend(&text, p->kind, p->batch, " ");
    } else if (const auto* o = std::get_if<store::LoggedObservation>(&event)) {
      absl::StrAppend(&text, "o", o->batch, " ");
    }
  }
  EXPECT_EQ(text, "baseline0 trials1 o0 trials2 o1 o2 baseline3 o3 finalists4 o4 ");
}

TEST(TuningJobTest, UnitsHaveAtMostEightCandidatesAndAComparisonIsOne) {
  World world;
  world.Run(SmallSpec(24));
  std::map<int64_t, std::vector<int64_t>> indices;
  for (const dispatch::WorkUnit& unit : world.driver.units()) {
    EXPECT_EQ(unit.indices.size(), unit.request->candidates.size());
    EXPECT_FALSE(unit.indices.empty());
    EXPECT_EQ(unit.request->workload, SmallSpec().workload);
    const bool compared = unit.request->mode == measure::MeasureMode::kCompare;
    // It is hardly what its worker died of.
    EXPECT_EQ(unit.max_losses, compared ? dispatch::kMaxLossesCompared : dispatch::kMaxLosses);
    if (compared) {
      EXPECT_EQ(unit.indices.size(), 5u);
    } else {
      EXPECT_LE(unit.indices.size(), 8u);
    }
    auto& of_batch = indices[unit.batch];
    of_batch.insert(of_batch.end(), unit.indices.begin(), unit.indices.end());
  }
  EXPECT_EQ(indices[1].size(), 16u);
  for (auto& [batch, of_batch] : indices) {
    for (size_t i = 0; i < of_batch.size(); ++i) EXPECT_EQ(of_batch[i], static_cast<int64_t>(i));
  }
}

TEST(TuningJobTest, RequestsCarryTheCacheStateAndTheIncumbent) {
  World world;
  TuneSpec spec = SmallSpec(24);
  spec.cache = measure::CacheState::kCold;
  world.Run(spec);
  bool any_incumbent = false;
  for (const dispatch::WorkUnit& unit : world.driver.units()) {
    EXPECT_EQ(unit.request->cache, measure::CacheState::kCold);
    any_incumbent |= unit.request->incumbent_ns.has_value();
  }
  EXPECT_TRUE(any_incumbent);
}

TEST(TuningJobTest, ProgressCountersAddUp) {
  World world({.failure_rate = 0.3});
  const store::Job job = world.Run(SmallSpec(40));
  const TuneProgress& progress = Tuned(job);
  EXPECT_EQ(progress.trials, 40);
  int64_t sum = 0;
  for (const auto& [outcome, count] : progress.outcomes) sum += count;
  EXPECT_EQ(sum, 40);
  EXPECT_GT(progress.outcomes.size(), 1u) << "some fail";
  double build = 0, run = 0;
  std::map<Outcome, int64_t> outcomes;
  for (const store::LoggedResult& logged : world.Log(job.id).results) {
    build += logged.result.seconds.build;
    run += logged.result.seconds.run;
    if (logged.provenance.trial > 0) ++outcomes[logged.result.outcome];
  }
  EXPECT_NEAR(progress.seconds.build, build, 1e-9);
  EXPECT_NEAR(progress.seconds.run, run, 1e-9);
  EXPECT_EQ(progress.outcomes, outcomes);
}

TEST(TuningJobTest, WhatWorkersWereLostWithIsNeitherTrialNorRecord) {
  World world({.failure_rate = 0.3, .failures = {Outcome::kWorkerLost}});
  const store::Job job = world.Run(SmallSpec(40));
  EXPECT_EQ(job.state, JobState::kSucceeded) << job.reason;
  EXPECT_EQ(Tuned(job).trials, 40);
  EXPECT_EQ(Tuned(job).outcomes.at(Outcome::kOk), 40);
  EXPECT_EQ(Tuned(job).outcomes.size(), 1u);
  int64_t lost = 0;
  for (const store::LoggedResult& logged : world.Log(job.id).results) {
    if (logged.result.outcome != Outcome::kWorkerLost) continue;
    ++lost;
    EXPECT_EQ(logged.provenance.trial, 0);
  }
  EXPECT_GT(lost, 0);
  for (const store::StoredRecord& record : world.store->ListRecords({.limit = 1000})) {
    EXPECT_NE(record.result.outcome, Outcome::kWorkerLost);
  }
}

TEST(TuningJobTest, TheCurveFallsAndItsTrialsRise) {
  World world;
  const store::Job job = world.Run(SmallSpec(64));
  const auto& curve = Tuned(job).curve;
  ASSERT_FALSE(curve.empty());
  for (size_t i = 1; i < curve.size(); ++i) {
    EXPECT_GT(curve[i].trial, curve[i - 1].trial);
    EXPECT_GE(curve[i].seconds, curve[i - 1].seconds);
    EXPECT_LT(curve[i].best_ns, curve[i - 1].best_ns);
  }
  EXPECT_LE(curve.back().trial, 64);
}

TEST(TuningJobTest, ProgressIsWrittenWhileTheJobRuns) {
  World world;
  const std::string id = world.driver.Create(SmallSpec(64));
  ALT_ASSERT_OK(world.driver.Begin(id));
  int64_t last = 0;
  bool between = false;
  while (world.driver.Step()) {
    const store::Job job = world.Stored(id);
    EXPECT_GE(Tuned(job).trials, last);
    last = Tuned(job).trials;
    between |= job.state == JobState::kRunning && last > 0 && last < 64;
  }
  EXPECT_TRUE(between);
}

TEST(TuningJobTest, TheTimeThatTheSearchTookIsKept) {
  World world;
  const std::string id = world.driver.Create(SmallSpec(8));
  ALT_ASSERT_OK(world.driver.Begin(id));
  world.driver.tuning_job().AddProposeSeconds(1.5);
  ASSERT_TRUE(world.driver.Finish());
  EXPECT_EQ(Tuned(world.Stored(id)).propose_seconds, 1.5);
}

// ---- Results that come as they like. ------------------------------------------------------------

TEST(TuningJobTest, ResultsOutOfOrderAndTwiceMakeNoDifference) {
  World straight;
  const store::Job expected = straight.Run(SmallSpec(40));
  const store::JobLog log = straight.Log(expected.id);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    World world({}, {.shuffle = seed});
    const store::Job job = world.Run(SmallSpec(40));
    EXPECT_EQ(world.Log(job.id).events, log.events) << "seed " << seed;
    EXPECT_EQ(Tuned(job).best->record, Tuned(expected).best->record);
    EXPECT_EQ(Tuned(job).best->latency, Tuned(expected).best->latency);
    EXPECT_EQ(Tuned(job).outcomes, Tuned(expected).outcomes);
    EXPECT_EQ(world.store->Stats().duplicates, 0);
    EXPECT_TRUE(world.driver.violations().empty()) << world.driver.violations().front();
  }
}

class OneResultTest : public ::testing::Test {
 protected:
  OneResultTest() {
    const std::string id = world_.driver.Create(SmallSpec(24));
    ALT_CHECK_OK(world_.driver.Begin(id));
  }
  Step Deliver(int64_t batch, int64_t index, double median_ns = 1000) {
    measure::MeasureResult result;
    result.outcome = Outcome::kOk;
    result.latency = {{.min_ns = median_ns, .median_ns = median_ns, .n = 3}};
    return job().OnResults({.batch = batch, .results = {{index, result}}}, world_.clock.Now());
  }
  TuningJob& job() { return world_.driver.tuning_job(); }
  World world_;
};

TEST_F(OneResultTest, IsWrittenOnce) {
  const int64_t awaited = job().awaited();
  EXPECT_EQ(awaited, 17) << "the baseline and a batch of trials";
  EXPECT_EQ(Deliver(0, 0).write.size(), 1u);
  EXPECT_EQ(job().awaited(), awaited - 1);
  const Step again = Deliver(0, 0, 5);
  EXPECT_TRUE(again.write.empty());
  EXPECT_EQ(again.token, 0);
  EXPECT_EQ(job().awaited(), awaited - 1);
}

TEST_F(OneResultTest, AndOthersThatComeTogetherAreOneWrite) {
  measure::MeasureResult crashed;
  crashed.outcome = Outcome::kCrashed;
  const Step step = job().OnResults(
      {.batch = 1, .results = {{0, crashed}, {5, crashed}, {5, crashed}}}, world_.clock.Now());
  EXPECT_EQ(step.write.size(), 2u);
  EXPECT_EQ(Tuned(job().job()).trials, 0);
  job().OnWritten(step.token, world_.clock.Now());
  EXPECT_EQ(Tuned(job().job()).trials, 2);
}

TEST_F(OneResultTest, OfAnUnknownBatchOrCandidateIsIgnored) {
  for (const auto& [batch, index] :
       {std::pair<int64_t, int64_t>{7, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 16}}) {
    const Step effects = Deliver(batch, index);
    EXPECT_TRUE(effects.write.empty() && effects.submit.empty()) << batch << ", " << index;
  }
  EXPECT_EQ(job().awaited(), 17);
}

TEST_F(OneResultTest, CountsNotBeforeItIsDurable) {
  for (int64_t i = 0; i < 15; ++i) Deliver(1, i);
  const Step last = Deliver(1, 15);
  EXPECT_EQ(Tuned(job().job()).trials, 0);
  const Step after = job().OnWritten(last.token, world_.clock.Now());
  EXPECT_EQ(Tuned(job().job()).trials, 1);
  EXPECT_TRUE(after.submit.empty()) << "the rest of the batch is not durable";
}

TEST_F(OneResultTest, AnUnknownTokenIsIgnored) {
  const Step effects = job().OnWritten(12345, world_.clock.Now());
  EXPECT_TRUE(effects.write.empty() && effects.submit.empty());
}

TEST_F(OneResultTest, AfterAStopIsIgnored) {
  job().Stop("a test", world_.clock.Now());
  EXPECT_TRUE(Deliver(0, 0).write.empty());
  EXPECT_EQ(job().job().state, JobState::kStopped);
}

TEST_F(OneResultTest, NothingIsObservedBeforeAllOfItsBatchIsWritten) {
  // All results are in; their writes become durable one by one.
  std::vector<int64_t> tokens{Deliver(0, 0).token};
  for (int64_t i = 0; i < 16; ++i) tokens.push_back(Deliver(1, i, 1000 + i).token);
  const auto observed = [](const Step& effects) {
    std::string text;
    for (const store::Mutation& mutation : effects.write) {
      const auto* append = std::get_if<store::AppendLog>(&mutation);
      if (append == nullptr) continue;
      const auto* o = std::get_if<store::LoggedObservation>(&append->event);
      if (o != nullptr) absl::StrAppend(&text, o->batch, " ");
    }
    return text;
  };
  // Trials first: they wait for the older batch.
  for (size_t i = 1; i < tokens.size(); ++i) {
    EXPECT_EQ(observed(job().OnWritten(tokens[i], world_.clock.Now())), "");
  }
  EXPECT_EQ(observed(job().OnWritten(tokens[0], world_.clock.Now())), "0 1 ");
}

// ---- Ends. --------------------------------------------------------------------------------------

TEST(TuningJobTest, WhenEverythingFailsTheJobFailsAndSaysWhy) {
  World world({.failure_rate = 1});
  const store::Job job = world.Run(SmallSpec(24));
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_TRUE(absl::StrContains(job.reason, "no candidate could be measured:\n")) << job.reason;
  EXPECT_TRUE(absl::StrContains(job.reason, "x CRASHED: injected by hash")) << job.reason;
  EXPECT_EQ(Tuned(job).trials, 24);
  EXPECT_FALSE(Tuned(job).best.has_value());
  EXPECT_FALSE(
      world.store->ChampionAt(ChampionKeyOf(TuneOf(job)), world.store->LastSequence()).has_value());
}

TEST(TuningJobTest, AJobThatFailedSoFailsAgainWithoutMeasuring) {
  World world({.failure_rate = 1});
  const store::Job job = world.Run(SmallSpec(24));
  const int64_t measured = world.measurer.measured();
  ALT_ASSERT_OK(world.driver.Begin(job.id));
  ASSERT_TRUE(world.driver.Finish());
  EXPECT_EQ(world.measurer.measured(), measured);
  EXPECT_EQ(world.Stored(job.id).state, JobState::kFailed);
}

TEST(TuningJobTest, ALostComparisonLeavesTheBestTrialAndNoChampion) {
  const std::unique_ptr<store::TuningStore> store = store::MakeMemoryTuningStore();
  testing::NoComparison measurer;
  testing::FakeClock clock;
  JobDriver driver(*store, measurer, clock);
  const std::string id = driver.Create(SmallSpec(24));
  ALT_ASSERT_OK(driver.Begin(id));
  ASSERT_TRUE(driver.Finish());
  ALT_ASSERT_OK_AND_ASSIGN(const store::Job job, store->GetJob(id));
  EXPECT_EQ(job.state, JobState::kSucceeded) << job.reason;
  ALT_ASSERT_OK_AND_ASSIGN(const auto record, store->GetRecord(Tuned(job).best->record));
  EXPECT_EQ(record.result.latency, Tuned(job).best->latency);
  EXPECT_FALSE(store->ChampionAt(ChampionKeyOf(TuneOf(job)), store->LastSequence()).has_value());
}

TEST(TuningJobTest, TheDefaultIsNotComparedBeforeAllAreMeasuredTogether) {
  const std::unique_ptr<store::TuningStore> store = store::MakeMemoryTuningStore();
  testing::NoComparison measurer;
  testing::FakeClock clock;
  JobDriver driver(*store, measurer, clock);
  const std::string id = driver.Create(SmallSpec(24));
  ALT_ASSERT_OK(driver.Begin(id));
  ASSERT_TRUE(driver.Finish());
  ALT_ASSERT_OK_AND_ASSIGN(const store::Job job, store->GetJob(id));
  EXPECT_TRUE(Tuned(job).best.has_value());
  EXPECT_FALSE(Tuned(job).default_latency.has_value());
}

TEST(TuningJobTest, TheChampionIsOfTheComparisonThatNobodyDisturbed) {
  const std::unique_ptr<store::TuningStore> store = store::MakeMemoryTuningStore();
  testing::BusyHost measurer(/*disturbed=*/2, /*factor=*/7);
  testing::FakeClock clock;
  JobDriver driver(*store, measurer, clock);
  const std::string id = driver.Create(SmallSpec(24));
  ALT_ASSERT_OK(driver.Begin(id));
  ASSERT_TRUE(driver.Finish());
  ALT_ASSERT_OK_AND_ASSIGN(const store::Job job, store->GetJob(id));
  EXPECT_EQ(job.state, JobState::kSucceeded) << job.reason;
  const auto champion = store->ChampionAt(ChampionKeyOf(TuneOf(job)), store->LastSequence());
  ASSERT_TRUE(champion.has_value());
  ALT_ASSERT_OK_AND_ASSIGN(const auto record, store->GetRecord(champion->record));
  EXPECT_EQ(record.result.latency, Tuned(job).best->latency);
  EXPECT_FALSE(record.result.disturbed);
}

TEST(TuningJobTest, ADefaultScheduleThatFailsHasNoLatency) {
  World world;
  const TuneSpec spec = SmallSpec(24);
  const auto baseline = search::DefaultCandidate(spec.workload, spec.target, {});
  world.measurer.Fail(*baseline, Outcome::kCrashed, "a test");
  const store::Job job = world.Run(spec);
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_FALSE(Tuned(job).default_latency.has_value());
}

TEST(TuningJobTest, AStoppedJobKeepsItsReason) {
  World world;
  const std::string id = world.driver.Create(SmallSpec(24));
  ALT_ASSERT_OK(world.driver.Begin(id));
  for (int i = 0; i < 10; ++i) world.driver.Step();
  world.driver.Stop();
  const store::Job job = world.Stored(id);
  EXPECT_EQ(job.state, JobState::kStopped);
  EXPECT_EQ(job.reason, "a test");
  EXPECT_TRUE(job.finished.has_value());
  EXPECT_TRUE(world.driver.tuning_job().rests());
  EXPECT_EQ(world.driver.tuning_job().NextDeadline(), absl::InfiniteFuture());
}

TEST(TuningJobTest, AFailedWriteFailsTheJob) {
  World world;
  const std::string id = world.driver.Create(SmallSpec(24));
  ALT_ASSERT_OK(world.driver.Begin(id));
  TuningJob& job = world.driver.tuning_job();
  const Step effects = job.Fail("the disk is full", world.clock.Now());
  ASSERT_EQ(effects.write.size(), 1u);
  const auto& update = std::get<store::UpdateJob>(effects.write.front());
  EXPECT_EQ(update.job.state, JobState::kFailed);
  EXPECT_EQ(update.job.reason, "the disk is full");
  EXPECT_TRUE(job.Fail("again", world.clock.Now()).write.empty());
  EXPECT_TRUE(job.Stop("again", world.clock.Now()).write.empty());
}

// ---- Time limits. -------------------------------------------------------------------------------

TEST(TimeLimitTest, EndsTheTrialsAndGoesOnToTheFinalists) {
  World world;
  TuneSpec spec = SmallSpec(500);
  spec.time_limit = absl::Seconds(1);
  const store::Job job = world.Run(spec);
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_LT(Tuned(job).trials, 100);
  EXPECT_GT(Tuned(job).trials, 0);
  EXPECT_GE(job.active, absl::Seconds(1));
  const store::JobLog log = world.Log(job.id);
  EXPECT_EQ(EventsOf<store::LoggedFinishEarly>(log).size(), 1u);
  EXPECT_EQ(EventsOf<store::LoggedProposal>(log).back().kind, "finalists");
}

TEST(TimeLimitTest, ThatIsNotReachedChangesNothing) {
  World world, other;
  TuneSpec spec = SmallSpec(24);
  const store::Job without = world.Run(spec);
  spec.time_limit = absl::Hours(1);
  const store::Job with = other.Run(spec);
  EXPECT_EQ(world.Log(without.id).events, other.Log(with.id).events);
}

TEST(TimeLimitTest, IsWaitedForFromTheStart) {
  World world;
  TuneSpec spec = SmallSpec(24);
  spec.time_limit = absl::Seconds(3);
  const std::string id = world.driver.Create(spec);
  const absl::Time begin = world.clock.Now();
  ALT_ASSERT_OK(world.driver.Begin(id));
  EXPECT_EQ(world.driver.tuning_job().NextDeadline(), begin + absl::Seconds(3));
  EXPECT_TRUE(world.driver.tuning_job().OnTime(begin + absl::Seconds(2)).write.empty());
}

TEST(TimeLimitTest, SettingTheClockIsNoTimeOfRunning) {
  World world;
  TuneSpec spec = SmallSpec(24);
  spec.time_limit = absl::Seconds(3);
  const std::string id = world.driver.Create(spec);
  ALT_ASSERT_OK(world.driver.Begin(id));
  TuningJob& job = world.driver.tuning_job();
  for (const absl::Duration step : {absl::Hours(5), -absl::Hours(9)}) {
    const absl::Time deadline = job.NextDeadline();
    job.OnClockStep(step);
    EXPECT_EQ(job.NextDeadline(), deadline + step);
  }
  job.Stop("a test", world.clock.Now() - absl::Hours(4) + absl::Seconds(1));
  EXPECT_EQ(job.job().active, absl::Seconds(1));
}

TEST(TimeLimitTest, WithoutOneThereIsNoDeadline) {
  World world;
  const std::string id = world.driver.Create(SmallSpec(24));
  ALT_ASSERT_OK(world.driver.Begin(id));
  EXPECT_EQ(world.driver.tuning_job().NextDeadline(), absl::InfiniteFuture());
}

TEST(TimeLimitTest, CountsTheTimeOfRunningOnly) {
  World world;
  TuneSpec spec = SmallSpec(500);
  spec.time_limit = absl::Seconds(1);
  const std::string id = world.driver.Create(spec);
  ALT_ASSERT_OK(world.driver.Begin(id));
  for (int i = 0; i < 40; ++i) world.driver.Step();
  world.driver.Stop();
  const absl::Duration active = world.Stored(id).active;
  EXPECT_NEAR(absl::ToDoubleSeconds(active), 0.4, 0.02);
  world.clock.Advance(absl::Hours(5));
  const absl::Time again = world.clock.Now();
  ALT_ASSERT_OK(world.driver.Begin(id));
  EXPECT_EQ(world.driver.tuning_job().NextDeadline(), again + absl::Seconds(1) - active);
  ASSERT_TRUE(world.driver.Finish());
  EXPECT_LT(world.Stored(id).active, absl::Seconds(3));
}

// ---- One job after the other. -------------------------------------------------------------------

TEST(TuningJobTest, ASecondJobMeasuresNothingOfTheFirst) {
  World world;
  const store::Job first = world.Run(SmallSpec(32, 1));
  const store::Job second = world.Run(SmallSpec(32, 2));
  EXPECT_EQ(world.store->Stats().duplicates, 0);
  EXPECT_EQ(world.store->Stats().records, 65);
  EXPECT_LE(Tuned(second).best->latency.median_ns, Tuned(first).best->latency.median_ns);
}

TEST(TuningJobTest, TheChampionTakesPartInTheNextJobsComparison) {
  World world;
  const store::Job first = world.Run(SmallSpec(32, 1));
  const auto champion =
      world.store->ChampionAt(ChampionKeyOf(TuneOf(first)), world.store->LastSequence());
  const store::Job second = world.Run(SmallSpec(8, 2));
  const auto finalists = EventsOf<store::LoggedProposal>(world.Log(second.id)).back();
  ASSERT_EQ(finalists.kind, "finalists");
  EXPECT_EQ(finalists.candidates.at(1), champion->candidate);
}

TEST(TuningJobTest, FixedLayoutsHaveChampionsOfTheirOwn) {
  World world;
  TuneSpec fixed = SmallSpec(16);
  fixed.fixed_layouts = {{"a", {}}, {"c", {}}};
  const store::Job plain = world.Run(fixed);
  EXPECT_EQ(plain.state, JobState::kSucceeded);
  EXPECT_FALSE(world.store->ChampionAt(ChampionKeyOf(SmallSpec(16)), world.store->LastSequence())
                   .has_value());
  const auto champion = world.store->ChampionAt(ChampionKeyOf(fixed), world.store->LastSequence());
  ASSERT_TRUE(champion.has_value());
  EXPECT_EQ(PrintFixedLayouts(champion->key.fixed_layouts), "a=plain,c=plain");
}

}  // namespace
}  // namespace alt::job
