// Who may include what: the rules of tests/lint/layers.txt.
//
// A line of that file is one of (# begins a comment)
//   layer PATH: PATH...     files under PATH may include headers under PATH..., and what those may;
//                           the longest PATH that holds a file is its layer. A PATH may be one
//                           file.
//   door HEADER...: PATH... these outside headers may be included under PATH... only
//   free HEADER...          these may be included everywhere
// HEADER is a whole name (sqlite3.h), a directory (llvm/) or an ending (*.pb.h). Standard C++
// headers (no dot in the name) are free. Files under tests/ may include everything but what has a
// door nowhere.
#ifndef TESTS_LINT_LAYERS_H_
#define TESTS_LINT_LAYERS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/lint/violation.h"

namespace alt::lint {

class Layers {
 public:
  // InvalidArgument names the line; an unknown layer on a right side and a cycle are errors.
  static absl::StatusOr<Layers> Parse(absl::string_view text);

  // `path` from the repository's root. A quoted include is one of ours.
  std::vector<Violation> CheckIncludes(const std::string& path, const std::string& text) const;

  // The layer that holds `path`, or empty.
  std::string LayerOf(absl::string_view path) const;

 private:
  struct Door {
    std::vector<std::string> headers;
    std::vector<std::string> paths;
  };

  absl::Status ParseLine(absl::string_view line);
  absl::Status Close();
  std::string OwnHeaderFault(const std::string& path, const std::string& header) const;
  std::string OutsideHeaderFault(const std::string& path, const std::string& header) const;

  std::map<std::string, std::set<std::string>> layers_;  // what each may include, transitively
  std::vector<Door> doors_;
  std::vector<std::string> free_;
};

}  // namespace alt::lint

#endif  // TESTS_LINT_LAYERS_H_
