#include "common/base/parse.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::base {
namespace {

template <typename Int>
absl::StatusOr<Int> ParseInteger(absl::string_view text) {
  Int value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' does not fit into 64 bits"));
  }
  if (error != std::errc() || stopped != end) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not an integer"));
  }
  return value;
}

}  // namespace

absl::StatusOr<int64_t> ParseInt64(absl::string_view text) { return ParseInteger<int64_t>(text); }

absl::StatusOr<uint64_t> ParseUint64(absl::string_view text) {
  return ParseInteger<uint64_t>(text);
}

absl::StatusOr<int64_t> ParseIntInRange(absl::string_view what, absl::string_view text, int64_t low,
                                        int64_t high) {
  const absl::StatusOr<int64_t> value = ParseInt64(text);
  if (!value.ok()) return Annotate(value.status(), absl::StrCat(what, "=", text));
  if (*value < low || *value > high) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, "=", text, " is not within [", low, ", ", high, "]"));
  }
  return *value;
}

absl::StatusOr<double> ParseDouble(absl::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = absl::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' does not fit into a double"));
  }
  if (error != std::errc() || stopped != end || !std::isfinite(value)) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not a number"));
  }
  return value;
}

int EditDistance(absl::string_view a, absl::string_view b) {
  // Rows of the table of distances between prefixes: of a[0, i-2), a[0, i-1) and a[0, i).
  std::vector<int> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) current[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(previous);
    previous.swap(current);
    current[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
  }
  return current[b.size()];
}

std::optional<std::string> ClosestMatch(absl::string_view word,
                                        absl::Span<const std::string> candidates) {
  constexpr size_t kLongestSlip = 64;  // longer texts are no slips, and would take long to compare
  if (word.size() > kLongestSlip) return std::nullopt;
  const std::string wanted = absl::AsciiStrToLower(word);
  std::optional<std::string> best;
  int best_distance = 0;
  for (const std::string& candidate : candidates) {
    const int distance = EditDistance(wanted, absl::AsciiStrToLower(candidate));
    const int limit = std::max<int>(1, static_cast<int>(candidate.size()) / 3);
    // Of a word of one or two letters a slip leaves nothing to recognize.
    const bool unrecognizable = distance >= static_cast<int>(candidate.size());
    if (distance > limit || unrecognizable || (best && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string DidYouMean(absl::string_view word, absl::Span<const std::string> candidates) {
  const std::optional<std::string> match = ClosestMatch(word, candidates);
  return match ? absl::StrCat("; did you mean '", *match, "'?") : "";
}

std::string Quoted(absl::string_view text) {
  constexpr size_t kMost = 60;
  return absl::StrCat("'", absl::CHexEscape(text.substr(0, kMost)),
                      text.size() > kMost ? "..." : "", "'");
}

}  // namespace alt::base
