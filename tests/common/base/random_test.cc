#include "common/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace alt::base {
namespace {

// These values are a promise: logs replay only while they hold, on every machine.
TEST(RandomTest, TheSequenceOfASeedIsFixed) {
  Random random(1);
  EXPECT_EQ(random.Next(), 12966619160104079557u);
  EXPECT_EQ(random.Next(), 9600361134598540522u);
  EXPECT_EQ(random.Uniform(1000), 900u);
  EXPECT_EQ(Random(1).Stream("actor").Next(), 10560109698630362946u);
  EXPECT_EQ(Random(1).Stream(7).Next(), 5228166336010215291u);
}

TEST(RandomTest, UniformCoversItsRangeEvenly) {
  Random random(2);
  std::vector<int> counts(7);
  for (int i = 0; i < 7000; ++i) ++counts[random.Uniform(7)];
  // Standard deviation is 29; five of them.
  for (int count : counts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(random.Uniform(1), 0u);
}

TEST(RandomTest, UniformIntIncludesBothEnds) {
  Random random(3);
  int64_t low = 9, high = -9;
  for (int i = 0; i < 1000; ++i) {
    const int64_t x = random.UniformInt(-2, 2);
    low = std::min(low, x);
    high = std::max(high, x);
  }
  EXPECT_EQ(low, -2);
  EXPECT_EQ(high, 2);
  EXPECT_EQ(random.UniformInt(5, 5), 5);
  random.UniformInt(INT64_MIN, INT64_MAX);  // the range of 2^64 values does not overflow
}

TEST(RandomTest, UnitDoubleIsBelowOne) {
  Random random(4);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double x = random.UnitDouble();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.015);
}

TEST(RandomTest, GaussianHasMeanZeroAndVarianceOne) {
  Random random(5);
  double sum = 0, squares = 0;
  for (int i = 0; i < 10000; ++i) {
    const double x = random.Gaussian();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.05);
  EXPECT_NEAR(squares / 10000, 1, 0.07);
}

TEST(RandomTest, BernoulliAtItsEnds) {
  Random random(6);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(random.Bernoulli(0));
    EXPECT_TRUE(random.Bernoulli(1));
  }
}

TEST(RandomTest, WeightedIndexFollowsTheWeights) {
  Random random(7);
  std::vector<int> counts(4);
  for (int i = 0; i < 4000; ++i) ++counts[random.WeightedIndex({0, 1, 3, 0})];
  EXPECT_EQ(counts[0], 0);
  EXPECT_NEAR(counts[1], 1000, 150);
  EXPECT_EQ(counts[3], 0);
}

TEST(RandomTest, ShuffleIsAPermutation) {
  Random random(8);
  std::vector<int> items = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<int> shuffled = items;
  random.Shuffle(shuffled);
  EXPECT_NE(shuffled, items);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, items);
}

TEST(RandomTest, ChoiceTakesEveryItem) {
  Random random(9);
  const std::vector<char> letters = {'a', 'b'};
  bool seen[2] = {};
  for (int i = 0; i < 100; ++i) seen[random.Choice(letters) - 'a'] = true;
  EXPECT_TRUE(seen[0] && seen[1]);
}

TEST(RandomTest, AStreamDoesNotDependOnWhatWasDrawn) {
  Random drawn(10);
  for (int i = 0; i < 5; ++i) drawn.Next();
  EXPECT_EQ(drawn.Stream("a").Next(), Random(10).Stream("a").Next());
  EXPECT_NE(drawn.Stream("a").Next(), drawn.Stream("b").Next());
  EXPECT_NE(drawn.Stream(0).Next(), drawn.Stream(1).Next());
  EXPECT_NE(Random(10).Stream("a").Next(), Random(11).Stream("a").Next());
}

TEST(RandomTest, SplitGivesADifferentSequenceEachTime) {
  Random random(11);
  Random first = random.Split();
  Random second = random.Split();
  EXPECT_NE(first.Next(), second.Next());
}

TEST(RandomDeathTest, ChoiceFromNothingStops) {
  Random random(12);
  EXPECT_DEATH(random.Choice(std::vector<int>{}), "choice from nothing");
  EXPECT_DEATH(random.Uniform(0), "n > 0u");
}

}  // namespace
}  // namespace alt::base
