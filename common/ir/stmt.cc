#include "common/ir/stmt.h"

#include <utility>

#include "common/base/check.h"

namespace alt::ir {
namespace {

Stmt MakeNode(StmtNode node) {
  for (const Expr& e : node.exprs) node.var_filter |= e->var_filter;
  for (const Stmt& s : node.stmts) node.var_filter |= s->var_filter;
  return Stmt(std::make_shared<const StmtNode>(std::move(node)));
}

// Lanes of an access to buffer at indices; checks the indices.
int AccessLanes(const BufferNode& buffer, const std::vector<Expr>& indices) {
  ALT_CHECK(indices.size() == buffer.shape.size())
      << buffer.name << " has " << buffer.shape.size() << " dimensions, not " << indices.size();
  int lanes = 1;
  for (const Expr& index : indices) {
    ALT_CHECK(index->dtype.scalar == ScalarType::kIndex) << buffer.name;
    if (index->dtype.lanes == 1) continue;
    ALT_CHECK(lanes == 1 || lanes == index->dtype.lanes) << buffer.name;
    lanes = index->dtype.lanes;
  }
  ALT_CHECK(lanes == 1 || buffer.dtype.lanes == 1)
      << "vector of indices into " << buffer.name << ", whose elements are vectors";
  return lanes * buffer.dtype.lanes;
}

}  // namespace

Stmt For(Var var, Expr min, Expr extent, ForKind kind, Stmt body, int lanes) {
  ALT_CHECK(var != nullptr && body.defined());
  ALT_CHECK(min->dtype == kIndex && extent->dtype == kIndex) << "bounds of loop " << var->name;
  ALT_CHECK(lanes == 0 || (lanes > 0 && kind == ForKind::kVectorized)) << "loop " << var->name;
  StmtNode node{StmtKind::kFor, kind, lanes, std::move(var)};
  node.exprs.reserve(2);
  node.exprs.push_back(std::move(min));
  node.exprs.push_back(std::move(extent));
  node.stmts.push_back(std::move(body));
  return MakeNode(std::move(node));
}

Stmt Store(Buffer buffer, std::vector<Expr> indices, Expr value) {
  ALT_CHECK(buffer != nullptr && value.defined());
  ALT_CHECK(buffer->scope != Scope::kTable) << "store to table " << buffer->name;
  const DType dtype = buffer->dtype.WithLanes(AccessLanes(*buffer, indices));
  ALT_CHECK(value->dtype == dtype) << "store of " << ToString(value->dtype) << " to "
                                   << buffer->name << " as " << ToString(dtype);
  StmtNode node{StmtKind::kStore};
  node.buffer = std::move(buffer);
  node.exprs.reserve(indices.size() + 1);
  node.exprs.push_back(std::move(value));
  for (Expr& index : indices) node.exprs.push_back(std::move(index));
  return MakeNode(std::move(node));
}

Stmt Allocate(Buffer buffer, Stmt body) {
  ALT_CHECK(buffer != nullptr && body.defined());
  ALT_CHECK(buffer->scope == Scope::kLocal || buffer->scope == Scope::kRegister)
      << "allocate " << buffer->name << ", a parameter or table";
  StmtNode node{StmtKind::kAllocate};
  node.buffer = std::move(buffer);
  node.stmts.push_back(std::move(body));
  return MakeNode(std::move(node));
}

Stmt Block(std::vector<Stmt> stmts) {
  bool flat = true;
  for (const Stmt& s : stmts) {
    ALT_CHECK(s.defined());
    if (s->kind == StmtKind::kBlock || s->kind == StmtKind::kNop) flat = false;
  }
  if (!flat) {
    std::vector<Stmt> flattened;
    for (Stmt& s : stmts) {
      if (s->kind == StmtKind::kBlock) {
        flattened.insert(flattened.end(), s->stmts.begin(), s->stmts.end());
      } else if (s->kind != StmtKind::kNop) {
        flattened.push_back(std::move(s));
      }
    }
    stmts = std::move(flattened);
  }
  if (stmts.empty()) return Nop();
  if (stmts.size() == 1) return std::move(stmts[0]);
  StmtNode node{StmtKind::kBlock};
  node.stmts = std::move(stmts);
  return MakeNode(std::move(node));
}

Stmt If(Expr condition, Stmt then_stmt, Stmt else_stmt) {
  ALT_CHECK(condition->dtype == kBool) << "if on " << ToString(condition->dtype);
  ALT_CHECK(then_stmt.defined());
  StmtNode node{StmtKind::kIf};
  node.exprs.push_back(std::move(condition));
  node.stmts.push_back(std::move(then_stmt));
  if (else_stmt.defined() && else_stmt->kind != StmtKind::kNop) {
    node.stmts.push_back(std::move(else_stmt));
  }
  return MakeNode(std::move(node));
}

Stmt Prefetch(Buffer buffer, std::vector<Expr> indices) {
  ALT_CHECK(buffer != nullptr);
  AccessLanes(*buffer, indices);
  StmtNode node{StmtKind::kPrefetch};
  node.buffer = std::move(buffer);
  node.exprs = std::move(indices);
  return MakeNode(std::move(node));
}

Stmt Nop() { return MakeNode(StmtNode{StmtKind::kNop}); }

std::vector<Expr> IndicesOf(const StmtNode& stmt) {
  ALT_CHECK(stmt.kind == StmtKind::kStore || stmt.kind == StmtKind::kPrefetch);
  return {stmt.exprs.begin() + (stmt.kind == StmtKind::kStore ? 1 : 0), stmt.exprs.end()};
}

}  // namespace alt::ir
