#ifndef COMMON_IR_INTERVAL_H_
#define COMMON_IR_INTERVAL_H_

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "common/ir/expr.h"

namespace alt::ir {

// Closed interval of integers, min <= max. INT64_MIN and INT64_MAX stand for an open end.
struct Interval {
  int64_t min = 0;
  int64_t max = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// What is known of variables: closed intervals. A variable that is absent is unbounded.
using RangeMap = absl::flat_hash_map<const VarNode*, Interval>;

// Bounds of an index (or bool) expression over all values of its variables; nullopt when unbounded.
// Sound, not always tight (x - x of one Load is not seen); exact for linear expressions.
std::optional<Interval> BoundsOf(const Expr& e, const RangeMap& ranges);

// A sum of integer multiples of atoms plus a constant: the normal form of index arithmetic. An atom
// is a Var or any index expression that is not a sum or product by a constant.
struct Linear {
  struct Term {
    Expr atom;
    int64_t coefficient;
  };
  std::vector<Term> terms;  // no two atoms equal, no zero coefficient, in order of first occurrence
  int64_t constant = 0;
};
Linear ToLinear(const Expr& e);
Expr FromLinear(const Linear& linear);

}  // namespace alt::ir

#endif  // COMMON_IR_INTERVAL_H_
