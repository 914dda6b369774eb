// One fault that lint found.
#ifndef TESTS_LINT_VIOLATION_H_
#define TESTS_LINT_VIOLATION_H_

#include <string>

#include "absl/strings/str_cat.h"

namespace alt::lint {

struct Violation {
  std::string path;  // from the repository's root
  int line = 0;      // from 1; 0: the file as a whole
  std::string message;

  std::string ToString() const {
    return absl::StrCat(path, line > 0 ? absl::StrCat(":", line) : "", ": ", message);
  }
};

}  // namespace alt::lint

#endif  // TESTS_LINT_VIOLATION_H_
