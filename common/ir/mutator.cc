#include "common/ir/mutator.h"

#include <utility>

#include "common/base/check.h"

namespace alt::ir {

Expr Mutator::MutateExpr(const Expr& e) {
  for (size_t i = 0; i < e->args.size(); ++i) {
    Expr arg = MutateExpr(e->args[i]);
    if (arg.same_as(e->args[i])) continue;
    // The first change: only now are operands copied.
    absl::InlinedVector<Expr, 2> args = e->args;
    args[i] = std::move(arg);
    for (++i; i < args.size(); ++i) args[i] = MutateExpr(e->args[i]);
    return WithArgs(e, std::move(args));
  }
  return e;
}

Stmt Mutator::MutateStmt(const Stmt& s) {
  bool changed = false;
  std::vector<Expr> exprs;
  exprs.reserve(s->exprs.size());
  for (const Expr& e : s->exprs) {
    exprs.push_back(MutateExpr(e));
    changed |= !exprs.back().same_as(e);
  }
  std::vector<Stmt> stmts;
  stmts.reserve(s->stmts.size());
  for (const Stmt& child : s->stmts) {
    stmts.push_back(MutateStmt(child));
    changed |= !stmts.back().same_as(child);
  }
  return changed ? WithParts(s, std::move(exprs), std::move(stmts)) : s;
}

Stmt WithParts(const Stmt& s, std::vector<Expr> exprs, std::vector<Stmt> stmts) {
  ALT_CHECK(exprs.size() == s->exprs.size());
  ALT_CHECK(stmts.size() == s->stmts.size() || s->kind == StmtKind::kBlock);
  switch (s->kind) {
    case StmtKind::kFor:
      return For(s->var, std::move(exprs[0]), std::move(exprs[1]), s->for_kind, std::move(stmts[0]),
                 s->lanes);
    case StmtKind::kStore: {
      Expr value = std::move(exprs[0]);
      exprs.erase(exprs.begin());
      return Store(s->buffer, std::move(exprs), std::move(value));
    }
    case StmtKind::kAllocate:
      return Allocate(s->buffer, std::move(stmts[0]));
    case StmtKind::kBlock:
      return Block(std::move(stmts));
    case StmtKind::kIf:
      return If(std::move(exprs[0]), std::move(stmts[0]),
                stmts.size() > 1 ? std::move(stmts[1]) : Stmt());
    case StmtKind::kPrefetch:
      return Prefetch(s->buffer, std::move(exprs));
    case StmtKind::kNop:
      return s;
  }
  return s;
}

}  // namespace alt::ir
