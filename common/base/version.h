#ifndef COMMON_BASE_VERSION_H_
#define COMMON_BASE_VERSION_H_

namespace alt::base {

// Of all programs and of the library.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace alt::base

#endif  // COMMON_BASE_VERSION_H_
