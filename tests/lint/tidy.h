// Checks of single files and of the whole tree, beside those of layers.h.
#ifndef TESTS_LINT_TIDY_H_
#define TESTS_LINT_TIDY_H_

#include <map>
#include <string>
#include <vector>

#include "tests/lint/layers.h"
#include "tests/lint/violation.h"

namespace alt::lint {

inline constexpr int kMaxFileLines = 800;
inline constexpr int kMaxFunctionLines = 70;

// Files longer than kMaxFileLines; functions of C++ files longer than kMaxFunctionLines.
std::vector<Violation> CheckSizes(const std::string& path, const std::string& text);

// A header's guard is its path: common/ir/expr.h has COMMON_IR_EXPR_H_.
std::vector<Violation> CheckGuard(const std::string& path, const std::string& text);

// Files by path from the repository's root.
using Tree = std::map<std::string, std::string>;

// The source files (.h .cc .proto .py .sh .cmake .md .alt CMakeLists.txt layers.txt) of the
// project, without build/.
Tree ReadTree(const std::string& root);

// Every .cc is listed in the CMakeLists.txt of its directory or of one above, and there is a file
// for every .cc that is listed; the files of a list are sorted.
std::vector<Violation> CheckSourceLists(const Tree& tree);

// Every alt_ target that a CMakeLists.txt links is made somewhere: CMake would take the name of one
// that is not for a library of the system's, and only a link step would notice.
std::vector<Violation> CheckTargets(const Tree& tree);

// What the code names exists: tests, as in "Shown by tests/common/lower/flatten_buffers_test.cc",
// and pages with their headings, as in "(docs/layout.md#what-is-timed)". Pages name files and
// folders of the tree in `backquotes`, and link to them from where they stand.
std::vector<Violation> CheckReferences(const Tree& tree);

// All checks.
std::vector<Violation> CheckTree(const Tree& tree, const Layers& layers);

}  // namespace alt::lint

#endif  // TESTS_LINT_TIDY_H_
