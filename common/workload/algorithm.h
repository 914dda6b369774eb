#ifndef COMMON_WORKLOAD_ALGORITHM_H_
#define COMMON_WORKLOAD_ALGORITHM_H_

#include <cstdint>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace alt::workload {

// How a workload is broken into stages.

// "direct": as the operator is defined.
struct Direct {
  friend bool operator==(const Direct&, const Direct&) = default;
};
// "winograd(mh,mw)": minimal filtering with output tiles of mh x mw (te/op/winograd.h).
struct Winograd {
  int64_t mh = 1, mw = 1;
  friend bool operator==(const Winograd&, const Winograd&) = default;
};
using Algorithm = std::variant<Direct, Winograd>;

// Spaces within the parentheses are allowed. InvalidArgument for anything else; whether the
// algorithm applies is seen when it is used.
absl::StatusOr<Algorithm> ParseAlgorithm(absl::string_view text);
// Canonical text: "winograd(4,2)".
std::string Print(const Algorithm& algorithm);

}  // namespace alt::workload

#endif  // COMMON_WORKLOAD_ALGORITHM_H_
