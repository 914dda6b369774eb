#ifndef COMMON_IR_EQUALITY_H_
#define COMMON_IR_EQUALITY_H_

#include <cstdint>

#include "common/ir/stmt.h"

namespace alt::ir {

// Same structure; variables and buffers by identity.
bool StructurallyEqual(const Expr& a, const Expr& b);
bool StructurallyEqual(const Stmt& a, const Stmt& b);
// Equal expressions have equal hashes. Not stable between processes.
uint64_t StructuralHash(const Expr& e);

}  // namespace alt::ir

#endif  // COMMON_IR_EQUALITY_H_
