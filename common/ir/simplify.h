#ifndef COMMON_IR_SIMPLIFY_H_
#define COMMON_IR_SIMPLIFY_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/ir/interval.h"
#include "common/ir/stmt.h"

namespace alt::ir {

// An expression of the same value for all values of the variables within ranges, and simpler: the
// mixed-radix div and mod that layouts and splits create vanish where ranges allow
// (floordiv(32*a + b, 32) with 0 <= b < 32 is a; floormod of it is b; with a factor common to
// divisor and terms too: floordiv(64*a + 4*b + c, 16) = 4*a + floordiv(b, 4) for 0 <= c < 4,
// 0 <= b ...), comparisons and min/max decided by ranges fold, selects on decided conditions go.
// A variable whose range is one value is replaced by it, so Simplify(body, {{v, {k, k}}}) unrolls.
// Results have one form, which passes may rely on: sums 4*a + b - c + 3 (factor before atom, a
// positive term first, constant last); comparisons of indices are `<` or `==` with positive terms
// on both sides (x < 6, 0 < h + k); ! stands only before what has no opposite; chains of && and ||
// group to the left; min(x, 3) and max(x, 3) have their constant second.
// Idempotent. Deterministic: the printed result depends only on the printed input and the ranges.
Expr Simplify(const Expr& e, const RangeMap& ranges = {});

// The same for a statement: For adds its variable's range (bounds of min and extent), a loop of one
// iteration becomes its body, of none a nop; If and Select on decided conditions go; a condition
// narrows the ranges inside its branch; B[i] = B[i] is a nop.
Stmt Simplify(const Stmt& s, const RangeMap& ranges = {});

// Keeps indices that a pass builds step by step in bounds: short ones stay as they are, so that
// ordinary programs pay nothing, others are simplified. FailedPrecondition when more than
// kMaxIndexNodes (limits.h) are left in all.
absl::Status LimitIndices(const RangeMap& ranges, absl::Span<Expr> indices);

// FailedPrecondition when a body of a stage has more than kMaxBodyNodes.
absl::Status CheckBody(const Expr& body);

}  // namespace alt::ir

#endif  // COMMON_IR_SIMPLIFY_H_
