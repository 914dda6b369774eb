#include "common/wire/bounds.h"

#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace alt::wire {

absl::Status CheckRange(absl::string_view what, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": ", value, " is not in [", low, ", ", high, "]"));
}

absl::Status CheckCount(absl::string_view what, int64_t count, int64_t most) {
  if (count <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(count, " ", what, " are more than the limit of ", most));
}

absl::Status CheckName(absl::string_view what, absl::string_view name) {
  if (name.empty()) return absl::InvalidArgumentError(absl::StrCat(what, " is empty"));
  if (name.size() > kMaxNameBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " has ", name.size(), " bytes, limit ", kMaxNameBytes));
  }
  for (const char c : name) {
    if (!absl::ascii_isgraph(static_cast<unsigned char>(c))) {
      return absl::InvalidArgumentError(absl::StrCat(
          what, " has a character that is not allowed: \"", absl::CEscape(name), "\""));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckText(absl::string_view what, absl::string_view text) {
  if (text.size() <= kMaxMessageBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " has ", text.size(), " bytes, limit ", kMaxMessageBytes));
}

absl::Status CheckMeasured(absl::string_view what, double value) {
  if (std::isfinite(value) && value >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, " is ", value));
}

}  // namespace alt::wire
