#include "common/ir/equality.h"

#include <cstring>

namespace alt::ir {

bool StructurallyEqual(const Expr& a, const Expr& b) {
  if (a.same_as(b)) return true;
  const ExprNode& x = *a;
  const ExprNode& y = *b;
  if (x.hash != y.hash || x.kind != y.kind || x.dtype != y.dtype) return false;
  // Bits, so that 0.0 and -0.0 differ and a NaN equals itself.
  if (std::memcmp(&x.float_value, &y.float_value, sizeof(double)) != 0) return false;
  if (x.int_value != y.int_value || x.var != y.var || x.buffer != y.buffer) return false;
  if (x.args.size() != y.args.size()) return false;
  for (size_t i = 0; i < x.args.size(); ++i) {
    if (!StructurallyEqual(x.args[i], y.args[i])) return false;
  }
  return true;
}

bool StructurallyEqual(const Stmt& a, const Stmt& b) {
  if (a.same_as(b)) return true;
  const StmtNode& x = *a;
  const StmtNode& y = *b;
  if (x.kind != y.kind || x.for_kind != y.for_kind || x.lanes != y.lanes) return false;
  if (x.var != y.var || x.buffer != y.buffer) return false;
  if (x.exprs.size() != y.exprs.size() || x.stmts.size() != y.stmts.size()) return false;
  for (size_t i = 0; i < x.exprs.size(); ++i) {
    if (!StructurallyEqual(x.exprs[i], y.exprs[i])) return false;
  }
  for (size_t i = 0; i < x.stmts.size(); ++i) {
    if (!StructurallyEqual(x.stmts[i], y.stmts[i])) return false;
  }
  return true;
}

uint64_t StructuralHash(const Expr& e) { return e->hash; }

}  // namespace alt::ir
