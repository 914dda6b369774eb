#include "common/lower/multiplies_padding.h"

#include "absl/container/flat_hash_set.h"
#include "common/ir/visitor.h"

namespace alt::lower {
namespace {

using Buffers = absl::flat_hash_set<const ir::BufferNode*>;

bool IsConstant(const ir::Expr& e) {
  double value;
  return ir::IsFloat(e, &value);
}

// Whether a float may be a zero in place of a cell outside the data, as far as `padded`, the
// buffers with such cells, is known.
bool MayBePadding(const ir::Expr& e, const Buffers& padded) {
  bool may_be = false;
  ir::VisitExpr(e, [&](const ir::Expr& part) {
    if (part->kind == ir::ExprKind::kSelect && part->dtype.is_float()) {
      may_be |= ir::IsZero(part->args[1]) || ir::IsZero(part->args[2]);
    }
    may_be |= ir::IsRead(part) && padded.contains(part->buffer.get());
    return !may_be && part->dtype.is_float();  // conditions and indices are no data
  });
  return may_be;
}

// Sums begin with zeros too: those are no padding.
Buffers AccumulatorsIn(const ir::Stmt& body) {
  Buffers accumulators;
  ir::VisitStmt(body, [&](const ir::Stmt& s) {
    if (s->kind != ir::StmtKind::kStore) return true;
    ir::VisitExpr(s->value(), [&](const ir::Expr& e) {
      const bool own = e->kind == ir::ExprKind::kLoad && e->buffer == s->buffer;
      if (own) accumulators.insert(s->buffer.get());
      return !own;
    });
    return true;
  });
  return accumulators;
}

// Buffers with cells outside the data, and those that are copied from them.
Buffers PaddedIn(const ir::Stmt& body) {
  const Buffers accumulators = AccumulatorsIn(body);
  Buffers padded;
  for (size_t known = 1; known != padded.size();) {
    known = padded.size();
    ir::VisitStmt(body, [&](const ir::Stmt& s) {
      if (s->kind == ir::StmtKind::kStore && !accumulators.contains(s->buffer.get()) &&
          (ir::IsZero(s->value()) || MayBePadding(s->value(), padded))) {
        padded.insert(s->buffer.get());
      }
      return true;
    });
    if (padded.empty()) break;
  }
  return padded;
}

}  // namespace

bool MultipliesPadding(const ir::Module& module) {
  bool multiplies = false;
  for (const ir::Function& function : module.functions) {
    const Buffers padded = PaddedIn(function.body);
    ir::VisitExprs(function.body, [&](const ir::Expr& e) {
      if (e->kind != ir::ExprKind::kMul || !e->dtype.is_float()) return !multiplies;
      const ir::Expr &a = e->args[0], &b = e->args[1];
      // A constant factor is finite.
      multiplies |=
          !IsConstant(a) && !IsConstant(b) && (MayBePadding(a, padded) || MayBePadding(b, padded));
      return !multiplies;
    });
  }
  return multiplies;
}

}  // namespace alt::lower
