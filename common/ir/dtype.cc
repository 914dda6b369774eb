#include "common/ir/dtype.h"

#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace alt::ir {

int ScalarBytes(ScalarType type) {
  switch (type) {
    case ScalarType::kBool:
      return 1;
    case ScalarType::kF32:
      return 4;
    case ScalarType::kIndex:
    case ScalarType::kF64:
      return 8;
  }
  ALT_CHECK(false) << "scalar type " << static_cast<int>(type);
  return 0;
}

std::string ToString(DType dtype) {
  static constexpr const char* kNames[] = {"bool", "index", "f32", "f64"};
  std::string text = kNames[static_cast<int>(dtype.scalar)];
  if (dtype.lanes != 1) absl::StrAppend(&text, "x", dtype.lanes);
  return text;
}

}  // namespace alt::ir
