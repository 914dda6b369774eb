#include <set>
#include <string>

#include "absl/strings/match.h"
#include "common/lower/lower.h"
#include "server/search/evaluator.h"
#include "tests/server/search/tuner_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::search {
namespace {

using measure::MeasureMode;
using measure::Outcome;
using testing::FakeMeasurer;
using testing::StatusIs;

constexpr char kMatmul[] = "matmul:m=64,n=96,k=48";
constexpr char kConv[] = "conv2d:n=1,ic=32,ih=14,iw=14,oc=48,kh=3,kw=3,pad=1";

// ---- The order of things. -----------------------------------------------------------------------

TEST(TunerTest, BaselineTrialsBaselineFinalists) {
  FakeMeasurer measurer;
  const TunerRun run = Tune(TaskOf(kMatmul, 40), measurer);
  std::string kinds;
  for (size_t i = 0; i < run.batches.size(); ++i) {
    EXPECT_EQ(run.batches[i].number, static_cast<int64_t>(i));
    kinds += "btf"[static_cast<int>(run.batches[i].kind)];
  }
  EXPECT_EQ(kinds, "btttbf");
}

TEST(TunerTest, TrialsComeInBatchesOfSixteenAndTheLastHasTheRest) {
  FakeMeasurer measurer;
  const TunerRun run = Tune(TaskOf(kMatmul, 40), measurer);
  std::vector<size_t> sizes;
  for (const Batch& batch : run.batches) {
    if (batch.kind == BatchKind::kTrials) sizes.push_back(batch.candidates.size());
  }
  EXPECT_EQ(sizes, (std::vector<size_t>{16, 16, 8}));
}

TEST(TunerTest, ThereAreExactlyTheTrialsAskedFor) {
  for (const int64_t trials : {0, 1, 15, 16, 17, 50}) {
    FakeMeasurer measurer;
    const TunerRun run = Tune(TaskOf(kMatmul, trials), measurer);
    EXPECT_EQ(static_cast<int64_t>(run.Trials().size()), trials);
    ALT_ASSERT_OK(run.summary);
    EXPECT_EQ(run.summary->trials, trials);
    EXPECT_GE(run.summary->proposals, trials);
    EXPECT_LE(run.summary->proposals, std::max<int64_t>(4 * trials, 4));
  }
}

TEST(TunerTest, AtMostTwoBatchesAreInFlight) {
  const TuningTask task = TaskOf(kMatmul, 64);
  auto tuner = TunerOf(task);
  FakeMeasurer measurer;
  const auto first = tuner->Next();
  const auto second = tuner->Next();
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(tuner->Next());
  ALT_ASSERT_OK(tuner->Observe(first->number, Measure(task, *first, measurer)));
  EXPECT_TRUE(tuner->Next());
  EXPECT_FALSE(tuner->Next());
  FakeMeasurer other;
  EXPECT_EQ(Tune(TaskOf(kMatmul, 64), other).most_in_flight, 2u);
}

TEST(TunerTest, TheBaselineIsMeasuredFirstAndAfterAllTrials) {
  const TuningTask task = TaskOf(kMatmul, 40);
  FakeMeasurer measurer;
  const TunerRun run = Tune(task, measurer);
  ALT_ASSERT_OK_AND_ASSIGN(workload::Candidate baseline,
                           DefaultCandidate(task.workload, task.target, {}));
  EXPECT_EQ(run.Candidates(BatchKind::kBaseline),
            (std::vector<std::string>(2, workload::Print(baseline))));
}

TEST(TunerTest, TheLastBaselineWaitsForAllTrials) {
  const TuningTask task = TaskOf(kMatmul, 16);
  auto tuner = TunerOf(task);
  FakeMeasurer measurer;
  const auto baseline = tuner->Next(), trials = tuner->Next();
  ALT_ASSERT_OK(tuner->Observe(baseline->number, Measure(task, *baseline, measurer)));
  EXPECT_FALSE(tuner->Next()) << "a batch of trials is still out";
  ALT_ASSERT_OK(tuner->Observe(trials->number, Measure(task, *trials, measurer)));
  const auto last = tuner->Next();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->kind, BatchKind::kBaseline);
  EXPECT_FALSE(tuner->Next()) << "finalists are chosen when it is in";
}

