// Keys of canonical text. They are stored and compared across machines and versions, so what is
// hashed is text of ours, never the bytes of a serialized proto.
#ifndef COMMON_BASE_FINGERPRINT_H_
#define COMMON_BASE_FINGERPRINT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace alt::base {

// SHA-256 as 64 lower-case hexadecimal digits.
std::string Sha256Hex(absl::string_view text);

}  // namespace alt::base

#endif  // COMMON_BASE_FINGERPRINT_H_
