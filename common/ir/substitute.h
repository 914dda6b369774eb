#ifndef COMMON_IR_SUBSTITUTE_H_
#define COMMON_IR_SUBSTITUTE_H_

#include "absl/container/flat_hash_map.h"
#include "common/ir/stmt.h"

namespace alt::ir {

using VarMap = absl::flat_hash_map<const VarNode*, Expr>;

// Replaces variables. Constants fold on the way; call Simplify for the rest. A vector replacement
// (Ramp) widens every expression that uses it: scalars beside it are broadcast.
Expr Substitute(const Expr& e, const VarMap& values);
Stmt Substitute(const Stmt& s, const VarMap& values);

}  // namespace alt::ir

#endif  // COMMON_IR_SUBSTITUTE_H_
