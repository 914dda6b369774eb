#include "server/search/space/decision.h"

#include <algorithm>
#include <cstdlib>

#include "common/base/check.h"

namespace alt::search {

Wishes WishesOf(const std::vector<Decision>& decisions) {
  Wishes wishes;
  for (const Decision& decision : decisions) wishes[decision.name] = decision.value;
  return wishes;
}

int64_t NearestChoice(const std::vector<int64_t>& choices, int64_t value) {
  ALT_CHECK(!choices.empty());
  int64_t best = choices[0];
  for (const int64_t choice : choices) {
    if (std::abs(choice - value) < std::abs(best - value)) best = choice;
  }
  return best;
}

int64_t Decider::Decide(Decision decision) {
  decision.value = NearestChoice(decision.choices, decision.value);
  if (decision.choices.size() == 1) return decision.value;
  decision.value = choose_(decision);
  ALT_CHECK(std::find(decision.choices.begin(), decision.choices.end(), decision.value) !=
            decision.choices.end())
      << decision.name;
  decisions_.push_back(std::move(decision));
  return decisions_.back().value;
}

std::vector<int64_t> UpTo(int64_t most, std::vector<int64_t> values) {
  std::erase_if(values, [most](int64_t value) { return value > most; });
  return values;
}

std::vector<int64_t> ProperDivisors(int64_t extent, std::vector<int64_t> values) {
  std::erase_if(values, [extent](int64_t value) { return value >= extent || extent % value != 0; });
  return values;
}

}  // namespace alt::search
