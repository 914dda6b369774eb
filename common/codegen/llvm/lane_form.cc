#include "common/codegen/llvm/lane_form.h"

#include <utility>

namespace alt::codegen {
namespace {

using ir::Expr;
using ir::ExprKind;

std::optional<AffineLanes> AffineSum(const Expr& e, int64_t sign) {
  std::optional<AffineLanes> a = ToAffineLanes(e->args[0]);
  std::optional<AffineLanes> b = ToAffineLanes(e->args[1]);
  if (!a || !b) return std::nullopt;
  Expr base = sign > 0 ? a->base + b->base : a->base - b->base;
  return AffineLanes{std::move(base), a->stride + sign * b->stride};
}

std::optional<AffineLanes> AffineProduct(const Expr& e) {
  int64_t factor;
  const bool right = ir::IsInt(e->args[1], &factor);
  if (!right && !ir::IsInt(e->args[0], &factor)) return std::nullopt;
  std::optional<AffineLanes> a = ToAffineLanes(e->args[right ? 0 : 1]);
  if (!a) return std::nullopt;
  return AffineLanes{a->base * factor, a->stride * factor};
}

}  // namespace

std::optional<AffineLanes> ToAffineLanes(const Expr& e) {
  if (e->dtype.lanes == 1) return AffineLanes{e, 0};
  int64_t stride;
  switch (e->kind) {
    case ExprKind::kBroadcast:
      return AffineLanes{e->args[0], 0};
    case ExprKind::kRamp:
      if (!ir::IsInt(e->args[1], &stride)) return std::nullopt;
      return AffineLanes{e->args[0], stride};
    case ExprKind::kAdd:
      return AffineSum(e, 1);
    case ExprKind::kSub:
      return AffineSum(e, -1);
    case ExprKind::kMul:
      return AffineProduct(e);
    default:
      return std::nullopt;
  }
}

Expr LaneOf(const Expr& e, int lane) {
  if (e->dtype.lanes == 1) return e;
  if (e->kind == ExprKind::kBroadcast) return e->args[0];
  if (e->kind == ExprKind::kRamp) return e->args[0] + e->args[1] * lane;
  absl::InlinedVector<Expr, 2> args;
  for (const Expr& arg : e->args) args.push_back(LaneOf(arg, lane));
  return ir::WithArgs(e, std::move(args));
}

}  // namespace alt::codegen
