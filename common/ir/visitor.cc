#include "common/ir/visitor.h"

namespace alt::ir {

void VisitExpr(const Expr& e, absl::FunctionRef<bool(const Expr&)> visit) {
  if (!visit(e)) return;
  for (const Expr& arg : e->args) VisitExpr(arg, visit);
}

void VisitExprs(const Stmt& s, absl::FunctionRef<bool(const Expr&)> visit) {
  for (const Expr& e : s->exprs) VisitExpr(e, visit);
  for (const Stmt& child : s->stmts) VisitExprs(child, visit);
}

void VisitStmt(const Stmt& s, absl::FunctionRef<bool(const Stmt&)> visit) {
  if (!visit(s)) return;
  for (const Stmt& child : s->stmts) VisitStmt(child, visit);
}

int64_t NumNodes(const Stmt& s) {
  int64_t nodes = 0;
  for (const Expr& e : s->exprs) nodes += e->size;
  for (const Stmt& child : s->stmts) nodes += NumNodes(child);
  return nodes;
}

bool UsesVar(const Expr& e, const Var& var) {
  if ((e->var_filter & VarBit(var.get())) == 0) return false;
  if (e->kind == ExprKind::kVar) return e->var == var;
  for (const Expr& arg : e->args) {
    if (UsesVar(arg, var)) return true;
  }
  return false;
}

bool UsesVar(const Stmt& s, const Var& var) {
  if ((s->var_filter & VarBit(var.get())) == 0) return false;
  for (const Expr& e : s->exprs) {
    if (UsesVar(e, var)) return true;
  }
  for (const Stmt& child : s->stmts) {
    if (UsesVar(child, var)) return true;
  }
  return false;
}

}  // namespace alt::ir
