// Statements.

#include "common/ir/equality.h"
#include "common/ir/mutator.h"
#include "common/ir/simplify_internal.h"

namespace alt::ir::internal {

Stmt Simplifier::RunAll(const Stmt& s) {
  memory_.resize(kMemory);
  return Run(s);
}

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
  // Copies are made at the first change only.
  std::vector<Expr> exprs;
  for (size_t i = 0; i < s->exprs.size(); ++i) {
    Expr e = Run(s->exprs[i]);
    if (exprs.empty()) {
      if (e.same_as(s->exprs[i])) continue;
      exprs = s->exprs;
    }
    exprs[i] = std::move(e);
  }
  std::vector<Stmt> stmts;
  for (size_t i = 0; i < s->stmts.size(); ++i) {
    Stmt child = Run(s->stmts[i]);
    if (stmts.empty()) {
      if (child.same_as(s->stmts[i])) continue;
      stmts = s->stmts;
    }
    stmts[i] = std::move(child);
  }
  if (exprs.empty() && stmts.empty()) return s;
  if (exprs.empty()) exprs = s->exprs;
  if (stmts.empty()) stmts = s->stmts;
  return WithParts(s, std::move(exprs), std::move(stmts));
}

Stmt Simplifier::RunFor(const Stmt& s) {
  const Expr min = Run(s->min());
  const Expr extent = Run(s->extent());
  const Interval extents = scope_.Bound(extent);
  if (extents.max <= 0) return Nop();
  const VarNode* var = s->var.get();
  const RangeScope::Mark mark = scope_.GetMark();
  if (extents == Point(1)) {
    scope_.SetRange(var, scope_.Bound(min));
    bindings_.push_back({var, min});
    Stmt body = Run(s->body());
    bindings_.pop_back();
    scope_.Restore(mark);
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
  bool uniform = false, varying = false;
  for (size_t i = 1; i < store->exprs.size(); ++i) {
    const Expr& index = store->exprs[i];
    uniform |= index->kind == ExprKind::kBroadcast;
    varying |= index->kind != ExprKind::kBroadcast && index->dtype.lanes > 1;
  }
  if (uniform && varying) {
    std::vector<Expr> indices = IndicesOf(*store);
    for (Expr& index : indices) {
      if (index->kind == ExprKind::kBroadcast) index = Expr(index->args[0]);
    }
    store = Store(store->buffer, std::move(indices), store->value());
  }
  const Expr& value = store->value();
  if (value->kind != ExprKind::kLoad || value->buffer != store->buffer) return store;
  for (size_t i = 0; i < value->args.size(); ++i) {
    if (!StructurallyEqual(value->args[i], store->exprs[i + 1])) return store;
  }
  return Nop();
}

}  // namespace alt::ir::internal
