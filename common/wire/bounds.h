// Checks that several messages share. Bounds are far above what a real value needs and far below
// what could hurt: whatever passes them may be handed to the rest of the program.
#ifndef COMMON_WIRE_BOUNDS_H_
#define COMMON_WIRE_BOUNDS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace alt::wire {

inline constexpr int64_t kMaxExtent = int64_t{1} << 40;
inline constexpr int kMaxCandidates = 1024;  // of one batch
inline constexpr size_t kMaxNameBytes = 128;
inline constexpr size_t kMaxMessageBytes = 16 << 10;  // texts for people
inline constexpr int kMaxValidators = 64;
inline constexpr int kMaxCacheLevels = 8;

// InvalidArgument "what: value is not in [low, high]".
absl::Status CheckRange(absl::string_view what, int64_t value, int64_t low, int64_t high);
// The same for a number of elements.
absl::Status CheckCount(absl::string_view what, int64_t count, int64_t most);
// A name of a stage, axis, tensor or algorithm: printable ASCII without blanks, not empty.
absl::Status CheckName(absl::string_view what, absl::string_view name);
// A text for people: at most kMaxMessageBytes.
absl::Status CheckText(absl::string_view what, absl::string_view text);
// A measured number: finite and not negative.
absl::Status CheckMeasured(absl::string_view what, double value);

}  // namespace alt::wire

#endif  // COMMON_WIRE_BOUNDS_H_
