// How the stages of an operator are rewritten before layouts and loops are chosen.
#ifndef COMMON_WORKLOAD_ALGORITHM_H_
#define COMMON_WORKLOAD_ALGORITHM_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace alt::workload {

inline constexpr int kMaxRewrites = 8;  // of one algorithm

// "winograd(mh,mw)": minimal filtering with output tiles of mh x mw (te/op/winograd.h).
struct Winograd {
  int64_t mh = 1, mw = 1;
  friend bool operator==(const Winograd&, const Winograd&) = default;
};
// "convert(tensor)": a copy between an input or the output and the stages that use it
// (te/op/convert.h). Of any operator; behind all other rewrites.
struct Convert {
  std::string tensor;
  friend bool operator==(const Convert&, const Convert&) = default;
};
using Rewrite = std::variant<Winograd, Convert>;

// An algorithm: rewrites applied in order to the stages that define the operator. A value; the
// empty list leaves them as they are.
struct Algorithm {
  std::vector<Rewrite> rewrites;
  friend bool operator==(const Algorithm&, const Algorithm&) = default;
};

//   algorithm ::= "direct" | rewrite { rewrite }
//   rewrite   ::= "winograd(" mh "," mw ")" | "convert(" tensor ")"
//
// The canonical text, which Print gives, has one space between rewrites and none within; the empty
// list is "direct". Parse takes free white space. InvalidArgument for anything else; whether an
// algorithm applies is seen when it is used.
std::string Print(const Rewrite& rewrite);
std::string Print(const Algorithm& algorithm);
absl::StatusOr<Algorithm> ParseAlgorithm(absl::string_view text);

// The algorithm without conversions, which are no affair of the operator; and those.
struct Parts {
  Algorithm computation;
  std::vector<Convert> conversions;
};
Parts PartsOf(const Algorithm& algorithm);

}  // namespace alt::workload

#endif  // COMMON_WORKLOAD_ALGORITHM_H_
