// Division of integers that rounds in one direction, whatever the signs. b > 0.
#ifndef COMMON_BASE_MATH_H_
#define COMMON_BASE_MATH_H_

#include <cstdint>

namespace alt::base {

constexpr int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
constexpr int64_t FloorMod(int64_t a, int64_t b) { return a - FloorDiv(a, b) * b; }
constexpr int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

}  // namespace alt::base

#endif  // COMMON_BASE_MATH_H_
