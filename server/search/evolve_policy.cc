#include "server/search/evolve_policy.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace alt::search {
namespace {

constexpr size_t kPopulation = 24;  // the best points, parents of the next
constexpr size_t kLeaders = 4;      // whose neighbourhood is searched most
constexpr int kMostSteps = 16;      // from a point that was proposed already
constexpr size_t kFamilies = 8;     // layouts whose best points have children too
constexpr double kLeaderShare = 0.5, kCrossShare = 0.2, kFamilyShare = 0.2;  // the rest: anywhere

class EvolvePolicy : public Policy {
 public:
  explicit EvolvePolicy(Sampler sampler) : sampler_(std::move(sampler)) {
    for (const Wishes& seed : sampler_.space().Seeds()) {
      seeds_.push_back(sampler_.space().At(seed));
    }
  }

  Point Propose() override {
    if (next_seed_ < seeds_.size()) {
      proposed_.insert(WishesOf(seeds_[next_seed_].decisions));
      return seeds_[next_seed_++];
    }
    Point point = Draw();
    for (int step = 0; step < kMostSteps; ++step) {
      if (proposed_.insert(WishesOf(point.decisions)).second) break;
      point = sampler_.Mutate(point, 1);
    }
    return point;
  }

  void Learn(const Point& point, std::optional<double> latency_ns) override {
    if (!latency_ns) return;
    const Member member{*latency_ns, point};
    const auto at = std::upper_bound(
        population_.begin(), population_.end(), member,
        [](const Member& a, const Member& b) { return a.latency_ns < b.latency_ns; });
    population_.insert(at, member);
    if (population_.size() > kPopulation) population_.pop_back();
    const auto [best, is_new] = families_.try_emplace(FamilyOf(point), member);
    if (!is_new && latency_ns < best->second.latency_ns) best->second = member;
  }

 private:
  struct Member {
    double latency_ns;
    Point point;
  };

  // Points of the same layouts: their loops are told apart by neighbours, layouts are not.
  static Wishes FamilyOf(const Point& point) {
    Wishes family;
    for (const Decision& decision : point.decisions) {
      if (decision.layout) family[decision.name] = decision.value;
    }
    return family;
  }

  const Point& BestOfAFamily() {
    std::vector<const Member*> best;
    for (const auto& [family, member] : families_) best.push_back(&member);
    std::sort(best.begin(), best.end(), [](const Member* a, const Member* b) {
      return a->latency_ns < b->latency_ns;
    });
    best.resize(std::min(best.size(), kFamilies));
    return sampler_.random().Choice(best)->point;
  }

  Point Draw() {
    base::Random& random = sampler_.random();
    // At first half from anywhere: leaders of a few layouts know only those.
    if (population_.size() < kPopulation && random.Bernoulli(0.5)) return sampler_.Uniform();
    double kind = random.UnitDouble();
    if (population_.empty()) return sampler_.Mutate(random.Choice(seeds_), Steps(2, 6));
    if ((kind -= kLeaderShare) < 0) {
      const size_t leaders = std::min(kLeaders, population_.size());
      // Squared: the first leader most.
      const double u = random.UnitDouble();
      return sampler_.Mutate(population_[static_cast<size_t>(u * u * leaders)].point, Steps(1, 2));
    }
    if ((kind -= kCrossShare) < 0) {
      const Point& a = random.Choice(population_).point;
      const Point& b = random.Choice(population_).point;
      return sampler_.Mutate(sampler_.Cross(a, b), Steps(0, 2));
    }
    if ((kind -= kFamilyShare) < 0) return sampler_.Mutate(BestOfAFamily(), Steps(1, 3));
    return sampler_.Uniform();
  }

  int Steps(int least, int most) {
    return static_cast<int>(sampler_.random().UniformInt(least, most));
  }

  Sampler sampler_;
  std::vector<Point> seeds_;
  size_t next_seed_ = 0;
  std::set<Wishes> proposed_;
  std::vector<Member> population_;     // fastest first
  std::map<Wishes, Member> families_;  // the best of each
};

}  // namespace

std::unique_ptr<Policy> MakeEvolvePolicy(Sampler sampler) {
  return std::make_unique<EvolvePolicy>(std::move(sampler));
}

}  // namespace alt::search
