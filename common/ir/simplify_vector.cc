// Vectors of indices and conditions. Lane i of one is a scalar expression of i; the scalar rules
// simplify it for 0 <= i < lanes, and the result is spread again: a ramp where it is linear in i.

#include "common/ir/equality.h"
#include "common/ir/lanes.h"
#include "common/ir/simplify_internal.h"
#include "common/ir/visitor.h"

namespace alt::ir::internal {

Expr Simplifier::RunVector(const Expr& e) {
  const int lanes = e->dtype.lanes;
  if (e->kind == ExprKind::kBroadcast) return RunArgs(e);
  if (e->kind == ExprKind::kRamp) {
    const Expr ramp = RunArgs(e);
    if (ramp->kind == ExprKind::kRamp && IsIntValue(ramp->args[1], 0)) {
      return Broadcast(ramp->args[0], lanes);
    }
    return ramp;
  }
  const Expr lane = LaneOf(lanes);
  const Expr scalar = InLane(e, lane);
  if (!scalar.defined()) {
    if (e->kind == ExprKind::kLoad) return RunLoad(e);
    return e->kind == ExprKind::kSelect ? RunSelect(e) : RunArgs(e);
  }
  const Expr result = Vectorize(Run(scalar), lane, lanes);
  return StructurallyEqual(result, e) ? e : result;
}

// Indices that agree in all lanes become scalars; when all do, one cell is read.
Expr Simplifier::RunVectorLoad(const Expr& load) {
  bool changed = false;
  std::vector<Expr> indices(load->args.begin(), load->args.end());
  for (Expr& index : indices) {
    if (index->kind != ExprKind::kBroadcast) continue;
    index = Expr(index->args[0]);
    changed = true;
  }
  if (!changed) return load;
  const Expr narrowed = Load(load->buffer, std::move(indices));
  if (narrowed->dtype == load->dtype) return narrowed;
  const Buffer& buffer = load->buffer;
  const Expr cell = buffer->scope == Scope::kTable ? RunLoad(narrowed) : narrowed;
  return Broadcast(cell, load->dtype.lanes);
}

Expr Simplifier::LaneOf(int lanes) {
  for (const auto& [count, lane] : lanes_) {
    if (count == lanes) return lane;
  }
  const Expr lane(MakeVar("lane"));
  scope_.SetPermanentRange(lane->var.get(), {0, lanes - 1});
  lanes_.emplace_back(lanes, lane);
  return lane;
}

Expr Simplifier::Vectorize(const Expr& e, const Expr& lane, int lanes) {
  if (!UsesVar(e, lane->var)) return Broadcast(e, lanes);
  if (e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub || e->kind == ExprKind::kMul ||
      e->kind == ExprKind::kVar) {
    LinearSum uniform;
    AddExpr(e, 1, &uniform);
    LinearSum varying;  // in other ways than the lane itself
    int64_t stride = 0;
    for (size_t i = 0; i < uniform.terms.size();) {
      const SumTerm term = uniform.terms[i];
      if (!UsesVar(term.atom, lane->var)) {
        ++i;
        continue;
      }
      if (term.atom->kind == ExprKind::kVar) {
        stride = term.coefficient;
      } else {
        varying.terms.push_back(term);
      }
      RemoveTerm(static_cast<int>(i), &uniform);
    }
    Expr result;
    if (stride != 0) {
      result = Ramp(ToExpr(uniform), stride, lanes);
    } else if (!uniform.terms.empty() || uniform.constant != 0) {
      result = Broadcast(ToExpr(uniform), lanes);
    }
    for (const SumTerm& term : varying.terms) {
      absl::InlinedVector<Expr, 2> args;
      for (const Expr& arg : term.atom->args) args.push_back(Vectorize(arg, lane, lanes));
      Expr vector = WithArgs(term.atom, std::move(args));
      if (term.coefficient != 1) vector = Broadcast(term.coefficient, lanes) * std::move(vector);
      result = result.defined() ? std::move(result) + std::move(vector) : std::move(vector);
    }
    return result;
  }
  absl::InlinedVector<Expr, 2> args;
  for (const Expr& arg : e->args) args.push_back(Vectorize(arg, lane, lanes));
  return WithArgs(e, std::move(args));
}

}  // namespace alt::ir::internal