TEST(TunerTest, SearchBatchesTellTheBestSoFar) {
  FakeMeasurer measurer;
  const TuningTask task = TaskOf(kMatmul, 64);
  auto tuner = TunerOf(task);
  std::deque<Batch> in_flight;
  std::optional<double> best;
  while (!tuner->done()) {
    while (auto batch = tuner->Next()) {
      if (batch->kind == BatchKind::kTrials) {
        EXPECT_EQ(batch->incumbent_ns, best);
        EXPECT_EQ(batch->mode, MeasureMode::kSearch);
      } else {
        EXPECT_FALSE(batch->incumbent_ns.has_value()) << "nothing is cut short";
      }
      EXPECT_EQ(batch->mode == MeasureMode::kCompare, batch->kind == BatchKind::kFinalists);
      in_flight.push_back(*std::move(batch));
    }
    const auto results = Measure(task, in_flight.front(), measurer);
    for (const auto& result : results) {
      if (result.censored) continue;
      best = std::min(best.value_or(result.latency->median_ns), result.latency->median_ns);
    }
    ALT_ASSERT_OK(tuner->Observe(in_flight.front().number, results));
    in_flight.pop_front();
  }
}

// ---- What is proposed. --------------------------------------------------------------------------

TEST(TunerTest, NoCandidateIsATrialTwiceNorIsTheBaseline) {
  for (const char* workload : {kMatmul, kConv}) {
    FakeMeasurer measurer;
    const TunerRun run = Tune(TaskOf(workload, 100), measurer);
    const std::vector<std::string> trials = run.Trials();
    const std::set<std::string> different(trials.begin(), trials.end());
    EXPECT_EQ(different.size(), trials.size());
    EXPECT_FALSE(different.contains(run.Candidates(BatchKind::kBaseline).front()));
  }
}

TEST(TunerTest, EveryTrialLowers) {
  FakeMeasurer measurer;
  const TuningTask task = TaskOf(kConv, 48);
  for (const Batch& batch : Tune(task, measurer).batches) {
    for (const workload::Candidate& candidate : batch.candidates) {
      ALT_EXPECT_OK(lower::Lower(task.workload, candidate, task.target));
    }
  }
}

TEST(TunerTest, TheSameSeedAndResultsMakeTheSameProposals) {
  for (const char* policy : {"evolve", "random"}) {
    TuningTask task = TaskOf(kMatmul, 64, 5);
    task.policy = policy;
    FakeMeasurer a, b;
    const TunerRun first = Tune(task, a), second = Tune(task, b);
    EXPECT_EQ(first.Trials(), second.Trials());
    EXPECT_EQ(first.Candidates(BatchKind::kFinalists), second.Candidates(BatchKind::kFinalists));
  }
}

TEST(TunerTest, WithoutAPolicyItIsTheDefaultOne) {
  FakeMeasurer a, b;
  TuningTask task = TaskOf(kMatmul, 32);
  EXPECT_EQ(task.policy, "");
  const TunerRun unnamed = Tune(task, a);
  task.policy = kDefaultPolicy;
  EXPECT_EQ(unnamed.Trials(), Tune(task, b).Trials());
}

TEST(TunerTest, AnotherSeedMakesOthers) {
  FakeMeasurer a, b;
  EXPECT_NE(Tune(TaskOf(kMatmul, 64, 5), a).Trials(), Tune(TaskOf(kMatmul, 64, 6), b).Trials());
}

TEST(TunerTest, OtherResultsMakeOtherProposals) {
  FakeMeasurer a({.seed = 1}), b({.seed = 2});
  EXPECT_NE(Tune(TaskOf(kMatmul, 64), a).Trials(), Tune(TaskOf(kMatmul, 64), b).Trials());
}

