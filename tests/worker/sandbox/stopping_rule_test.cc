#include "worker/sandbox/stopping_rule.h"

namespace alt::sandbox {
namespace {

const TimingPolicy kPolicy = {
    .min_batch_ns = 100, .cap_ns = 1000, .stable_batches = 3, .stable_share = 0.01};

// What the rule says after each of the batches, all undisturbed and early.
std::vector<StopReason> Verdicts(const TimingPolicy& policy, const std::vector<double>& batches) {
  StoppingRule rule(policy);
  std::vector<StopReason> verdicts;
  for (double batch : batches) verdicts.push_back(rule.Add(batch, false, 0));
  return verdicts;
}

constexpr StopReason kGoOn = StopReason::kGoOn;
constexpr StopReason kStable = StopReason::kStable;
constexpr StopReason kCensored = StopReason::kCensored;

TEST(StoppingRuleTest, StableOnceTheMinimumHasNotSunkForSomeBatches) {
  EXPECT_EQ(Verdicts(kPolicy, {10, 10, 11, 12}),
            (std::vector<StopReason>{kGoOn, kGoOn, kGoOn, kStable}));
}

TEST(StoppingRuleTest, ANewMinimumStartsTheCountAgain) {
  EXPECT_EQ(Verdicts(kPolicy, {10, 10, 10, 9, 9, 9, 9}),
            (std::vector<StopReason>{kGoOn, kGoOn, kGoOn, kGoOn, kGoOn, kGoOn, kStable}));
}

TEST(StoppingRuleTest, ATrickleBelowTheShareCountsAsStable) {
  EXPECT_EQ(Verdicts(kPolicy, {10, 9.99, 9.98, 9.97}).back(), kStable);
}

TEST(StoppingRuleTest, ATrickleThatAddsUpDoesNot) {
  // Each step is below 1 %, two together are above: measured from where the count began.
  EXPECT_EQ(Verdicts(kPolicy, {10, 9.94, 9.88, 9.82, 9.76}).back(), kGoOn);
}

TEST(StoppingRuleTest, TheCapEndsIt) {
  StoppingRule rule(kPolicy);
  EXPECT_EQ(rule.Add(10, false, 999), kGoOn);
  EXPECT_EQ(rule.Add(5, false, 1000), StopReason::kCap);
}

TEST(StoppingRuleTest, DisturbedBatchesAreNoSignOfStability) {
  StoppingRule rule(kPolicy);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(rule.Add(i == 0 ? 10 : 11, true, 0), kGoOn);
  EXPECT_EQ(rule.Add(11, true, 1000), StopReason::kCap);
}

TEST(StoppingRuleTest, UnlessTheyComeNearTheMinimum) {
  StoppingRule rule(kPolicy);
  EXPECT_EQ(rule.Add(10, true, 0), kGoOn);
  EXPECT_EQ(rule.Add(10.05, true, 0), kGoOn);
  EXPECT_EQ(rule.Add(11, true, 0), kGoOn);
  EXPECT_EQ(rule.Add(10, true, 0), kGoOn);
  EXPECT_EQ(rule.Add(9.95, true, 0), kStable);
}

TEST(StoppingRuleTest, DisturbedBatchesMayStillLowerTheMinimum) {
  StoppingRule rule(kPolicy);
  rule.Add(10, false, 0);
  rule.Add(8, true, 0);
  EXPECT_EQ(rule.min_ns(), 8);
}

TEST(StoppingRuleTest, RacingDemandsLessWithMoreRuns) {
  TimingPolicy policy = kPolicy;
  policy.incumbent_ns = 10;
  EXPECT_EQ(Verdicts(policy, {51}), (std::vector<StopReason>{kCensored}));
  EXPECT_EQ(Verdicts(policy, {49, 49}), (std::vector<StopReason>{kGoOn, kCensored}));
  EXPECT_EQ(Verdicts(policy, {19, 19, 19}), (std::vector<StopReason>{kGoOn, kGoOn, kCensored}));
  EXPECT_EQ(Verdicts(policy, {12, 12, 12, 12}),
            (std::vector<StopReason>{kGoOn, kGoOn, kGoOn, kStable}));
}

TEST(StoppingRuleTest, NothingIsCensoredByDisturbedBatchesAlone) {
  TimingPolicy policy = kPolicy;
  policy.incumbent_ns = 10;
  StoppingRule rule(policy);
  EXPECT_EQ(rule.Add(3000, true, 0), kGoOn) << "another process had the CPU";
  EXPECT_EQ(rule.Add(3000, true, 0), kGoOn);
  EXPECT_EQ(rule.Add(9, false, 0), kGoOn) << "it is the better one";
}

TEST(StoppingRuleTest, ADisturbedStartIsForgiven) {
  TimingPolicy policy = kPolicy;
  policy.incumbent_ns = 10;
  StoppingRule rule(policy);
  EXPECT_EQ(rule.Add(40, true, 0), kGoOn);
  EXPECT_EQ(rule.Add(15, true, 0), kGoOn);
  EXPECT_EQ(rule.Add(15, true, 0), kGoOn);  // three batches, but none undisturbed
  EXPECT_EQ(rule.Add(9, false, 0), kGoOn);
}

TEST(StoppingRuleTest, WithoutAnIncumbentNothingIsCensored) {
  EXPECT_EQ(Verdicts(kPolicy, {1e12, 1e12, 1e12, 1e12}).back(), kStable);
}

TEST(RunsForBatchTest, EnoughRunsToFillABatch) {
  EXPECT_EQ(RunsForBatch(100, 1000), 10);
  EXPECT_EQ(RunsForBatch(300, 1000), 4);
  EXPECT_EQ(RunsForBatch(5000, 1000), 1);
}

TEST(RunsForBatchTest, NoTimeAtAllIsBounded) {
  EXPECT_EQ(RunsForBatch(0, 1e12), 10000000);
  EXPECT_EQ(RunsForBatch(0, 1000), 10000);
}

TEST(MedianIntervalTest, TakesTheOrderStatisticsOfABinomial) {
  std::vector<double> values;
  for (int i = 25; i > 0; --i) values.push_back(i);
  EXPECT_EQ(MedianInterval(values).low, 7);
  EXPECT_EQ(MedianInterval(values).high, 19);
  EXPECT_EQ(MedianInterval({3, 1, 2}).low, 1);
  EXPECT_EQ(MedianInterval({3, 1, 2}).high, 3);
}

constexpr TimingPolicy kTurns = {
    .min_batch_ns = 100, .cap_ns = 1e6, .rounds = 9, .most_rounds = 60};

// How many rounds it takes until kernels of these times, with noise, have been compared. The clock
// drifts by half.
int RoundsOf(const TimingPolicy& policy, const std::vector<double>& kernels, double noise,
             double round_ns = 1, int disturbed_each = 0) {
  ComparisonRule rule(policy, kernels.size());
  uint64_t state = 1;
  const auto random = [&state] {  // in [0, 1)
    state = state * 6364136223846793005 + 1442695040888963407;
    return static_cast<double>(state >> 40) / (1 << 24);
  };
  for (int round = 1;; ++round) {
    std::vector<double> times;
    const double clock = 1 + 0.5 * round / 100;
    for (const double ns : kernels) times.push_back(ns * clock * (1 + noise * random()));
    const bool disturbed = disturbed_each > 0 && round % disturbed_each == 0;
    if (disturbed) times[0] *= 10;
    if (rule.Add(times, disturbed, round_ns * round)) return round;
  }
}

TEST(ComparisonRuleTest, KernelsThatDifferAreToldApartAtOnce) {
  EXPECT_EQ(RoundsOf(kTurns, {100, 110, 130}, 0.02), 9);
}

TEST(ComparisonRuleTest, EqualKernelsCountAsEqualOnceTheIntervalIsNarrow) {
  EXPECT_EQ(RoundsOf(kTurns, {100, 100}, 0.002), 9);
}

TEST(ComparisonRuleTest, AnUncertainComparisonGoesOnUpToTheMost) {
  const int rounds = RoundsOf(kTurns, {100, 101}, 0.05);
  EXPECT_GT(rounds, 9);
  EXPECT_EQ(RoundsOf(kTurns, {100, 100.7}, 0.5), 60);
}

TEST(ComparisonRuleTest, DisturbedRoundsDoNotCount) {
  EXPECT_EQ(RoundsOf(kTurns, {100, 110}, 0.02, 1, 2), 17);  // every second one
}

TEST(ComparisonRuleTest, AKernelAloneIsTimedUntilItsMedianIsKnown) {
  ComparisonRule rule(kTurns, 1);
  int rounds = 1;
  while (!rule.Add({100 + 0.1 * (rounds % 2)}, false, rounds)) ++rounds;
  EXPECT_EQ(rounds, 9);
  EXPECT_EQ(RoundsOf(kTurns, {100}, 0), 60) << "its clock drifts";
}

TEST(ComparisonRuleTest, TheCapIsForEachKernelAndLeavesAFewRounds) {
  TimingPolicy policy = kTurns;
  policy.cap_ns = 10;
  EXPECT_EQ(RoundsOf(policy, {100, 100.1}, 0.5, 2), 10);
  EXPECT_EQ(RoundsOf(policy, {100, 100.1}, 0.5, 10), 5);  // 2 x 10 is over after two
  EXPECT_EQ(RoundsOf(policy, {100, 100.1}, 0.5, 60), 2);  // and five times that after two
}

}  // namespace
}  // namespace alt::sandbox
