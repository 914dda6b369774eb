#include "common/ir/lanes.h"

#include <utility>

namespace alt::ir::internal {

Expr InLane(const Expr& e, const Expr& lane) {
  if (e->dtype.lanes == 1) return e;
  if (e->kind == ExprKind::kBroadcast) return e->args[0];
  if (e->kind == ExprKind::kRamp) return e->args[0] + e->args[1] * lane;
  if (IsRead(e)) return Expr();
  absl::InlinedVector<Expr, 2> args;
  for (const Expr& arg : e->args) {
    // A comparison of floats is of floats, not of the lane.
    Expr scalar = arg->dtype.is_float() ? Expr() : InLane(arg, lane);
    if (!scalar.defined()) return Expr();
    args.push_back(std::move(scalar));
  }
  return WithArgs(e, std::move(args));
}

}  // namespace alt::ir::internal
