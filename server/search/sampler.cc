#include "server/search/sampler.h"

#include <algorithm>
#include <utility>

namespace alt::search {
namespace {

constexpr double kJump = 0.3;  // of mutations: to any choice, not a neighbour

}  // namespace

Sampler::Sampler(const Knobs& knobs, std::vector<bool> frozen, Point start, uint64_t seed)
    : knobs_(&knobs), frozen_(std::move(frozen)), start_(std::move(start)), random_(seed) {
  for (size_t i = 0; i < knobs.size(); ++i) {
    if (!frozen_[i] && knobs.all()[i].choices.size() > 1) free_.push_back(i);
  }
}

Point Sampler::Uniform() {
  Point point = start_;
  for (const size_t i : free_) {
    point[i] = static_cast<int>(random_.Uniform(knobs_->all()[i].choices.size()));
  }
  return point;
}

Point Sampler::Mutate(const Point& point, int count) {
  Point next = point;
  for (int n = 0; n < count && !free_.empty(); ++n) {
    const size_t i = random_.Choice(free_);
    const int choices = static_cast<int>(knobs_->all()[i].choices.size());
    if (random_.Bernoulli(kJump)) {
      next[i] = static_cast<int>(random_.Uniform(choices));
    } else {
      const int step = random_.Bernoulli(0.5) ? 1 : -1;
      const int moved = next[i] + step;
      next[i] = moved < 0 || moved >= choices ? next[i] - step : moved;
    }
  }
  return next;
}

Point Sampler::Cross(const Point& a, const Point& b) {
  Point child = a;
  for (const size_t i : free_) {
    if (random_.Bernoulli(0.5)) child[i] = b[i];
  }
  return child;
}

Point Sampler::Freeze(Point point) const {
  for (size_t i = 0; i < point.size(); ++i) {
    if (frozen_[i]) point[i] = start_[i];
  }
  return point;
}

}  // namespace alt::search
