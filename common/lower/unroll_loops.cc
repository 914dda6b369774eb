#include "common/lower/unroll_loops.h"

#include <utility>
#include <vector>

#include "common/ir/mutator.h"

namespace alt::lower {
namespace {

// One pass down the tree: variables of the loops around stand for numbers, and each store is built
// once, when all of its variables are known.
class Unroller : public ir::Mutator {
 public:
  ir::Expr MutateExpr(const ir::Expr& e) override {
    if ((e->var_filter & filter_) == 0) return e;
    if (e->kind != ir::ExprKind::kVar) return ir::Mutator::MutateExpr(e);
    // Inner loops first: their variables are used most.
    for (size_t i = values_.size(); i-- > 0;) {
      if (values_[i].first == e->var.get()) return values_[i].second;
    }
    return e;
  }

  ir::Stmt MutateStmt(const ir::Stmt& s) override {
    if (s->kind != ir::StmtKind::kFor || s->for_kind != ir::ForKind::kUnrolled) {
      return ir::Mutator::MutateStmt(s);
    }
    // Values from outside first: bounds may become constant by them.
    const ir::Expr min = MutateExpr(s->min()), extent = MutateExpr(s->extent());
    int64_t first = 0, count = 0;
    if (!ir::IsInt(min, &first) || !ir::IsInt(extent, &count)) {
      return ir::For(s->var, min, extent, ir::ForKind::kSerial, MutateStmt(s->body()));
    }
    std::vector<ir::Stmt> copies;
    const uint64_t filter_outside = std::exchange(filter_, filter_ | ir::VarBit(s->var.get()));
    values_.emplace_back(s->var.get(), ir::Expr());
    for (int64_t i = first; i < first + count; ++i) {
      values_.back().second = ir::IntImm(i);
      copies.push_back(MutateStmt(s->body()));
    }
    values_.pop_back();
    filter_ = filter_outside;
    return ir::Block(std::move(copies));
  }

 private:
  std::vector<std::pair<const ir::VarNode*, ir::Expr>> values_;  // outermost first
  uint64_t filter_ = 0;                                          // of their variables
};

}  // namespace

ir::Stmt UnrollLoops(const ir::Stmt& s) { return Unroller().MutateStmt(s); }

}  // namespace alt::lower
