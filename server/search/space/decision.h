// Points of a space are built by rules that decide one thing after the other. What is legal for
// one decision follows from those before it, so a point is not a vector over fixed lists: it is
// what the rules decided, by name and value, and it is built anew from wishes.

#ifndef SERVER_SEARCH_SPACE_DECISION_H_
#define SERVER_SEARCH_SPACE_DECISION_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"

namespace alt::search {

// One decision of a rule, where it had a choice.
struct Decision {
  std::string name;  // "conv.row_tile": the stage, then what is decided
  int64_t value = 0;
  // What was legal after the decisions before it, at least two, in an order in which neighbours are
  // alike; the value is one of them.
  std::vector<int64_t> choices;
  bool layout = false;  // shapes tensors; the others shape loops
  friend bool operator==(const Decision&, const Decision&) = default;
};

// Values by the names of decisions. A value that is not legal where its decision is taken gives way
// to the nearest one that is; a decision without a wish takes the rule's first choice.
using Wishes = std::map<std::string, int64_t>;
Wishes WishesOf(const std::vector<Decision>& decisions);

// Answers a decision, whose value is the rule's first choice, with one of its choices.
using Choose = absl::FunctionRef<int64_t(const Decision&)>;

// The choice nearest to a value, the smaller one of two.
int64_t NearestChoice(const std::vector<int64_t>& choices, int64_t value);

// Asks for decisions and keeps those that left a choice.
class Decider {
 public:
  explicit Decider(Choose choose) : choose_(choose) {}

  // `choices` is not empty; `first` is what the rule would take, cut to the nearest choice.
  int64_t Loop(const std::string& name, std::vector<int64_t> choices, int64_t first) {
    return Decide({name, first, std::move(choices), false});
  }
  int64_t Layout(const std::string& name, std::vector<int64_t> choices, int64_t first) {
    return Decide({name, first, std::move(choices), true});
  }

  std::vector<Decision> Take() { return std::move(decisions_); }

 private:
  int64_t Decide(Decision decision);

  Choose choose_;
  std::vector<Decision> decisions_;
};

// Those of `values` that are at most `most`.
std::vector<int64_t> UpTo(int64_t most, std::vector<int64_t> values);
// Those of `values` that divide `extent` and are smaller.
std::vector<int64_t> ProperDivisors(int64_t extent, std::vector<int64_t> values);

}  // namespace alt::search

#endif  // SERVER_SEARCH_SPACE_DECISION_H_
