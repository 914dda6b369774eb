#include "common/base/random.h"

namespace alt::base {
namespace {

// One step of splitmix64: a bijective mix of all bits.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t RotateLeft(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

}  // namespace

Random::Random(uint64_t seed) : seed_(seed) {
  for (uint64_t& word : state_) {
    word = Mix(seed);
    seed += 0x9e3779b97f4a7c15;
  }
}

uint64_t Random::Next() {
  const uint64_t result = RotateLeft(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = RotateLeft(state_[3], 45);
  return result;
}

uint64_t Random::Uniform(uint64_t n) {
  ALT_CHECK_GT(n, 0u);
  // 2^64 mod n numbers at the low end would make small results more likely; they are drawn again.
  const uint64_t rejected = (0 - n) % n;
  uint64_t x = Next();
  while (x < rejected) x = Next();
  return x % n;
}

int64_t Random::UniformInt(int64_t low, int64_t high) {
  ALT_CHECK_LE(low, high);
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  const uint64_t offset = span == 0 ? Next() : Uniform(span);  // 0: all 2^64 values
  return static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
}

double Random::UnitDouble() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

double Random::Gaussian() {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += UnitDouble();
  return sum;
}

size_t Random::WeightedIndex(absl::Span<const double> weights) {
  double sum = 0;
  for (double weight : weights) {
    ALT_CHECK_GE(weight, 0.0);
    sum += weight;
  }
  ALT_CHECK_GT(sum, 0.0);
  double left = UnitDouble() * sum;
  size_t last = 0;  // the last index with weight: rounding may leave a rest at the end
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    last = i;
    if (left < weights[i]) return i;
    left -= weights[i];
  }
  return last;
}

Random Random::Split() { return Random(Mix(Next())); }

Random Random::Stream(absl::string_view name) const {
  uint64_t hash = Mix(name.size());
  for (char c : name) hash = Mix(hash ^ static_cast<unsigned char>(c));
  return Random(Mix(seed_) ^ hash);
}

Random Random::Stream(uint64_t index) const { return Random(Mix(Mix(seed_) + index)); }

}  // namespace alt::base
