#ifndef COMMON_IR_MUTATOR_H_
#define COMMON_IR_MUTATOR_H_

#include "common/ir/stmt.h"

namespace alt::ir {

// Rebuilds trees. Override Mutate* for the nodes of interest and call the base for the rest, which
// visits operands; where nothing changed the same node comes back.
class Mutator {
 public:
  virtual ~Mutator() = default;
  virtual Expr MutateExpr(const Expr& e);
  virtual Stmt MutateStmt(const Stmt& s);
};

// A copy of s with other expressions and statements, made by the makers of stmt.h.
Stmt WithParts(const Stmt& s, std::vector<Expr> exprs, std::vector<Stmt> stmts);

}  // namespace alt::ir

#endif  // COMMON_IR_MUTATOR_H_
