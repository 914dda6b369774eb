#include "server/search/policy.h"

#include <algorithm>
#include <string>

#include "tests/server/search/tuner_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::search {
namespace {

using testing::FakeMeasurer;

class PolicyTest : public ::testing::Test {
 protected:
  std::unique_ptr<Policy> Make(const std::string& name, uint64_t seed = 1) {
    const size_t knobs = space_->knobs().size();
    return Make(name, std::vector<bool>(knobs), space_->knobs().Origin(), seed);
  }
  std::unique_ptr<Policy> Make(const std::string& name, std::vector<bool> frozen, Point start,
                               uint64_t seed) {
    auto policy = MakePolicy(name, evaluator_, std::move(frozen), std::move(start), seed);
    ALT_CHECK_OK(policy);
    return *std::move(policy);
  }
  // Knobs in which two points differ.
  static int Distance(const Point& a, const Point& b) {
    int distance = 0;
    for (size_t i = 0; i < a.size(); ++i) distance += a[i] != b[i];
    return distance;
  }

  const workload::Workload workload_ = WorkloadOf("matmul:m=64,n=96,k=48");
  Evaluator evaluator_{workload_, Avx512(), SpaceOf(workload_, Avx512())};
  const Space* const space_ = &evaluator_.space();
};

TEST_F(PolicyTest, UnknownNamesAreRefusedWithThoseThereAre) {
  EXPECT_TRUE(testing::StatusIs(
      MakePolicy("ppo", evaluator_, std::vector<bool>(space_->knobs().size()),
                 space_->knobs().Origin(), 1),
      absl::StatusCode::kInvalidArgument, "unknown policy 'ppo'; policies are: evolve, random"));
}

TEST_F(PolicyTest, EvolveBeginsWithTheSeedsInTheirOrder) {
  const auto policy = Make("evolve");
  for (const Point& seed : space_->Seeds()) EXPECT_EQ(policy->Propose(), seed);
}

TEST_F(PolicyTest, EvolveSearchesAroundTheBestThatItLearnt) {
  const auto policy = Make("evolve");
  for (size_t i = 0; i < space_->Seeds().size(); ++i) policy->Propose();
  Point best = space_->knobs().Origin();
  for (const auto& [knob, value] :
       {std::pair{"row_tile", 12}, {"depth_unroll", 4}, {"order", 3}, {"prefetch", 32}}) {
    space_->knobs().Set(best, knob, value);
  }
  policy->Learn(best, 100);
  int near = 0;
  for (int i = 0; i < 200; ++i) near += Distance(policy->Propose(), best) <= 2;
  EXPECT_GT(near, 80) << "most children are neighbours";
  EXPECT_LT(near, 190) << "some come from anywhere";
}

TEST_F(PolicyTest, EvolvePrefersTheFasterOfTwo) {
  const auto policy = Make("evolve");
  for (size_t i = 0; i < space_->Seeds().size(); ++i) policy->Propose();
  Point fast = space_->knobs().Origin(), slow = fast;
  for (size_t i = 0; i < slow.size(); ++i) {
    slow[i] = static_cast<int>(space_->knobs().all()[i].choices.size()) - 1;
  }
  policy->Learn(slow, 900);
  policy->Learn(fast, 100);
  int near_fast = 0, near_slow = 0;
  for (int i = 0; i < 300; ++i) {
    const Point point = policy->Propose();
    near_fast += Distance(point, fast) <= 2;
    near_slow += Distance(point, slow) <= 2;
  }
  EXPECT_GT(near_fast, near_slow);
}

TEST_F(PolicyTest, EvolveDoesNotFollowFailures) {
  const auto policy = Make("evolve");
  for (size_t i = 0; i < space_->Seeds().size(); ++i) policy->Propose();
  Point bad = space_->knobs().Origin();
  for (size_t i = 0; i < bad.size(); ++i) {
    bad[i] = static_cast<int>(space_->knobs().all()[i].choices.size()) - 1;
  }
  for (int i = 0; i < 10; ++i) policy->Learn(bad, std::nullopt);
  int near = 0;
  for (int i = 0; i < 200; ++i) near += Distance(policy->Propose(), bad) <= 2;
  EXPECT_LT(near, 10);
}

TEST_F(PolicyTest, EveryPolicyKeepsFrozenKnobs) {
  std::vector<bool> frozen(space_->knobs().size());
  Point start = space_->knobs().Origin();
  for (size_t i = 0; i < frozen.size(); i += 2) {
    frozen[i] = true;
    start[i] = static_cast<int>(space_->knobs().all()[i].choices.size()) - 1;
  }
  for (const char* name : {"evolve", "random"}) {
    const auto policy = Make(name, frozen, start, 3);
    for (int i = 0; i < 200; ++i) {
      const Point point = policy->Propose();
      for (size_t k = 0; k < point.size(); k += 2) ASSERT_EQ(point[k], start[k]) << name;
      policy->Learn(point, 1000 - i);
    }
  }
}

TEST_F(PolicyTest, EveryPolicyIsDeterministicInItsSeedAndWhatItWasTold) {
  for (const char* name : {"evolve", "random"}) {
    const auto a = Make(name, 9), b = Make(name, 9), c = Make(name, 10);
    bool differs = false;
    for (int i = 0; i < 100; ++i) {
      const Point point = a->Propose();
      ASSERT_EQ(point, b->Propose()) << name;
      differs |= point != c->Propose();
      a->Learn(point, 1000 + i % 7);
      b->Learn(point, 1000 + i % 7);
    }
    EXPECT_TRUE(differs) << name;
  }
}

// ---- Strength, on the landscape of the fake measurer. -------------------------------------------

double BestOf(const std::string& policy, const std::string& workload, uint64_t seed) {
  TuningTask task = TaskOf(workload, 96, seed);
  task.policy = policy;
  FakeMeasurer measurer({.seed = seed, .failure_rate = 0.1});
  return Tune(task, measurer).summary->best_latency.median_ns;
}

class StrengthTest : public ::testing::TestWithParam<const char*> {};

TEST_P(StrengthTest, EvolveBeatsRandomOnAverage) {
  double gain = 0;
  int wins = 0;
  constexpr int kSeeds = 8;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const double random = BestOf("random", GetParam(), seed);
    const double evolve = BestOf("evolve", GetParam(), seed);
    gain += random / evolve / kSeeds;
    wins += evolve < random;
  }
  EXPECT_GT(gain, 1.05);
  EXPECT_GE(wins, kSeeds * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(Workloads, StrengthTest,
                         ::testing::Values("matmul:m=64,n=96,k=48",
                                           "conv2d:n=1,ic=32,ih=14,iw=14,oc=48,kh=3,kw=3,pad=1"));

}  // namespace
}  // namespace alt::search
