// Random numbers that are the same on every machine and in every build: search, tests and the
// simulator are reproducible from a seed. Integer arithmetic only, so no libm differs; not for
// secrets. The generator is xoshiro256** seeded by splitmix64 (Blackman and Vigna).
#ifndef COMMON_BASE_RANDOM_H_
#define COMMON_BASE_RANDOM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/base/check.h"

namespace alt::base {

// Copying repeats the sequence. One thread at a time.
class Random {
 public:
  explicit Random(uint64_t seed);

  // All 64 bits.
  uint64_t Next();

  // Uniform in [0, n), without bias; n > 0.
  uint64_t Uniform(uint64_t n);

  // Uniform in [low, high], both included.
  int64_t UniformInt(int64_t low, int64_t high);

  // Uniform in [0, 1), a multiple of 2^-53.
  double UnitDouble();

  // True with probability p; p <= 0 is never, p >= 1 always.
  bool Bernoulli(double p) { return UnitDouble() < p; }

  // Close to standard normal: mean 0, variance 1, but never outside [-6, 6]. A sum of twelve
  // uniforms, because log and cos differ between C libraries.
  double Gaussian();

  // Index i with probability weights[i] / sum. Weights are finite and not negative; their sum > 0.
  size_t WeightedIndex(absl::Span<const double> weights);

  template <typename Container>
  const typename Container::value_type& Choice(const Container& container) {
    ALT_CHECK(!container.empty()) << "choice from nothing";
    return container[static_cast<size_t>(Uniform(container.size()))];
  }

  template <typename Container>
  void Shuffle(Container& container) {
    for (size_t n = container.size(); n > 1; --n) {
      using std::swap;
      swap(container[n - 1], container[static_cast<size_t>(Uniform(n))]);
    }
  }

  // An independent generator; takes one number from this one.
  Random Split();

  // An independent generator that depends on this one's seed and on `name` alone, not on how much
  // was drawn: a part that draws more does not disturb the others.
  Random Stream(absl::string_view name) const;
  Random Stream(uint64_t index) const;

 private:
  uint64_t seed_;
  std::array<uint64_t, 4> state_;
};

}  // namespace alt::base

#endif  // COMMON_BASE_RANDOM_H_
