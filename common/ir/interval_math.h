#ifndef COMMON_IR_INTERVAL_MATH_H_
#define COMMON_IR_INTERVAL_MATH_H_

// Arithmetic of intervals whose ends may be open. Private to common/ir.

#include <algorithm>
#include <cstdint>

#include "common/base/math.h"
#include "common/ir/interval.h"

namespace alt::ir::internal {

inline constexpr int64_t kNegInf = INT64_MIN;
inline constexpr int64_t kPosInf = INT64_MAX;
inline constexpr Interval kEverything{kNegInf, kPosInf};

inline bool IsOpen(int64_t end) { return end == kNegInf || end == kPosInf; }
inline bool IsPoint(Interval i) { return i.min == i.max; }
inline bool IsBounded(Interval i) { return !IsOpen(i.min) && !IsOpen(i.max); }

// An open end stays open; what overflows becomes open.
inline int64_t EndAdd(int64_t a, int64_t b) {
  if (IsOpen(a)) return a;
  if (IsOpen(b)) return b;
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return a > 0 ? kPosInf : kNegInf;
  return sum;
}
inline int64_t EndMul(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  int64_t product;
  if (IsOpen(a) || IsOpen(b) || __builtin_mul_overflow(a, b, &product)) {
    return (a > 0) == (b > 0) ? kPosInf : kNegInf;
  }
  return product;
}
inline int64_t EndFloorDiv(int64_t a, int64_t b) { return IsOpen(a) ? a : base::FloorDiv(a, b); }

inline Interval Point(int64_t value) { return {value, value}; }
inline Interval operator+(Interval a, Interval b) {
  return {EndAdd(a.min, b.min), EndAdd(a.max, b.max)};
}
inline Interval operator*(Interval a, int64_t k) {
  return k >= 0 ? Interval{EndMul(a.min, k), EndMul(a.max, k)}
                : Interval{EndMul(a.max, k), EndMul(a.min, k)};
}
inline Interval Hull(Interval a, Interval b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}
// What both say; a itself where they contradict each other (the code is then unreachable).
inline Interval Intersect(Interval a, Interval b) {
  const Interval both{std::max(a.min, b.min), std::min(a.max, b.max)};
  return both.min <= both.max ? both : a;
}
inline Interval Product(Interval a, Interval b) {
  const int64_t corners[] = {EndMul(a.min, b.min), EndMul(a.min, b.max), EndMul(a.max, b.min),
                             EndMul(a.max, b.max)};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

}  // namespace alt::ir::internal

#endif  // COMMON_IR_INTERVAL_MATH_H_
