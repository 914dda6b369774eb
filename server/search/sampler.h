#ifndef SERVER_SEARCH_SAMPLER_H_
#define SERVER_SEARCH_SAMPLER_H_

#include <cstdint>
#include <vector>

#include "common/base/random.h"
#include "server/search/space/knob.h"

namespace alt::search {

// Random moves in a space whose frozen knobs keep the value of a start point. A value; the knobs
// must outlive it.
class Sampler {
 public:
  Sampler(const Knobs& knobs, std::vector<bool> frozen, Point start, uint64_t seed);

  // Uniform over all free knobs.
  Point Uniform();
  // `count` free knobs of the point change: to a neighbouring choice, or now and then to any.
  Point Mutate(const Point& point, int count);
  // Each free knob from one of the two.
  Point Cross(const Point& a, const Point& b);
  // The point with the frozen knobs of the start.
  Point Freeze(Point point) const;

  base::Random& random() { return random_; }

 private:
  const Knobs* knobs_;
  std::vector<size_t> free_;  // knobs with a choice
  std::vector<bool> frozen_;
  Point start_;
  base::Random random_;
};

}  // namespace alt::search

#endif  // SERVER_SEARCH_SAMPLER_H_
