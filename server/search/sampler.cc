#include "server/search/sampler.h"

#include <algorithm>
#include <cstddef>

namespace alt::search {
namespace {

constexpr double kJump = 0.3;  // of mutations: to any choice, not a neighbour

}  // namespace

Point Sampler::Uniform() {
  return space_->Build(
      [this](const Decision& decision) { return random_.Choice(decision.choices); });
}

Point Sampler::Mutate(const Point& point, int count) {
  Wishes wishes = WishesOf(point.decisions);
  for (int n = 0; n < count && !point.decisions.empty(); ++n) {
    const Decision& decision = random_.Choice(point.decisions);
    const std::vector<int64_t>& choices = decision.choices;
    int64_t& wish = wishes[decision.name];
    if (random_.Bernoulli(kJump)) {
      wish = random_.Choice(choices);
      continue;
    }
    const auto at = std::find(choices.begin(), choices.end(), wish) - choices.begin();
    const ptrdiff_t step = random_.Bernoulli(0.5) ? 1 : -1;
    const ptrdiff_t moved = at + step;
    const bool inside = moved >= 0 && moved < static_cast<ptrdiff_t>(choices.size());
    wish = choices[static_cast<size_t>(inside ? moved : at - step)];
  }
  return space_->At(wishes);
}

Point Sampler::Cross(const Point& a, const Point& b) {
  Wishes child = WishesOf(a.decisions);
  for (const Decision& decision : b.decisions) {
    if (random_.Bernoulli(0.5)) child[decision.name] = decision.value;
  }
  return space_->At(child);
}

}  // namespace alt::search
