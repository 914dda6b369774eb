#ifndef COMMON_IR_STMT_H_
#define COMMON_IR_STMT_H_

// Statements.
//
// clang-format off
//   s ::= for v in [min, min+extent) kind { s }   For        extent <= 0 runs no iteration
//       | B[e, ...] = e                           Store      lanes of indices and value agree
//       | allocate B { s }                        Allocate   contents undefined at entry
//       | s; s; ...                               Block      in order
//       | if e { s } else { s }                   If         else may be absent
//       | prefetch B[e, ...]                      Prefetch   a hint; may be out of bounds
//       | nop                                     Nop
// clang-format on
//
// Loop kinds: serial; parallel (iterations independent, run by the pinned pool); vectorized,
// unrolled and transposed are requests that VectorizeLoops, UnrollLoops and TransposeLoops carry
// out before code generation. A vectorized loop's `lanes` is the most lanes of one vector (0: the
// target's). Transposed loops come in pairs, one right inside the other.
// Nodes are immutable and shared, as in expr.h.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/ir/expr.h"

namespace alt::ir {

enum class StmtKind : uint8_t { kFor, kStore, kAllocate, kBlock, kIf, kPrefetch, kNop };
enum class ForKind : uint8_t { kSerial, kParallel, kVectorized, kUnrolled, kTransposed };
// Whether a loop of that kind, with constant bounds, is gone before code generation.
inline bool IsExpanded(ForKind kind) { return kind >= ForKind::kVectorized; }

struct StmtNode;
// Never null except when default-constructed.
class Stmt {
 public:
  Stmt() = default;
  explicit Stmt(std::shared_ptr<const StmtNode> node) : node_(std::move(node)) {}
  bool defined() const { return node_ != nullptr; }
  const StmtNode& operator*() const { return *node_; }
  const StmtNode* operator->() const { return node_.get(); }
  const StmtNode* get() const { return node_.get(); }
  bool same_as(const Stmt& other) const { return node_ == other.node_; }

 private:
  std::shared_ptr<const StmtNode> node_;
};

struct StmtNode {
  StmtKind kind;
  ForKind for_kind = ForKind::kSerial;  // kFor
  int lanes = 0;                        // kFor, kVectorized: most lanes of a vector; 0: target's
  Var var;                              // kFor
  Buffer buffer;                        // kStore, kAllocate, kPrefetch
  std::vector<Expr> exprs;  // kFor: min, extent; kStore: value, indices...; kIf: condition;
                            // kPrefetch: indices...
  std::vector<Stmt> stmts;  // kFor, kAllocate: body; kBlock: all; kIf: then[, else]
  uint64_t var_filter = 0;  // of all that is in it, as in ExprNode

  const Expr& min() const { return exprs[0]; }
  const Expr& extent() const { return exprs[1]; }
  const Expr& value() const { return exprs[0]; }
  const Expr& condition() const { return exprs[0]; }
  const Stmt& body() const { return stmts[0]; }
};

Stmt For(Var var, Expr min, Expr extent, ForKind kind, Stmt body, int lanes = 0);
Stmt Store(Buffer buffer, std::vector<Expr> indices, Expr value);
Stmt Allocate(Buffer buffer, Stmt body);
Stmt Block(std::vector<Stmt> stmts);  // flattens nested blocks and drops nops; may return one stmt
Stmt If(Expr condition, Stmt then_stmt, Stmt else_stmt = Stmt());
Stmt Prefetch(Buffer buffer, std::vector<Expr> indices);
Stmt Nop();

// Indices of a kStore, kPrefetch.
std::vector<Expr> IndicesOf(const StmtNode& stmt);

}  // namespace alt::ir

#endif  // COMMON_IR_STMT_H_
