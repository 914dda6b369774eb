#include "server/search/evolve_policy.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace alt::search {
namespace {

constexpr size_t kPopulation = 24;  // the best points, parents of the next
constexpr size_t kLeaders = 4;      // whose neighbourhood is searched most
constexpr double kLeaderShare = 0.55, kCrossShare = 0.25, kSeedShare = 0.1;  // the rest: anywhere

class EvolvePolicy : public Policy {
 public:
  EvolvePolicy(const Space& space, Sampler sampler) : sampler_(std::move(sampler)) {
    for (const Point& seed : space.Seeds()) seeds_.push_back(sampler_.Freeze(seed));
  }

  Point Propose() override {
    if (next_seed_ < seeds_.size()) return seeds_[next_seed_++];
    base::Random& random = sampler_.random();
    const double kind = random.UnitDouble();
    if (population_.empty() || kind < kSeedShare) {
      return seeds_.empty() ? sampler_.Uniform()
                            : sampler_.Mutate(random.Choice(seeds_), Steps(2, 6));
    }
    if (kind < kSeedShare + kLeaderShare) {
      const size_t leaders = std::min(kLeaders, population_.size());
      // Squared: the first leader most.
      const double u = random.UnitDouble();
      return sampler_.Mutate(population_[static_cast<size_t>(u * u * leaders)].point, Steps(1, 2));
    }
    if (kind < kSeedShare + kLeaderShare + kCrossShare) {
      const Point& a = random.Choice(population_).point;
      const Point& b = random.Choice(population_).point;
      return sampler_.Mutate(sampler_.Cross(a, b), Steps(0, 2));
    }
    return sampler_.Uniform();
  }

  void Learn(const Point& point, std::optional<double> latency_ns) override {
    if (!latency_ns) return;
    const Member member{*latency_ns, point};
    const auto at = std::upper_bound(
        population_.begin(), population_.end(), member,
        [](const Member& a, const Member& b) { return a.latency_ns < b.latency_ns; });
    population_.insert(at, member);
    if (population_.size() > kPopulation) population_.pop_back();
  }

 private:
  struct Member {
    double latency_ns;
    Point point;
  };

  int Steps(int least, int most) {
    return static_cast<int>(sampler_.random().UniformInt(least, most));
  }

  Sampler sampler_;
  std::vector<Point> seeds_;
  size_t next_seed_ = 0;
  std::vector<Member> population_;  // fastest first
};

}  // namespace

std::unique_ptr<Policy> MakeEvolvePolicy(const Space& space, Sampler sampler) {
  return std::make_unique<EvolvePolicy>(space, std::move(sampler));
}

}  // namespace alt::search
