#ifndef COMMON_BASE_PLAIN_TEXT_H_
#define COMMON_BASE_PLAIN_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace alt::base {

// A text from outside (a compiler, a kernel, a file name) as it may be sent, stored and printed:
// UTF-8 without NUL, what is neither replaced by '?', cut to at most so many bytes between two
// characters.
std::string PlainText(absl::string_view text, size_t most_bytes);

// The same as one line that cannot move the cursor: control characters as C escapes them.
std::string OneLine(absl::string_view text, size_t most_bytes);

}  // namespace alt::base

#endif  // COMMON_BASE_PLAIN_TEXT_H_
