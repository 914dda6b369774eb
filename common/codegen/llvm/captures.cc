#include "common/codegen/llvm/captures.h"

#include "absl/container/flat_hash_set.h"
#include "common/ir/visitor.h"

namespace alt::codegen {
namespace {

using ir::Expr;
using ir::Stmt;

// Buffers and variables defined inside s; no name is defined twice in one function.
struct Defined {
  absl::flat_hash_set<const ir::VarNode*> vars;
  absl::flat_hash_set<const ir::BufferNode*> buffers;
};

Defined FindDefined(const Stmt& s) {
  Defined defined;
  ir::VisitStmt(s, [&](const Stmt& child) {
    if (child->kind == ir::StmtKind::kFor) defined.vars.insert(child->var.get());
    if (child->kind == ir::StmtKind::kAllocate) defined.buffers.insert(child->buffer.get());
    return true;
  });
  return defined;
}

}  // namespace

Captures FindCaptures(const Stmt& s) {
  Captures captures;
  // What is defined inside counts as seen.
  Defined seen = FindDefined(s);
  auto use_buffer = [&](const ir::Buffer& buffer) {
    if (buffer->scope == ir::Scope::kTable || !seen.buffers.insert(buffer.get()).second) return;
    captures.buffers.push_back(buffer);
  };
  ir::VisitStmt(s, [&](const Stmt& child) {
    if (child->kind == ir::StmtKind::kStore || child->kind == ir::StmtKind::kPrefetch) {
      use_buffer(child->buffer);
    }
    return true;
  });
  absl::flat_hash_set<const ir::ExprNode*> visited;
  ir::VisitExprs(s, [&](const Expr& e) {
    if (!visited.insert(e.get()).second) return false;
    if (ir::IsRead(e)) use_buffer(e->buffer);
    if (e->kind == ir::ExprKind::kVar && seen.vars.insert(e->var.get()).second) {
      captures.vars.push_back(e->var);
    }
    return true;
  });
  return captures;
}

}  // namespace alt::codegen
