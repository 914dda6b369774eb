// The form that algorithms, layouts and traces share: a list of calls.
//
//   list ::= { call }
//   call ::= name [ "(" argument { "," argument } ")" ]    with free white space between them
//   name ::= letters, digits and '_'
//
// An argument is any text without parentheses and commas.
#ifndef COMMON_BASE_CALL_TEXT_H_
#define COMMON_BASE_CALL_TEXT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace alt::base {

// A call, as parts of the text that it was cut from.
struct CallText {
  absl::string_view text;  // all of it
  absl::string_view name;
  std::vector<absl::string_view> args;  // trimmed; none for "name" and "name()"
};

// Cuts the first call off `text`, which is not blank. InvalidArgument quotes what stands there and
// says what was expected; `example` is a call as it could stand there.
absl::StatusOr<CallText> TakeCall(absl::string_view* text, absl::string_view example);

// Whether a text can name a stage, axis or tensor: letters, digits, '_' and '.', at least one.
bool IsName(absl::string_view text);

// InvalidArgument that starts with the call: "reorder(0,0): <reason>".
absl::Status BadCall(const CallText& call, absl::string_view reason);

// InvalidArgument when a text is longer than `most` bytes: "the layout has 70000 bytes, .."
absl::Status CheckLength(absl::string_view what, absl::string_view text, size_t most);

}  // namespace alt::base

#endif  // COMMON_BASE_CALL_TEXT_H_
