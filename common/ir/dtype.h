#ifndef COMMON_IR_DTYPE_H_
#define COMMON_IR_DTYPE_H_

#include <cstdint>
#include <string>

namespace alt::ir {

// Element type of a scalar or of each lane of a vector. kIndex is a signed 64-bit integer.
enum class ScalarType : uint8_t { kBool, kIndex, kF32, kF64 };

// A scalar type with a number of lanes; one lane is a scalar.
struct DType {
  ScalarType scalar = ScalarType::kIndex;
  int lanes = 1;

  bool is_float() const { return scalar == ScalarType::kF32 || scalar == ScalarType::kF64; }
  DType WithLanes(int n) const { return {scalar, n}; }
  friend bool operator==(const DType&, const DType&) = default;
};

inline constexpr DType kBool{ScalarType::kBool, 1};
inline constexpr DType kIndex{ScalarType::kIndex, 1};
inline constexpr DType kF32{ScalarType::kF32, 1};
inline constexpr DType kF64{ScalarType::kF64, 1};

// Bytes of one lane in memory.
int ScalarBytes(ScalarType type);
// "f32", "f32x8", "index", "bool".
std::string ToString(DType dtype);

}  // namespace alt::ir

#endif  // COMMON_IR_DTYPE_H_
