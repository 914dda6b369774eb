#include "server/search/sampler.h"

#include <algorithm>
#include <set>

#include "tests/server/search/space_fixture.h"

namespace alt::search {
namespace {

class SamplerTest : public ::testing::Test {
 protected:
  const std::unique_ptr<Space> space_ =
      SpaceOf(WorkloadOf("conv2d:n=1,ic=32,ih=14,iw=14,oc=48,kh=3,kw=3,stride=1,pad=1"), Avx512());

  static bool IsLegal(const Point& point) {
    return std::all_of(point.decisions.begin(), point.decisions.end(), [](const Decision& d) {
      return std::find(d.choices.begin(), d.choices.end(), d.value) != d.choices.end();
    });
  }
};

TEST_F(SamplerTest, TheSameSeedMakesTheSameMoves) {
  Sampler a(*space_, 7), b(*space_, 7);
  for (int i = 0; i < 30; ++i) {
    const Point p = a.Uniform(), q = b.Uniform();
    EXPECT_EQ(p.candidate, q.candidate);
    EXPECT_EQ(a.Mutate(p, 2).candidate, b.Mutate(q, 2).candidate);
    EXPECT_EQ(a.Cross(p, space_->At({})).candidate, b.Cross(q, space_->At({})).candidate);
  }
}

TEST_F(SamplerTest, AnotherSeedMakesOthers) {
  Sampler a(*space_, 1), b(*space_, 2);
  int same = 0;
  for (int i = 0; i < 50; ++i) same += a.Uniform().candidate == b.Uniform().candidate;
  EXPECT_LT(same, 3);
}

TEST_F(SamplerTest, UniformReachesEveryChoiceOfTheFirstDecision) {
  Sampler sampler(*space_, 1);
  std::map<int64_t, int> counts;
  constexpr int kDraws = 600;
  for (int i = 0; i < kDraws; ++i) ++counts[sampler.Uniform().decisions.front().value];
  const size_t choices = space_->At({}).decisions.front().choices.size();
  EXPECT_EQ(counts.size(), choices);
  for (const auto& [value, count] : counts) {
    EXPECT_NEAR(count, kDraws / static_cast<int>(choices), 80) << value;
  }
}

TEST_F(SamplerTest, EveryMoveIsLegal) {
  Sampler sampler(*space_, 3);
  Point point = space_->At({});
  for (int i = 0; i < 100; ++i) {
    point = i % 3 == 0 ? sampler.Cross(point, sampler.Uniform()) : sampler.Mutate(point, 3);
    ASSERT_TRUE(IsLegal(point));
  }
}

TEST_F(SamplerTest, AMutationOfNoStepsChangesNothing) {
  Sampler sampler(*space_, 3);
  const Point point = sampler.Uniform();
  EXPECT_EQ(sampler.Mutate(point, 0).candidate, point.candidate);
}

TEST_F(SamplerTest, WhatIsDecidedBehindAMutationStaysWhereItIsLegal) {
  Sampler sampler(*space_, 4);
  int kept = 0, all = 0;
  for (int i = 0; i < 60; ++i) {
    const Point point = sampler.Uniform();
    const Wishes next = WishesOf(sampler.Mutate(point, 1).decisions);
    for (const Decision& decision : point.decisions) {
      const auto found = next.find(decision.name);
      kept += found != next.end() && found->second == decision.value;
      ++all;
    }
  }
  EXPECT_GT(kept, all * 3 / 4);
}

TEST_F(SamplerTest, MutationsMostlyGoToNeighboursAndSometimesFar) {
  Sampler sampler(*space_, 5);
  const Point point = space_->At({{"conv.depth_block", 0}, {"conv.prefetch", 16}});
  int near = 0, far = 0;
  for (int i = 0; i < 2000; ++i) {
    const Point next = sampler.Mutate(point, 1);
    const Decision* decision = Find(next, "conv.prefetch");
    if (decision == nullptr || decision->value == 16) continue;
    (decision->value == 8 || decision->value == 32 ? near : far)++;
  }
  EXPECT_GT(near, 2 * far);
  EXPECT_GT(far, 0);
}

TEST_F(SamplerTest, ACrossTakesDecisionsOfBoth) {
  Sampler sampler(*space_, 6);
  const Point a = space_->At({});
  const Point b = space_->Build([](const Decision& d) { return d.choices.back(); });
  const Wishes from_a = WishesOf(a.decisions), from_b = WishesOf(b.decisions);
  std::set<Wishes> children;
  for (int i = 0; i < 50; ++i) children.insert(WishesOf(sampler.Cross(a, b).decisions));
  EXPECT_GT(children.size(), 20u) << "many mixes occur";
}

}  // namespace
}  // namespace alt::search
