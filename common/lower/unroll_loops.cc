#include "common/lower/unroll_loops.h"

#include "absl/strings/str_cat.h"
#include "common/ir/mutator.h"
#include "common/ir/substitute.h"

namespace alt::lower {
namespace {

// Iterations of a loop that will be unrolled; 1 for others.
int64_t Copies(const ir::StmtNode& loop) {
  int64_t min = 0, extent = 0;
  if (loop.kind != ir::StmtKind::kFor || loop.for_kind != ir::ForKind::kUnrolled) return 1;
  if (!ir::IsInt(loop.min(), &min) || !ir::IsInt(loop.extent(), &extent)) return 1;
  return std::max<int64_t>(extent, 0);
}

int64_t CountStores(const ir::Stmt& s) {
  if (s->kind == ir::StmtKind::kStore) return 1;
  int64_t stores = 0;
  for (const ir::Stmt& part : s->stmts) stores += CountStores(part);
  return stores * Copies(*s);
}

class Unroller : public ir::Mutator {
 public:
  ir::Stmt MutateStmt(const ir::Stmt& s) override {
    if (s->kind != ir::StmtKind::kFor || s->for_kind != ir::ForKind::kUnrolled) {
      return ir::Mutator::MutateStmt(s);
    }
    int64_t min = 0, extent = 0;
    if (!ir::IsInt(s->min(), &min) || !ir::IsInt(s->extent(), &extent)) {
      return ir::For(s->var, s->min(), s->extent(), ir::ForKind::kSerial, MutateStmt(s->body()));
    }
    // Outer copies first: the inner loops' bounds may become constant by them.
    std::vector<ir::Stmt> copies;
    for (int64_t i = min; i < min + extent; ++i) {
      copies.push_back(MutateStmt(ir::Substitute(s->body(), {{s->var.get(), ir::IntImm(i)}})));
    }
    return ir::Block(std::move(copies));
  }
};

}  // namespace

absl::StatusOr<ir::Stmt> UnrollLoops(const ir::Stmt& s, int64_t max_stores) {
  const int64_t stores = CountStores(s);
  if (stores > max_stores) {
    return absl::FailedPreconditionError(
        absl::StrCat("unrolled, the program has ", stores, " stores; the most is ", max_stores));
  }
  return Unroller().MutateStmt(s);
}

}  // namespace alt::lower
