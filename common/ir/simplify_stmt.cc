// Statements.

#include "common/ir/equality.h"
#include "common/ir/mutator.h"
#include "common/ir/simplify_internal.h"

namespace alt::ir::internal {

Stmt Simplifier::Run(const Stmt& s) {
  switch (s->kind) {
    case StmtKind::kFor:
      return RunFor(s);
    case StmtKind::kIf:
      return RunIf(s);
    case StmtKind::kStore:
      return RunStore(s);
    case StmtKind::kAllocate: {
      const Stmt body = Run(s->body());
      if (body->kind == StmtKind::kNop) return body;
      return body.same_as(s->body()) ? s : Allocate(s->buffer, body);
    }
    case StmtKind::kBlock:
    case StmtKind::kPrefetch:
      return RunParts(s);
    case StmtKind::kNop:
      return s;
  }
  return s;
}

Stmt Simplifier::RunParts(const Stmt& s) {
  bool changed = false;
  std::vector<Expr> exprs;
  exprs.reserve(s->exprs.size());
  for (const Expr& e : s->exprs) {
    exprs.push_back(Run(e));
    changed |= !exprs.back().same_as(e);
  }
  std::vector<Stmt> stmts;
  stmts.reserve(s->stmts.size());
  for (const Stmt& child : s->stmts) {
    stmts.push_back(Run(child));
    changed |= !stmts.back().same_as(child);
  }
  return changed ? WithParts(s, std::move(exprs), std::move(stmts)) : s;
}

Stmt Simplifier::RunFor(const Stmt& s) {
  const Expr min = Run(s->min());
  const Expr extent = Run(s->extent());
  const Interval extents = scope_.Bound(extent);
  if (extents.max <= 0) return Nop();
  const VarNode* var = s->var.get();
  const RangeScope::Mark mark = scope_.GetMark();
  if (extents == Point(1)) {
    bindings_.push_back({var, min});
    Stmt body = Run(s->body());
    bindings_.pop_back();
    return body;
  }
  const Interval mins = scope_.Bound(min);
  // Inside, there is an iteration: the extent is at least one, and the variable below the end.
  const int64_t last = EndAdd(extents.max, -1);
  scope_.SetRange(var, {mins.min, IsOpen(last) || IsOpen(mins.max) ? kPosInf : mins.max + last});
  if (extent->kind != ExprKind::kIntImm) {
    LinearSum sum;  // var - min - extent
    AddExpr(Expr(s->var), 1, &sum);
    AddExpr(min, -1, &sum);
    AddExpr(extent, -1, &sum);
    scope_.AssumeSum(std::move(sum), {kNegInf, -1});
  }
  if (min->kind != ExprKind::kIntImm) {
    LinearSum sum;  // var - min
    AddExpr(Expr(s->var), 1, &sum);
    AddExpr(min, -1, &sum);
    scope_.AssumeSum(std::move(sum), {0, last});
  }
  const Stmt body = Run(s->body());
  scope_.Restore(mark);
  if (body->kind == StmtKind::kNop) return body;
  if (min.same_as(s->min()) && extent.same_as(s->extent()) && body.same_as(s->body())) return s;
  return For(s->var, min, extent, s->for_kind, body, s->lanes);
}

Stmt Simplifier::RunIf(const Stmt& s) {
  const Expr condition = Run(s->condition());
  int64_t decided;
  if (IsInt(condition, &decided)) {
    if (decided) return Run(s->stmts[0]);
    return s->stmts.size() > 1 ? Run(s->stmts[1]) : Nop();
  }
  const RangeScope::Mark mark = scope_.GetMark();
  scope_.Assume(condition, true);
  const Stmt then_stmt = Run(s->stmts[0]);
  scope_.Restore(mark);
  Stmt else_stmt;
  if (s->stmts.size() > 1) {
    scope_.Assume(condition, false);
    else_stmt = Run(s->stmts[1]);
    scope_.Restore(mark);
    if (else_stmt->kind == StmtKind::kNop) else_stmt = Stmt();
  }
  if (then_stmt->kind == StmtKind::kNop) {
    return else_stmt.defined() ? If(Run(Not(condition)), else_stmt) : then_stmt;
  }
  const bool same_else = s->stmts.size() > 1 ? else_stmt.defined() && else_stmt.same_as(s->stmts[1])
                                             : !else_stmt.defined();
  if (condition.same_as(s->condition()) && then_stmt.same_as(s->stmts[0]) && same_else) return s;
  return If(condition, then_stmt, else_stmt);
}

Stmt Simplifier::RunStore(const Stmt& s) {
  Stmt store = RunParts(s);
  std::vector<Expr> indices = IndicesOf(*store);
  bool uniform = false, varying = false;
  for (Expr& index : indices) {
    if (index->kind == ExprKind::kBroadcast) {
      index = Expr(index->args[0]);
      uniform = true;
    } else {
      varying |= index->dtype.lanes > 1;
    }
  }
  if (uniform && varying) store = Store(store->buffer, std::move(indices), store->value());
  const Expr& value = store->value();
  if (value->kind != ExprKind::kLoad || value->buffer != store->buffer) return store;
  for (size_t i = 0; i < value->args.size(); ++i) {
    if (!StructurallyEqual(value->args[i], store->exprs[i + 1])) return store;
  }
  return Nop();
}

}  // namespace alt::ir::internal
