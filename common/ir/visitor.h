#ifndef COMMON_IR_VISITOR_H_
#define COMMON_IR_VISITOR_H_

#include "absl/functional/function_ref.h"
#include "common/ir/stmt.h"

namespace alt::ir {

// Calls visit on e and every operand below it, parents first. Return false to skip what is below.
void VisitExpr(const Expr& e, absl::FunctionRef<bool(const Expr&)> visit);
// Every expression directly in s and in the statements below it (each as VisitExpr would).
void VisitExprs(const Stmt& s, absl::FunctionRef<bool(const Expr&)> visit);
// Every statement, parents first. Return false to skip what is below.
void VisitStmt(const Stmt& s, absl::FunctionRef<bool(const Stmt&)> visit);

// Nodes of all expressions in s, counted as ExprNode::size.
int64_t NumNodes(const Stmt& s);

bool UsesVar(const Expr& e, const Var& var);
bool UsesVar(const Stmt& s, const Var& var);

}  // namespace alt::ir

#endif  // COMMON_IR_VISITOR_H_
