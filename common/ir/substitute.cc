#include "common/ir/substitute.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/ir/mutator.h"

namespace alt::ir {
namespace {

// Gives every scalar operand the lanes of its vector neighbours. Loads mix scalars and vectors; a
// Select takes a scalar condition.
void Widen(const Expr& e, absl::InlinedVector<Expr, 2>* args) {
  if (e->kind == ExprKind::kLoad || args->size() < 2) return;
  ALT_CHECK(e->kind != ExprKind::kRamp || ((*args)[0]->dtype.lanes == 1)) << "ramp of vectors";
  const size_t first = e->kind == ExprKind::kSelect && (*args)[0]->dtype.lanes == 1 ? 1 : 0;
  int lanes = 1;
  for (size_t i = first; i < args->size(); ++i) lanes = std::max(lanes, (*args)[i]->dtype.lanes);
  if (lanes == 1) return;
  for (size_t i = first; i < args->size(); ++i) {
    if ((*args)[i]->dtype.lanes == 1) (*args)[i] = Broadcast(std::move((*args)[i]), lanes);
  }
}

class Substituter : public Mutator {
 public:
  explicit Substituter(const VarMap& values) : values_(values) {
    for (const auto& [var, value] : values) filter_ |= VarBit(var);
  }

  Expr MutateExpr(const Expr& e) override {
    if ((e->var_filter & filter_) == 0) return e;
    if (e->kind == ExprKind::kVar) {
      auto it = values_.find(e->var.get());
      return it == values_.end() ? e : it->second;
    }
    for (size_t i = 0; i < e->args.size(); ++i) {
      Expr arg = MutateExpr(e->args[i]);
      if (arg.same_as(e->args[i])) continue;
      absl::InlinedVector<Expr, 2> args = e->args;
      args[i] = std::move(arg);
      for (++i; i < args.size(); ++i) args[i] = MutateExpr(e->args[i]);
      Widen(e, &args);
      return WithArgs(e, std::move(args));
    }
    return e;
  }

  Stmt MutateStmt(const Stmt& s) override {
    if ((s->var_filter & filter_) == 0) return s;
    if (s->kind != StmtKind::kStore) return Mutator::MutateStmt(s);
    bool changed = false;
    int lanes = 1;
    std::vector<Expr> parts;
    parts.reserve(s->exprs.size());
    for (const Expr& e : s->exprs) {
      parts.push_back(MutateExpr(e));
      changed |= !parts.back().same_as(e);
      if (parts.size() > 1) lanes = std::max(lanes, parts.back()->dtype.lanes);
    }
    if (!changed) return s;
    if (parts[0]->dtype.lanes == 1) parts[0] = Broadcast(std::move(parts[0]), lanes);
    return WithParts(s, std::move(parts), {});
  }

 private:
  const VarMap& values_;
  uint64_t filter_ = 0;
};

}  // namespace

Expr Substitute(const Expr& e, const VarMap& values) { return Substituter(values).MutateExpr(e); }
Stmt Substitute(const Stmt& s, const VarMap& values) { return Substituter(values).MutateStmt(s); }

}  // namespace alt::ir
