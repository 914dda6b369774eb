// Strict reading of numbers, and messages about texts of others. Nothing is skipped and nothing is
// guessed: spaces, a leading '+', leftovers and overflow are errors.
#ifndef COMMON_BASE_PARSE_H_
#define COMMON_BASE_PARSE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace alt::base {

// Decimal digits with an optional '-'. InvalidArgument otherwise; the message quotes the text.
absl::StatusOr<int64_t> ParseInt64(absl::string_view text);
absl::StatusOr<uint64_t> ParseUint64(absl::string_view text);

// The same, within [low, high], both included. `what` names the value in the message:
// "threads=0 is not within [1, 1024]".
absl::StatusOr<int64_t> ParseIntInRange(absl::string_view what, absl::string_view text, int64_t low,
                                        int64_t high);

// A finite decimal number, such as 0.5, -3 or 1e-3.
absl::StatusOr<double> ParseDouble(absl::string_view text);

// How many insertions, deletions, replacements or swaps of neighbours turn a into b.
int EditDistance(absl::string_view a, absl::string_view b);

// The candidate that was probably meant by `word`: the first of those closest to it without regard
// to case, when that is close enough to be a slip (a third of its letters); else none.
std::optional<std::string> ClosestMatch(absl::string_view word,
                                        absl::Span<const std::string> candidates);

// "; did you mean 'stride'?" or nothing: the end of an error message about an unknown word.
std::string DidYouMean(absl::string_view word, absl::Span<const std::string> candidates);

// Text of others in an error message: quoted, printable, and cut when long.
std::string Quoted(absl::string_view text);

}  // namespace alt::base

#endif  // COMMON_BASE_PARSE_H_
