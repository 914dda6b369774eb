#ifndef SERVER_SEARCH_SAMPLER_H_
#define SERVER_SEARCH_SAMPLER_H_

#include <cstdint>

#include "common/base/random.h"
#include "server/search/space/space.h"

namespace alt::search {

// Random moves in a space, which must outlive it. A value.
class Sampler {
 public:
  Sampler(const Space& space, uint64_t seed) : space_(&space), random_(seed) {}

  // Each decision uniform over what is legal.
  Point Uniform();
  // `count` decisions of the point change: to a neighbouring choice, or now and then to any. What
  // is decided after them stays where it is legal.
  Point Mutate(const Point& point, int count);
  // Each decision from one of the two.
  Point Cross(const Point& a, const Point& b);

  const Space& space() const { return *space_; }
  base::Random& random() { return random_; }

 private:
  const Space* space_;
  base::Random random_;
};

}  // namespace alt::search

#endif  // SERVER_SEARCH_SAMPLER_H_
