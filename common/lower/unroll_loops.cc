#include "common/lower/unroll_loops.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "common/ir/interval.h"
#include "common/ir/mutator.h"
#include "common/ir/visitor.h"

namespace alt::lower {
namespace {

// Vectors that VectorizeLoops cuts a loop into.
int64_t Vectors(const ir::StmtNode& loop, int64_t extent, int64_t target_lanes) {
  int64_t lanes = loop.lanes > 0 ? loop.lanes : target_lanes;
  int64_t vectors = 0;
  for (int64_t rest = extent; rest > 0; rest -= lanes, ++vectors) {
    while (lanes > rest) lanes = (lanes + 1) / 2;
  }
  return vectors;
}

// Sums and products that stop at the largest number.
int64_t Plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}
int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

// Counts the stores that will stand in the program.
class StoreCounter {
 public:
  explicit StoreCounter(int64_t target_lanes) : target_lanes_(target_lanes) {}

  int64_t Count(const ir::Stmt& s) {
    if (s->kind == ir::StmtKind::kStore) return 1;
    const int64_t copies = s->kind == ir::StmtKind::kFor ? Enter(*s) : 1;
    int64_t stores = 0;
    for (const ir::Stmt& part : s->stmts) stores = Plus(stores, Count(part));
    if (s->kind == ir::StmtKind::kFor) known_.erase(s->var.get());
    return Times(stores, copies);
  }

 private:
  // How often the body of a loop will stand in the program, at most.
  int64_t Enter(const ir::StmtNode& loop) {
    int64_t min = 0, extent = 0;
    if (loop.for_kind == ir::ForKind::kVectorized) {
      const bool constant = ir::IsInt(loop.min(), &min) && ir::IsInt(loop.extent(), &extent);
      return constant ? Vectors(loop, extent, target_lanes_) : 1;
    }
    // Bounds that name unrolled loops only are constant in each copy.
    if (loop.for_kind != ir::ForKind::kUnrolled || !IsKnown(loop.min()) ||
        !IsKnown(loop.extent())) {
      return 1;
    }
    const std::optional<ir::Interval> first = ir::BoundsOf(loop.min(), known_);
    const std::optional<ir::Interval> count = ir::BoundsOf(loop.extent(), known_);
    if (!first || !count) return std::numeric_limits<int64_t>::max();
    const int64_t most = std::max<int64_t>(count->max, 0);
    known_[loop.var.get()] = {first->min, std::max(first->min, Plus(first->max, most - 1))};
    return most;
  }

  bool IsKnown(const ir::Expr& e) const {
    bool known = true;
    ir::VisitExpr(e, [&](const ir::Expr& part) {
      if (part->kind == ir::ExprKind::kVar) known &= known_.contains(part->var.get());
      return known;
    });
    return known;
  }

  const int64_t target_lanes_;
  ir::RangeMap known_;  // variables of the unrolled loops around
};

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

int64_t CountUnrolledStores(const ir::Stmt& s, int64_t target_lanes) {
  return StoreCounter(target_lanes).Count(s);
}

ir::Stmt UnrollLoops(const ir::Stmt& s) { return Unroller().MutateStmt(s); }

}  // namespace alt::lower
