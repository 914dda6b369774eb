// C++ source as text, well enough for lint: no compiler, no preprocessing.
#ifndef TESTS_LINT_CPP_TEXT_H_
#define TESTS_LINT_CPP_TEXT_H_

#include <string>
#include <vector>

namespace alt::lint {

// The same text with everything but code replaced by spaces: comments, the insides of string and
// character literals, preprocessor directives, and all but the first branch of #if. Newlines stay,
// so lines keep their numbers.
std::string BlankNonCode(const std::string& text);

// The same text with only comments replaced by spaces.
std::string BlankComments(const std::string& text);

struct Include {
  int line;  // from 1
  bool quoted;
  std::string path;
};
std::vector<Include> FindIncludes(const std::string& text);

// A function with a body: at namespace or class scope, so a lambda counts as part of the function
// around it.
struct FunctionSpan {
  int first_line;  // of its head, from 1
  int last_line;   // of its closing brace
  int num_lines() const { return last_line - first_line + 1; }
};
std::vector<FunctionSpan> FindFunctions(const std::string& text);

}  // namespace alt::lint

#endif  // TESTS_LINT_CPP_TEXT_H_
