#include "server/search/policy.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "tests/server/search/tuner_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::search {
namespace {

using testing::FakeMeasurer;

class PolicyTest : public ::testing::Test {
 protected:
  std::unique_ptr<Policy> Make(const std::string& name, uint64_t seed = 1) {
    auto policy = MakePolicy(name, evaluator_, seed);
    ALT_CHECK_OK(policy);
    return *std::move(policy);
  }
  // Decisions in which two points differ.
  static int Distance(const Point& a, const Point& b) {
    const Wishes other = WishesOf(b.decisions);
    int distance = 0;
    for (const Decision& decision : a.decisions) {
      const auto found = other.find(decision.name);
      distance += found == other.end() || found->second != decision.value;
    }
    return distance;
  }
  // What the last choices make.
  Point Last() const {
    return space_->Build([](const Decision& decision) { return decision.choices.back(); });
  }

  const workload::Workload workload_ = WorkloadOf("matmul:m=64,n=96,k=48");
  Evaluator evaluator_{workload_, Avx512(), SpaceOf(workload_, Avx512())};
  const Space* const space_ = &evaluator_.space();
};

TEST_F(PolicyTest, UnknownNamesAreRefusedWithThoseThereAre) {
  EXPECT_TRUE(testing::StatusIs(MakePolicy("ppo", evaluator_, 1),
                                absl::StatusCode::kInvalidArgument,
                                "unknown policy 'ppo'; policies are: evolve, random"));
}

TEST_F(PolicyTest, EvolveBeginsWithTheSeedsInTheirOrder) {
  const auto policy = Make("evolve");
  for (const Wishes& seed : space_->Seeds()) {
    EXPECT_EQ(policy->Propose().candidate, space_->At(seed).candidate);
  }
}

TEST_F(PolicyTest, EvolveSearchesAroundTheBestThatItLearnt) {
  const auto policy = Make("evolve");
  for (size_t i = 0; i < space_->Seeds().size(); ++i) policy->Propose();
  const Point best = space_->At({{"matmul.row_tile", 12},
                                 {"matmul.depth_unroll", 4},
                                 {"matmul.order", 3},
                                 {"matmul.prefetch", 32}});
  policy->Learn(best, 100);
  int near = 0;
  for (int i = 0; i < 200; ++i) near += Distance(policy->Propose(), best) <= 2;
  EXPECT_GT(near, 40) << "of those that are not drawn from anywhere, most are neighbours";
  EXPECT_LT(near, 190) << "some come from anywhere";
}

TEST_F(PolicyTest, EvolvePrefersTheFasterOfTwo) {
  const auto policy = Make("evolve");
  for (size_t i = 0; i < space_->Seeds().size(); ++i) policy->Propose();
  const Point fast = space_->At({}), slow = Last();
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
  const Point bad = Last();
  for (int i = 0; i < 10; ++i) policy->Learn(bad, std::nullopt);
  int near = 0;
  for (int i = 0; i < 200; ++i) near += Distance(policy->Propose(), bad) <= 2;
  EXPECT_LT(near, 10);
}

TEST_F(PolicyTest, EvolveSeldomProposesAPointTwice) {
  const auto policy = Make("evolve");
  std::set<Wishes> points;
  constexpr int kProposals = 500;
  for (int i = 0; i < kProposals; ++i) {
    const Point point = policy->Propose();
    points.insert(WishesOf(point.decisions));
    policy->Learn(point, 1000 + i);
  }
  EXPECT_GE(static_cast<int>(points.size()), kProposals * 95 / 100);
}

TEST_F(PolicyTest, EveryPolicyIsDeterministicInItsSeedAndWhatItWasTold) {
  for (const char* name : {"evolve", "random"}) {
    const auto a = Make(name, 9), b = Make(name, 9), c = Make(name, 10);
    bool differs = false;
    for (int i = 0; i < 100; ++i) {
      const Point point = a->Propose();
      ASSERT_EQ(point.candidate, b->Propose().candidate) << name;
      differs |= point.candidate != c->Propose().candidate;
      a->Learn(point, 1000 + i % 7);
      b->Learn(point, 1000 + i % 7);
    }
    EXPECT_TRUE(differs) << name;
  }
}

// ---- Strength. ----------------------------------------------------------------------------------

// A landscape over decisions: each has a best choice and a weight of its own, by its name, drawn by
// the seed; what a choice costs grows with its distance from the best one.
double LatencyOf(const Point& point, uint64_t seed) {
  const base::Random random(seed);
  double cost = 0;
  for (const Decision& decision : point.decisions) {
    base::Random stream = random.Stream(decision.name);
    const double best = stream.UnitDouble(), weight = stream.UnitDouble();
    const auto& choices = decision.choices;
    const auto at = std::find(choices.begin(), choices.end(), decision.value) - choices.begin();
    const double place = static_cast<double>(at) / static_cast<double>(choices.size() - 1);
    cost += weight * std::abs(place - best);
  }
  return std::exp(cost);
}

double BestOf(const std::string& name, const std::string& workload, uint64_t seed) {
  Evaluator evaluator(WorkloadOf(workload), Avx512(), SpaceOf(WorkloadOf(workload), Avx512()));
  const auto policy = MakePolicy(name, evaluator, seed);
  ALT_CHECK_OK(policy);
  double best = 1e9;
  for (int i = 0; i < 96; ++i) {
    const Point point = (*policy)->Propose();
    const double latency = LatencyOf(point, seed);
    best = std::min(best, latency);
    (*policy)->Learn(point, latency);
  }
  return best;
}

class StrengthTest : public ::testing::TestWithParam<const char*> {};

TEST_P(StrengthTest, EvolveBeatsRandomOnAverage) {
  double gain = 0;
  int wins = 0;
  constexpr int kSeeds = 32;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const double random = BestOf("random", GetParam(), seed);
    const double evolve = BestOf("evolve", GetParam(), seed);
    gain += random / evolve / kSeeds;
    wins += evolve < random;
  }
  EXPECT_GT(gain, 1.05);
  EXPECT_GE(wins, kSeeds * 2 / 3);
}

INSTANTIATE_TEST_SUITE_P(Workloads, StrengthTest,
                         ::testing::Values("matmul:m=64,n=96,k=48",
                                           "conv2d:n=1,ic=32,ih=14,iw=14,oc=48,kh=3,kw=3,pad=1"));

}  // namespace
}  // namespace alt::search
