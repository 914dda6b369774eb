#ifndef SERVER_SEARCH_SPACE_KNOB_H_
#define SERVER_SEARCH_SPACE_KNOB_H_

#include <cstdint>
#include <string>
#include <vector>

namespace alt::search {

// One decision of a joint space: a value out of an ordered list, neighbours being alike.
struct Knob {
  std::string name;
  std::vector<int64_t> choices;  // at least one, ascending where that has a meaning
  bool layout = false;           // a layout factor; the rest are loop decisions
};

// A choice for each knob, by index into its choices.
using Point = std::vector<int>;

// The knobs of a space with access by name. A value.
class Knobs {
 public:
  void Add(std::string name, std::vector<int64_t> choices, bool layout = false);

  const std::vector<Knob>& all() const { return knobs_; }
  size_t size() const { return knobs_.size(); }
  // Index by name; checks that it is there.
  size_t IndexOf(const std::string& name) const;
  // The value that a point chooses.
  int64_t Value(const Point& point, const std::string& name) const;
  // Sets the choice nearest to value (the smaller one of two).
  void Set(Point& point, const std::string& name, int64_t value) const;
  // The first choice everywhere.
  Point Origin() const { return Point(knobs_.size(), 0); }

 private:
  std::vector<Knob> knobs_;
};

// Those of `candidates` that are at most `extent`.
std::vector<int64_t> UpTo(int64_t extent, std::vector<int64_t> candidates);
// Those of `candidates` that divide `extent` and are smaller.
std::vector<int64_t> ProperDivisors(int64_t extent, std::vector<int64_t> candidates);

}  // namespace alt::search

#endif  // SERVER_SEARCH_SPACE_KNOB_H_
