#include "server/search/space/knob.h"

#include <cstdlib>

#include "common/base/check.h"

namespace alt::search {

void Knobs::Add(std::string name, std::vector<int64_t> choices, bool layout) {
  ALT_CHECK(!choices.empty()) << name;
  knobs_.push_back({std::move(name), std::move(choices), layout});
}

size_t Knobs::IndexOf(const std::string& name) const {
  for (size_t i = 0; i < knobs_.size(); ++i) {
    if (knobs_[i].name == name) return i;
  }
  ALT_CHECK(false) << "no knob " << name;
  return 0;
}

int64_t Knobs::Value(const Point& point, const std::string& name) const {
  const size_t i = IndexOf(name);
  return knobs_[i].choices[point[i]];
}

void Knobs::Set(Point& point, const std::string& name, int64_t value) const {
  const size_t i = IndexOf(name);
  const std::vector<int64_t>& choices = knobs_[i].choices;
  size_t best = 0;
  for (size_t c = 1; c < choices.size(); ++c) {
    if (std::abs(choices[c] - value) < std::abs(choices[best] - value)) best = c;
  }
  point[i] = static_cast<int>(best);
}

std::vector<int64_t> UpTo(int64_t extent, std::vector<int64_t> candidates) {
  std::erase_if(candidates, [extent](int64_t c) { return c > extent; });
  return candidates;
}

std::vector<int64_t> ProperDivisors(int64_t extent, std::vector<int64_t> candidates) {
  std::erase_if(candidates, [extent](int64_t c) { return c >= extent || extent % c != 0; });
  return candidates;
}

}  // namespace alt::search
