#include "worker/measure/timing.h"

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace alt::worker {
namespace {

using sandbox::Sample;

std::vector<Sample> SamplesOf(const std::vector<double>& times, double anchor_gflops = 0) {
  std::vector<Sample> samples;
  for (double ns : times) samples.push_back({.ns = ns, .anchor_gflops = anchor_gflops});
  return samples;
}

TEST(MedianTest, TheMiddleOrTheMeanOfTheTwoMiddleValues) {
  EXPECT_EQ(Median({5}), 5);
  EXPECT_EQ(Median({9, 1, 5}), 5);
  EXPECT_EQ(Median({9, 1, 5, 6}), 5.5);
}

TEST(MedianTest, OneOutlierMovesItLittle) { EXPECT_EQ(Median({1, 2, 3, 4, 1e9}), 3); }

TEST(MedianAbsoluteDeviationTest, MeasuresSpreadAroundTheMedian) {
  EXPECT_EQ(MedianAbsoluteDeviation({1, 1, 1}), 0);
  EXPECT_EQ(MedianAbsoluteDeviation({1, 2, 3, 4, 100}), 1);
}

TEST(SummarizeTest, MinimumMedianAndSpread) {
  const measure::Latency latency = Summarize(SamplesOf({12, 10, 11}));
  EXPECT_EQ(latency.min_ns, 10);
  EXPECT_EQ(latency.median_ns, 11);
  EXPECT_EQ(latency.mad_ns, 1);
  EXPECT_EQ(latency.n, 3);
}

TEST(SummarizeTest, DisturbedBatchesCountForTheMinimumAlone) {
  std::vector<Sample> samples = SamplesOf({10, 10, 10, 50, 60, 9});
  for (size_t i = 3; i < 6; ++i) samples[i].disturbed = true;
  const measure::Latency latency = Summarize(samples);
  EXPECT_EQ(latency.min_ns, 9);
  EXPECT_EQ(latency.median_ns, 10);
  EXPECT_EQ(latency.n, 3);
}

TEST(SummarizeTest, WhenNearlyAllAreDisturbedAllCount) {
  std::vector<Sample> samples = SamplesOf({10, 20, 30});
  samples[1].disturbed = samples[2].disturbed = true;
  EXPECT_EQ(Summarize(samples).median_ns, 20);
}

TEST(SummarizeTest, DelaysBarelyMoveMinimumAndMedian) {
  // Batches of 100 ns with 2 % noise, every third one delayed by up to ten times.
  base::Random random(1);
  std::vector<double> times;
  for (int i = 0; i < 300; ++i) {
    const double ns = 100 * (1 + 0.02 * random.UnitDouble());
    times.push_back(i % 3 == 0 ? ns * (1 + 10 * random.UnitDouble()) : ns);
  }
  const measure::Latency latency = Summarize(SamplesOf(times));
  EXPECT_NEAR(latency.min_ns, 100, 0.5);
  EXPECT_NEAR(latency.median_ns, 101.5, 1);
}

TEST(PeakNextToTest, WithAStableClockItIsTheAnchor) {
  EXPECT_DOUBLE_EQ(*PeakNextTo(SamplesOf({10, 11, 12}, 100)), 100);
}

TEST(PeakNextToTest, AClockThatDriftsDropsOut) {
  // The clock falls to half: the kernel takes twice as long while the anchor is half as fast. The
  // share of the peak is the same in every batch, and in the summary.
  std::vector<Sample> samples;
  for (double clock : {1.0, 0.9, 0.8, 0.7, 0.6, 0.5}) {
    samples.push_back({.ns = 1000 / clock, .anchor_gflops = 100 * clock});
  }
  const double share_of_flops = 50000 / Summarize(samples).median_ns / *PeakNextTo(samples);
  EXPECT_NEAR(share_of_flops, 0.5, 1e-12);
}

TEST(PeakNextToTest, WithoutAnchorsThereIsNone) {
  EXPECT_FALSE(PeakNextTo(SamplesOf({10, 11})).has_value());
}

TEST(SamplesByKernelTest, SortsByKernelAndKeepsOrder) {
  const std::vector<Sample> samples = {{.kernel = 4, .ns = 1},
                                       {.kernel = 2, .ns = 2},
                                       {.kernel = 4, .ns = 3},
                                       {.kernel = 9, .ns = 4}};
  const std::vector<std::vector<Sample>> sorted = SamplesByKernel(samples, {2, 4});
  ASSERT_EQ(sorted.size(), 2U);
  ASSERT_EQ(sorted[0].size(), 1U);
  EXPECT_EQ(sorted[0][0].ns, 2);
  ASSERT_EQ(sorted[1].size(), 2U);
  EXPECT_EQ(sorted[1][1].ns, 3);
}

TEST(PolicyTest, ASearchRacesAndAComparisonDoesNot) {
  EXPECT_EQ(SearchPolicy(5e6).incumbent_ns, 5e6);
  EXPECT_EQ(SearchPolicy(std::nullopt).incumbent_ns, 0);
  EXPECT_EQ(SearchPolicy(std::nullopt).rounds, 0);
  EXPECT_GE(ComparePolicy().rounds, 20);
  EXPECT_EQ(ComparePolicy().incumbent_ns, 0);
}

TEST(SetCachesTest, EachStateHasItsSizes) {
  const CacheSizes sizes{.l2 = 1000, .l3 = 5000};
  sandbox::TimingPolicy policy = SearchPolicy(std::nullopt);
  SetCaches(measure::CacheState::kWarm, sizes, policy);
  EXPECT_EQ(policy.caches, sandbox::Caches::kWarm);
  SetCaches(measure::CacheState::kRotate, sizes, policy);
  EXPECT_EQ(policy.caches, sandbox::Caches::kRotate);
  EXPECT_EQ(policy.rotate_bytes, 2000);
  SetCaches(measure::CacheState::kCold, sizes, policy);
  EXPECT_EQ(policy.caches, sandbox::Caches::kCold);
  EXPECT_EQ(policy.flush_bytes, 10000);
}

TEST(SetCachesTest, UnknownCachesAreTakenForUsualOnes) {
  sandbox::TimingPolicy policy = SearchPolicy(std::nullopt);
  SetCaches(measure::CacheState::kRotate, {}, policy);
  EXPECT_GE(policy.rotate_bytes, 1 << 20);
  SetCaches(measure::CacheState::kCold, {}, policy);
  EXPECT_GE(policy.flush_bytes, 32 << 20);
}

// Batches of 100 ns with noise, the FMA loop at 100 GFLOP/s.
std::vector<Sample> Rounds(int count, double noise) {
  base::Random random(5);
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    samples.push_back({.ns = 100 * (1 + noise * random.UnitDouble()), .anchor_gflops = 100});
  }
  return samples;
}

TEST(IsDisturbedTest, AQuietSeriesIsNot) {
  EXPECT_FALSE(IsDisturbed(Rounds(25, 0.02)));
  EXPECT_FALSE(IsDisturbed(Rounds(1, 0))) << "a kernel so long that one run is all it gets";
}

TEST(IsDisturbedTest, AFewDisturbedBatchesAreLeftOut) {
  std::vector<Sample> samples = Rounds(25, 0.02);
  for (size_t i = 0; i < 15; ++i) {
    samples[i].disturbed = true;
    samples[i].ns = 1000;
  }
  EXPECT_FALSE(IsDisturbed(samples));
  for (Sample& sample : samples) sample.disturbed = true;
  EXPECT_TRUE(IsDisturbed(samples));
}

TEST(IsDisturbedTest, AnUncertainMedianIs) { EXPECT_TRUE(IsDisturbed(Rounds(9, 0.5))); }

TEST(IsDisturbedTest, ACoreThatIsSharedUnseenShowsInTheFmaLoop) {
  std::vector<Sample> samples = Rounds(25, 0.02);
  for (size_t i = 0; i < 20; ++i) samples[i].anchor_gflops = 55;
  EXPECT_TRUE(IsDisturbed(samples));
}

}  // namespace
}  // namespace alt::worker
