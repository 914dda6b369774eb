#include "common/ir/simplify.h"

#include "common/ir/range_scope.h"

namespace alt::ir {

Expr Simplify(const Expr& e, const RangeMap&) { return e; }
Stmt Simplify(const Stmt& s, const RangeMap&) { return s; }
bool CanProve(const Expr& condition, const RangeMap& ranges) {
  return internal::RangeScope(ranges).Bound(condition) == internal::Point(1);
}

}  // namespace alt::ir