TEST(TunerTest, ExhaustedSpacesEndEarly) {
  FakeMeasurer measurer;
  const TunerRun run = Tune(TaskOf("matmul:m=1,n=1,k=1", 500), measurer);
  EXPECT_GT(run.Trials().size(), 0u);
  EXPECT_LT(run.Trials().size(), 100u);
  ALT_ASSERT_OK(run.summary);
  EXPECT_EQ(run.summary->trials, static_cast<int64_t>(run.Trials().size()));
  EXPECT_EQ(run.batches.back().kind, BatchKind::kFinalists);
}

TEST(TunerTest, SpacesWhoseFewPointsAreLegalAreNotTakenForExhausted) {
  // Of a hundred random points of this one, six build.
  FakeMeasurer measurer;
  const auto run =
      Tune(TaskOf("conv2d:n=1,ic=128,ih=14,iw=14,oc=128,kh=3,kw=3,pad=1,groups=32", 200), measurer);
  EXPECT_EQ(run.Trials().size(), 200u);
}

// ---- What is kept. ------------------------------------------------------------------------------

class LoopsOnlyTest : public ::testing::TestWithParam<const char*> {};

TEST_P(LoopsOnlyTest, LayoutsStayThoseOfTheBaseline) {
  TuningTask task = TaskOf(GetParam(), 32);
  task.loops_only = true;
  FakeMeasurer measurer;
  const TunerRun run = Tune(task, measurer);
  EXPECT_EQ(run.Trials().size(), 32u);
  ASSERT_FALSE(run.batches.empty());
  const auto& kept = run.batches.front().candidates.front().layouts;
  for (const Batch& batch : run.batches) {
    for (const workload::Candidate& candidate : batch.candidates) {
      EXPECT_EQ(candidate.layouts, kept) << workload::Print(candidate);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Workloads, LoopsOnlyTest,
    ::testing::Values(kMatmul, kConv, "conv2d:n=1,ic=512,ih=7,iw=7,oc=512,kh=3,kw=3,stride=1,pad=1",
                      "conv2d:n=1,ic=32,ih=9,iw=9,oc=32,kh=3,kw=3,pad=1,groups=32",
                      "conv2d:n=1,ic=128,ih=14,iw=14,oc=128,kh=3,kw=3,pad=1,groups=32"));

TEST(TunerTest, FixedLayoutsAreThoseOfEveryCandidate) {
  TuningTask task = TaskOf(kConv, 32);
  task.fixed_layouts = Fixed({{"x", ""}, {"y", "split(1,16) reorder(0,1,3,4,2)"}}).fixed_layouts;
  FakeMeasurer measurer;
  for (const Batch& batch : Tune(task, measurer).batches) {
    for (const workload::Candidate& candidate : batch.candidates) {
      EXPECT_EQ(LayoutText(candidate, "x"), "");
      EXPECT_EQ(LayoutText(candidate, "y"), "split(1,16) reorder(0,1,3,4,2)");
    }
  }
}

// ---- What the database knows. -------------------------------------------------------------------

// Everything that another run measured.
std::vector<TuningTask::Known> KnownFrom(const TunerRun& run, const TuningTask& task,
                                         FakeMeasurer& measurer) {
  std::vector<TuningTask::Known> known;
  for (const Batch& batch : run.batches) {
    if (batch.kind != BatchKind::kTrials) continue;
    const auto results = Measure(task, {.candidates = batch.candidates}, measurer);
    for (size_t i = 0; i < results.size(); ++i) known.push_back({batch.candidates[i], results[i]});
  }
  return known;
}

TEST(TunerTest, WhatIsKnownIsNeverATrial) {
  TuningTask task = TaskOf(kMatmul, 48);
  FakeMeasurer measurer;
  const TunerRun before = Tune(task, measurer);
  task.known = KnownFrom(before, task, measurer);
  const TunerRun after = Tune(task, measurer);
  EXPECT_EQ(after.Trials().size(), 48u);
  const auto trials = before.Trials();
  const std::set<std::string> known(trials.begin(), trials.end());
  for (const std::string& trial : after.Trials()) EXPECT_FALSE(known.contains(trial));
}

TEST(TunerTest, TheBestThatIsKnownIsAFinalist) {
  TuningTask task = TaskOf(kMatmul, 48);
  FakeMeasurer measurer;
  const TunerRun before = Tune(task, measurer);
  task.known = KnownFrom(before, task, measurer);
  task.trials = 0;
  const TunerRun after = Tune(task, measurer);
  ALT_ASSERT_OK(before.summary);
  ALT_ASSERT_OK(after.summary);
  EXPECT_EQ(after.summary->best, before.summary->best);
  EXPECT_EQ(after.summary->trials, 0);
}

TEST(TunerTest, WhatIsKnownInOtherLayoutsThanTheFixedIsNoAnswer) {
  TuningTask task = TaskOf(kConv, 48);
  FakeMeasurer measurer;
  task.known = KnownFrom(Tune(task, measurer), task, measurer);
  std::erase_if(task.known,
                [](const auto& known) { return LayoutText(known.candidate, "y").empty(); });
  ASSERT_FALSE(task.known.empty());
  for (TuningTask::Known& known : task.known) known.result.latency->median_ns = 1;
  task.fixed_layouts = Fixed({{"x", ""}, {"y", ""}}).fixed_layouts;
  task.trials = 8;
  const TunerRun run = Tune(task, measurer);
  ALT_ASSERT_OK(run.summary);
  EXPECT_EQ(LayoutText(run.summary->best, "y"), "");
  for (const Batch& batch : run.batches) EXPECT_FALSE(batch.incumbent_ns == 1);
}

TEST(TunerTest, TrialsRaceAgainstTheBestThatIsKnown) {
  TuningTask task = TaskOf(kMatmul, 16);
  FakeMeasurer measurer;
  task.known = KnownFrom(Tune(TaskOf(kMatmul, 100), measurer), task, measurer);
  double best = 1e300;
  for (const auto& known : task.known) best = std::min(best, known.result.latency->median_ns);
  auto tuner = TunerOf(task);
  (void)tuner->Next();
  EXPECT_EQ(tuner->Next()->incumbent_ns, best);
}

TEST(TunerTest, ASearchThatKnowsAnEarlierOneGoesOnFromThere) {
  double cold = 0, warm = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    FakeMeasurer measurer({.seed = seed});
    TuningTask task = TaskOf(kMatmul, 32, seed);
    const TunerRun before = Tune(task, measurer);
    TuningTask next = task;
    next.known = KnownFrom(before, task, measurer);
    next.seed = seed + 100;
    cold += before.summary->best_latency.median_ns;
    warm += Tune(next, measurer).summary->best_latency.median_ns;
  }
  EXPECT_LT(warm, cold);
}

TEST(TunerTest, WhatIsStaleIsComparedAgainAndNoTrial) {
  TuningTask task = TaskOf(kMatmul, 0);
  task.refresh = 2;
  for (const char* text : {"vectorize(matmul.n, 8)", "vectorize(matmul.n, 4)"}) {
    task.stale.push_back(*workload::ParseCandidate(text));
  }
  FakeMeasurer measurer;
  const TunerRun run = Tune(task, measurer);
  ALT_ASSERT_OK(run.summary);
  EXPECT_EQ(run.summary->trials, 0);
  EXPECT_TRUE(run.Trials().empty());
  EXPECT_EQ(run.Candidates(BatchKind::kFinalists).size(), 3u) << "and the default schedule";
}

TEST(TunerTest, TheIncumbentIsAFinalist) {
  TuningTask task = TaskOf(kMatmul, 16);
  task.incumbent = *workload::ParseCandidate("vectorize(matmul.n, 8)");
  FakeMeasurer measurer;
  const auto finalists = Tune(task, measurer).Candidates(BatchKind::kFinalists);
  EXPECT_EQ(finalists.size(), 6u) << "the baseline, the incumbent and the best four";
  EXPECT_EQ(finalists[1], workload::Print(*task.incumbent));
}

TEST(TunerTest, AnIncumbentThatIsTheBaselineStandsOnce) {
  TuningTask task = TaskOf(kMatmul, 16);
  task.incumbent = *DefaultCandidate(task.workload, task.target, {});
  FakeMeasurer measurer;
  const auto finalists = Tune(task, measurer).Candidates(BatchKind::kFinalists);
  EXPECT_EQ(std::count(finalists.begin(), finalists.end(), workload::Print(*task.incumbent)), 1);
}

// ---- Ends. --------------------------------------------------------------------------------------

TEST(TunerTest, PatienceStopsAfterTrialsWithoutABetterOne) {
  TuningTask task = TaskOf(kMatmul, 500);
  task.patience = 20;
  // Everything is as fast as everything: nothing beats the baseline.
  FakeMeasurer measurer({.latency_ns = [](const auto&, const auto&) { return 1000.0; }});
  const TunerRun run = Tune(task, measurer);
  // Two batches use it up, and one more was in flight.
  EXPECT_EQ(run.Trials().size(), 48u);
  EXPECT_EQ(run.batches.back().kind, BatchKind::kFinalists);
}

TEST(TunerTest, ABetterTrialRestoresPatience) {
  TuningTask task = TaskOf(kMatmul, 200);
  task.patience = 20;
  double latency = 1e9;
  FakeMeasurer measurer({.latency_ns = [&](const auto&, const auto&) { return latency -= 1; }});
  EXPECT_EQ(Tune(task, measurer).Trials().size(), 200u);
}

TEST(TunerTest, FailuresUsePatienceUp) {
  TuningTask task = TaskOf(kMatmul, 500);
  task.patience = 20;
  FakeMeasurer measurer({.failure_rate = 1});
  EXPECT_EQ(Tune(task, measurer).Trials().size(), 48u);
}

TEST(TunerTest, FinishingEarlyGoesOnToBaselineAndFinalists) {
  const TuningTask task = TaskOf(kMatmul, 500);
  FakeMeasurer measurer;
  int observed = 0;
  const TunerRun run = Tune(task, measurer, [&](Tuner& tuner) {
    if (++observed == 3) tuner.FinishEarly();
  });
  EXPECT_EQ(run.Trials().size(), 48u) << "what was proposed is awaited";
  EXPECT_EQ(run.CountOf(BatchKind::kBaseline), 2);
  EXPECT_EQ(run.CountOf(BatchKind::kFinalists), 1);
  ALT_EXPECT_OK(run.summary);
}

TEST(TunerTest, FinishingBeforeTheStartMeasuresTheBaselineOnly) {
  const TuningTask task = TaskOf(kMatmul, 500);
  FakeMeasurer measurer;
  auto tuner = TunerOf(task);
  tuner->FinishEarly();
  const TunerRun run = Tune(*tuner, task, measurer);
  EXPECT_TRUE(run.Trials().empty());
  ALT_ASSERT_OK(run.summary);
  EXPECT_EQ(workload::Print(run.summary->best), run.Candidates(BatchKind::kBaseline).front());
}

TEST(TunerTest, FinishingTwiceOrLateIsNoMatter) {
  const TuningTask task = TaskOf(kMatmul, 32);
  FakeMeasurer measurer;
  const TunerRun run = Tune(task, measurer, [&](Tuner& tuner) { tuner.FinishEarly(); });
  ALT_EXPECT_OK(run.summary);
  EXPECT_EQ(run.CountOf(BatchKind::kFinalists), 1);
}

// ---- The verdict. -------------------------------------------------------------------------------

TEST(TunerTest, FinalistsAreTheBaselineAndTheBestFour) {
  FakeMeasurer measurer;
  const TuningTask task = TaskOf(kMatmul, 64);
  const TunerRun run = Tune(task, measurer);
  std::vector<std::pair<double, std::string>> ranked;
  for (const Batch& batch : run.batches) {
    if (batch.kind != BatchKind::kTrials) continue;
    for (const workload::Candidate& c : batch.candidates) {
      ranked.emplace_back(measurer.ModelLatencyNs(task.workload, c), workload::Print(c));
    }
  }
  std::sort(ranked.begin(), ranked.end());
  const auto finalists = run.Candidates(BatchKind::kFinalists);
  ASSERT_EQ(finalists.size(), 5u);
  EXPECT_EQ(finalists[0], run.Candidates(BatchKind::kBaseline).front());
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(finalists[i + 1], ranked[i].second);
}

TEST(TunerTest, TheBestIsTheFastestOfTheComparison) {
  FakeMeasurer measurer({.noise = 0.3});
  const TuningTask task = TaskOf(kMatmul, 64);
  const TunerRun run = Tune(task, measurer);
  ALT_ASSERT_OK(run.summary);
  EXPECT_LE(run.summary->best_latency.median_ns, run.summary->default_latency->median_ns);
  EXPECT_EQ(run.summary->best_peak_gflops, 100);
  const auto finalists = run.Candidates(BatchKind::kFinalists);
  EXPECT_NE(std::find(finalists.begin(), finalists.end(), workload::Print(run.summary->best)),
            finalists.end());
}

TEST(TunerTest, WhatIsNotFasterThanTheBaselineDoesNotReplaceIt) {
  FakeMeasurer measurer({.latency_ns = [](const auto&, const auto&) { return 1000.0; }});
  const TunerRun run = Tune(TaskOf(kMatmul, 32), measurer);
  ALT_ASSERT_OK(run.summary);
  EXPECT_EQ(workload::Print(run.summary->best), run.Candidates(BatchKind::kBaseline).front());
}

TEST(TunerTest, CensoredTrialsAreNoFinalists) {
  // The baseline is so fast that every trial is cut short.
  const TuningTask task = TaskOf(kMatmul, 16);
  const auto baseline = *DefaultCandidate(task.workload, task.target, {});
  FakeMeasurer measurer({.latency_ns = [&](const auto&, const workload::Candidate& c) {
    return c == baseline ? 1.0 : 1000.0;
  }});
  auto tuner = TunerOf(task);
  const auto first = tuner->Next();
  ALT_ASSERT_OK(tuner->Observe(first->number, Measure(task, *first, measurer)));
  const TunerRun run = Tune(*tuner, task, measurer);
  EXPECT_EQ(run.Trials().size(), 16u);
  EXPECT_EQ(run.Candidates(BatchKind::kFinalists).size(), 1u);
}

TEST(TunerTest, ABaselineThatFailsLeavesTheOthers) {
  FakeMeasurer measurer;
  const TuningTask task = TaskOf(kMatmul, 32);
  measurer.Fail(*DefaultCandidate(task.workload, task.target, {}), Outcome::kRejected, "spills");
  const TunerRun run = Tune(task, measurer);
  ALT_ASSERT_OK(run.summary);
  EXPECT_NE(workload::Print(run.summary->best), run.Candidates(BatchKind::kBaseline).front());
  EXPECT_FALSE(run.summary->default_latency.has_value());
}

TEST(TunerTest, AComparisonThatOthersDisturbedIsMadeAgain) {
  testing::BusyHost busy(/*disturbed=*/1, /*factor=*/5);
  FakeMeasurer quiet;
  const TuningTask task = TaskOf(kMatmul, 32);
  const TunerRun run = Tune(task, busy), alone = Tune(task, quiet);
  ALT_ASSERT_OK(run.summary);
  EXPECT_EQ(run.CountOf(BatchKind::kFinalists), 2);
  EXPECT_FALSE(run.summary->disturbed) << "the second one was not";
  EXPECT_EQ(run.batches.back().candidates, run.batches[run.batches.size() - 2].candidates);
  EXPECT_EQ(run.summary->comparison, run.batches.back().number);
  EXPECT_EQ(run.summary->best_latency, alone.summary->best_latency);
  EXPECT_EQ(run.summary->default_latency, alone.summary->default_latency);
}

TEST(TunerTest, AHostThatIsNeverQuietGetsTheLastComparison) {
  testing::BusyHost busy(/*disturbed=*/100, /*factor=*/5);
  FakeMeasurer quiet;
  const TuningTask task = TaskOf(kMatmul, 32);
  const TunerRun run = Tune(task, busy), alone = Tune(task, quiet);
  ALT_ASSERT_OK(run.summary);
  EXPECT_EQ(run.CountOf(BatchKind::kFinalists), 3);
  EXPECT_TRUE(run.summary->disturbed);
  EXPECT_EQ(run.summary->comparison, run.batches.back().number);
  // Both are of the same rounds: the load is in both.
  EXPECT_DOUBLE_EQ(
      run.summary->default_latency->median_ns / run.summary->best_latency.median_ns,
      alone.summary->default_latency->median_ns / alone.summary->best_latency.median_ns);
}

TEST(TunerTest, WhenTheComparisonIsLostTheBestTrialIsTheAnswer) {
  testing::NoComparison measurer;
  const TuningTask task = TaskOf(kMatmul, 64);
  const TunerRun run = Tune(task, measurer);
  ALT_ASSERT_OK(run.summary);
  EXPECT_FALSE(run.summary->comparison.has_value());
  EXPECT_EQ(workload::Print(run.summary->best), run.Candidates(BatchKind::kFinalists)[1]);
  EXPECT_EQ(run.summary->best_latency,
            Measure(task, {.candidates = {run.summary->best}}, measurer)[0].latency);
  EXPECT_FALSE(run.summary->default_latency.has_value());
}

// Loses every third candidate of a search, whoever it is.
class LossyMeasurer : public measure::Measurer {
 public:
  std::vector<measure::MeasureResult> Measure(const measure::MeasureRequest& request,
                                              absl::FunctionRef<bool()> cancelled) override {
    std::vector<measure::MeasureResult> results = inner_.Measure(request, cancelled);
    if (request.mode == measure::MeasureMode::kCompare) return results;
    for (measure::MeasureResult& result : results) {
      if (++measured_ % 3 == 0) result = {.outcome = Outcome::kWorkerLost};
    }
    return results;
  }

 private:
  FakeMeasurer inner_;
  int64_t measured_ = 0;
};

TEST(TunerTest, ACandidateThatWorkersWereLostWithIsNoTrial) {
  LossyMeasurer measurer;
  const TuningTask task = TaskOf(kMatmul, 40);
  const TunerRun run = Tune(task, measurer);
  ALT_ASSERT_OK(run.summary);
  EXPECT_EQ(run.summary->trials, 40);
  EXPECT_NEAR(static_cast<double>(run.Trials().size()), 60, 1) << "a third was not measured";
  EXPECT_LE(run.most_in_flight, 2u);
}

TEST(TunerTest, WhenAllAreLostTheSearchEnds) {
  class : public measure::Measurer {
    std::vector<measure::MeasureResult> Measure(const measure::MeasureRequest& request,
                                                absl::FunctionRef<bool()>) override {
      return std::vector(request.candidates.size(),
                         measure::MeasureResult{.outcome = Outcome::kWorkerLost, .message = "off"});
    }
  } measurer;
  const TunerRun run = Tune(TaskOf(kMatmul, 16), measurer);
  EXPECT_TRUE(StatusIs(run.summary, absl::StatusCode::kFailedPrecondition, "WORKER_LOST: off"));
  EXPECT_LE(run.Trials().size(), 64u);
}

TEST(TunerTest, LostCandidatesDoNotReopenASearchThatWasEnded) {
  LossyMeasurer measurer;
  const TunerRun run =
      Tune(TaskOf(kMatmul, 64), measurer, [](Tuner& tuner) { tuner.FinishEarly(); });
  ALT_ASSERT_OK(run.summary);
  EXPECT_LE(run.Trials().size(), 16u);
}

TEST(TunerTest, WhatIsKnownIsNoVerdictOfAJobThatMeasuredNothing) {
  FakeMeasurer good, bad({.failure_rate = 1});
  TuningTask task = TaskOf(kMatmul, 16);
  const workload::Candidate known = Tune(task, good).summary->best;
  measure::MeasureResult result;
  result.outcome = Outcome::kOk;
  result.latency = {{.min_ns = 5, .median_ns = 5, .n = 3}};
  task.known.push_back({known, result});
  EXPECT_TRUE(StatusIs(Tune(task, bad).summary, absl::StatusCode::kFailedPrecondition));
}

TEST(TunerTest, WhenEverythingFailsTheReasonsAreCounted) {
  FakeMeasurer measurer({.failure_rate = 1});
  const TunerRun run = Tune(TaskOf(kMatmul, 32), measurer);
  EXPECT_EQ(run.Trials().size(), 32u);
  ASSERT_TRUE(StatusIs(run.summary, absl::StatusCode::kFailedPrecondition,
                       "no candidate could be measured"));
  const std::string message(run.summary.status().message());
  for (const char* outcome : {"COMPILE_ERROR", "CRASHED", "WRONG_RESULT"}) {
    EXPECT_TRUE(absl::StrContains(message, absl::StrCat("x ", outcome, ": injected by hash")))
        << message;
  }
}

TEST(TunerTest, TheTableOfReasonsIsShortAndBeginsWithTheMostFrequent) {
  class Failing : public measure::Measurer {
   public:
    std::vector<measure::MeasureResult> Measure(const measure::MeasureRequest& request,
                                                absl::FunctionRef<bool()>) override {
      std::vector<measure::MeasureResult> results(request.candidates.size());
      for (auto& result : results) {
        result.outcome = Outcome::kCrashed;
        result.message = ++count_ % 2 == 0 ? "signal 11" : absl::StrCat("reason ", count_);
      }
      return results;
    }

   private:
    int count_ = 0;
  } measurer;
  const std::string message(Tune(TaskOf(kMatmul, 64), measurer).summary.status().message());
  EXPECT_TRUE(absl::StrContains(message, "measured:\n  33x CRASHED: signal 11\n  1x ")) << message;
  EXPECT_TRUE(absl::StrContains(message, "other reasons")) << message;
  EXPECT_LE(std::count(message.begin(), message.end(), '\n'), 11);
}

TEST(TunerTest, ThereIsNoVerdictBeforeTheEnd) {
  const auto tuner = TunerOf(TaskOf(kMatmul, 16));
  EXPECT_FALSE(tuner->done());
  EXPECT_TRUE(StatusIs(tuner->Summary(), absl::StatusCode::kFailedPrecondition, "not done"));
}

// ---- Errors. ------------------------------------------------------------------------------------

TEST(TunerTest, ResultsOfAnotherBatchAreRefused) {
  const TuningTask task = TaskOf(kMatmul, 32);
  auto tuner = TunerOf(task);
  FakeMeasurer measurer;
  EXPECT_TRUE(StatusIs(tuner->Observe(0, {}), absl::StatusCode::kInvalidArgument, "in flight"));
  const auto first = tuner->Next(), second = tuner->Next();
  const auto results = Measure(task, *first, measurer);
  EXPECT_TRUE(StatusIs(tuner->Observe(second->number, Measure(task, *second, measurer)),
                       absl::StatusCode::kInvalidArgument, "not the oldest"));
  EXPECT_TRUE(StatusIs(tuner->Observe(99, results), absl::StatusCode::kInvalidArgument, "99"));
  ALT_EXPECT_OK(tuner->Observe(first->number, results)) << "a refused call changes nothing";
  EXPECT_TRUE(StatusIs(tuner->Observe(first->number, results), absl::StatusCode::kInvalidArgument));
}

TEST(TunerTest, AResultForEachCandidateIsNeeded) {
  auto tuner = TunerOf(TaskOf(kMatmul, 32));
  const auto first = tuner->Next();
  EXPECT_TRUE(StatusIs(tuner->Observe(first->number, {}), absl::StatusCode::kInvalidArgument,
                       "has 1 candidates, not 0"));
}

TEST(TunerTest, AnUnknownPolicyIsRefusedWithThoseThereAre) {
  TuningTask task = TaskOf(kMatmul, 32);
  task.policy = "annealing";
  EXPECT_TRUE(StatusIs(Tuner::Create(task), absl::StatusCode::kInvalidArgument, "evolve, random"));
}

TEST(TunerTest, AFixedLayoutThatDoesNotApplyIsRefused) {
  TuningTask task = TaskOf(kMatmul, 32);
  task.fixed_layouts = Fixed({{"c", "reorder(0,1,2)"}}).fixed_layouts;
  EXPECT_TRUE(StatusIs(Tuner::Create(task), absl::StatusCode::kInvalidArgument, "layout of c"));
}

}  // namespace
}  // namespace alt::search
