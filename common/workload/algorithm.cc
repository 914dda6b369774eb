#include "common/workload/algorithm.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/parse.h"
#include "common/workload/field.h"

namespace alt::workload {
namespace {

absl::Status Unknown(absl::string_view text) {
  const absl::string_view word = text.substr(0, text.find('('));
  return absl::InvalidArgumentError(absl::StrCat("unknown algorithm ", Quoted(text),
                                                 Suggest(word, {"direct", "winograd"}),
                                                 " There are direct and winograd(mh,mw)"));
}

}  // namespace

absl::StatusOr<Algorithm> ParseAlgorithm(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (text == "direct") return Direct{};
  absl::string_view arguments = text;
  if (!absl::ConsumePrefix(&arguments, "winograd(") || !absl::ConsumeSuffix(&arguments, ")")) {
    return Unknown(text);
  }
  const std::vector<absl::string_view> parts = absl::StrSplit(arguments, ',');
  Winograd winograd{0, 0};
  if (parts.size() == 2) {
    winograd.mh = base::ParseInt64(absl::StripAsciiWhitespace(parts[0])).value_or(0);
    winograd.mw = base::ParseInt64(absl::StripAsciiWhitespace(parts[1])).value_or(0);
  }
  // Sizes of more than two digits are never right, and arithmetic on them could overflow.
  const auto sane = [](int64_t m) { return m >= 1 && m <= 99; };
  if (!sane(winograd.mh) || !sane(winograd.mw)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "algorithm ", Quoted(text), " needs two tile sizes from 1 to 99, as in winograd(4,4)"));
  }
  return winograd;
}

std::string Print(const Algorithm& algorithm) {
  if (const Winograd* winograd = std::get_if<Winograd>(&algorithm)) {
    return absl::StrCat("winograd(", winograd->mh, ",", winograd->mw, ")");
  }
  return "direct";
}

}  // namespace alt::workload
