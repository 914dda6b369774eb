#include "common/lower/expanded_size.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "common/base/math.h"
#include "common/ir/interval.h"
#include "common/ir/visitor.h"
#include "common/lower/transpose_loops.h"

namespace alt::lower {
namespace {

// Sums and products that stop at the largest number.
int64_t Plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}
int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

// Vectors that VectorizeLoops cuts a loop into.
int64_t Vectors(int64_t lanes, int64_t extent) {
  int64_t vectors = 0;
  for (int64_t rest = extent; rest > 0; rest -= lanes, ++vectors) {
    while (lanes > rest) lanes = (lanes + 1) / 2;
  }
  return vectors;
}

bool IsSum(const ir::Expr& e) {
  return e->kind == ir::ExprKind::kAdd || e->kind == ir::ExprKind::kSub ||
         e->kind == ir::ExprKind::kMul;
}

class SizeCounter {
 public:
  explicit SizeCounter(int target_lanes) : target_lanes_(target_lanes) {}

  // Of code without a loop around that stays one.
  int64_t CountRun(const ir::Stmt& s) {
    const int64_t copies = std::exchange(copies_, 1);
    const int64_t accesses = std::exchange(own_accesses_, 0);
    int64_t size = Count(s);
    size = Plus(size, Times(own_accesses_, own_accesses_) / kPairs);
    copies_ = copies;
    own_accesses_ = accesses;
    return size;
  }

 private:
  // A loop that stays: its counter and branch.
  static constexpr int64_t kLoop = 5;
  // Pairs of accesses that are compared in the time of one operation: 8,200 took 12 s.
  static constexpr int64_t kPairs = 32;
  // Elements of a buffer that becomes registers (PromoteAccumulators).
  static constexpr int64_t kMaxRegisters = 128;

  int64_t Count(const ir::Stmt& s) {
    if (s->kind == ir::StmtKind::kFor) return CountFor(*s);
    int64_t size = 0;
    if (s->kind == ir::StmtKind::kStore) {
      size = Plus(Value(s->value()), Access(*s->buffer, ir::IndicesOf(*s)));
    } else if (s->kind == ir::StmtKind::kPrefetch) {
      size = Access(*s->buffer, s->exprs);
    } else {
      for (const ir::Expr& e : s->exprs) size = Plus(size, Plus(1, Value(e)));
    }
    for (const ir::Stmt& part : s->stmts) size = Plus(size, Count(part));
    return size;
  }

  int64_t CountCopies(const ir::Stmt& body, int64_t copies) {
    const int64_t outer = std::exchange(copies_, Times(copies_, copies));
    const int64_t size = Times(Count(body), copies);
    copies_ = outer;
    return size;
  }

  // A pair of transposed loops: a vector for each row and each column of each block.
  int64_t CountBlocks(const ir::StmtNode& loop, const ir::StmtNode& inner, int64_t extent,
                      int64_t inner_extent) {
    const int64_t n = BlockSide(extent, inner_extent, static_cast<int>(target_lanes_));
    const int64_t rows = Times(n, Times(base::CeilDiv(extent, n), base::CeilDiv(inner_extent, n)));
    known_[loop.var.get()] = {0, extent - 1};
    known_[inner.var.get()] = {0, inner_extent - 1};
    int64_t size = CountCopies(inner.body(), rows);
    for (int64_t step = 1; step < n; step *= 2) size = Plus(size, rows);
    known_.erase(loop.var.get());
    known_.erase(inner.var.get());
    return size;
  }

  int64_t CountFor(const ir::StmtNode& loop) {
    int64_t min = 0, extent = 0, inner_extent = 0;
    const ir::StmtNode& body = *loop.body();
    if (loop.for_kind == ir::ForKind::kTransposed && body.for_kind == ir::ForKind::kTransposed &&
        ir::IsInt(loop.extent(), &extent) && ir::IsInt(body.extent(), &inner_extent)) {
      return CountBlocks(loop, body, extent, inner_extent);
    }
    if ((loop.for_kind == ir::ForKind::kVectorized || loop.for_kind == ir::ForKind::kTransposed) &&
        ir::IsInt(loop.min(), &min) && ir::IsInt(loop.extent(), &extent)) {
      const int64_t lanes = loop.lanes > 0 ? loop.lanes : target_lanes_;
      const ir::Var outer = std::exchange(vector_, loop.var);
      const int64_t outer_lanes =
          std::exchange(lanes_, std::min(lanes, std::max<int64_t>(1, extent)));
      const int64_t size = CountCopies(loop.body(), Vectors(lanes, extent));
      vector_ = outer;
      lanes_ = outer_lanes;
      return size;
    }
    if (const std::optional<int64_t> copies = EnterUnrolled(loop)) {
      const int64_t size = CountCopies(loop.body(), *copies);
      known_.erase(loop.var.get());
      return size;
    }
    return Plus(kLoop, Plus(CountRun(loop.body()), Plus(Index(loop.min()), Index(loop.extent()))));
  }

  // How often the body of an unrolled loop will stand in the program, at most; none where it stays
  // a loop. Bounds that name unrolled loops only are constant in each copy.
  std::optional<int64_t> EnterUnrolled(const ir::StmtNode& loop) {
    if (loop.for_kind != ir::ForKind::kUnrolled) return std::nullopt;
    for (const ir::Expr& bound : {loop.min(), loop.extent()}) {
      if (!IsKnown(bound) || IsVector(bound)) return std::nullopt;
    }
    const std::optional<ir::Interval> first = ir::BoundsOf(loop.min(), known_);
    const std::optional<ir::Interval> count = ir::BoundsOf(loop.extent(), known_);
    if (!first || !count) return std::numeric_limits<int64_t>::max();
    const int64_t most = std::max<int64_t>(count->max, 0);
    known_[loop.var.get()] = {first->min, std::max(first->min, Plus(first->max, most - 1))};
    return most;
  }

  // Whether every copy has a number for it, or for the first lane of a vector.
  bool IsKnown(const ir::Expr& e) const {
    bool known = true;
    ir::VisitExpr(e, [&](const ir::Expr& part) {
      if (part->kind == ir::ExprKind::kVar && part->var != vector_) {
        known &= known_.contains(part->var.get());
      }
      return known;
    });
    return known;
  }

  // Whether copies differ in it: what they share is computed once.
  bool Varies(const ir::Expr& e) const {
    bool varies = false;
    ir::VisitExpr(e, [&](const ir::Expr& part) {
      if (part->kind == ir::ExprKind::kVar) varies |= known_.contains(part->var.get());
      return !varies;
    });
    return varies;
  }

  bool IsVector(const ir::Expr& e) const { return vector_ != nullptr && ir::UsesVar(e, vector_); }

  // Operations of the machine for one on all lanes.
  int64_t Width(const ir::Expr& e) const {
    return IsVector(e) ? base::CeilDiv(lanes_, target_lanes_) : 1;
  }

  // Of a float or bool expression.
  int64_t Value(const ir::Expr& e) {
    if (e->dtype.scalar == ir::ScalarType::kIndex) return Index(e);
    if (e->kind == ir::ExprKind::kLoad) return Access(*e->buffer, e->args);
    if (e->args.empty()) return 0;
    // A guard that each copy decides is gone.
    int64_t size = e->dtype.is_float() || IsVector(e) || !IsKnown(e) ? Width(e) : 0;
    for (const ir::Expr& arg : e->args) size = Plus(size, Value(arg));
    return size;
  }

  // Of an access: an address and the access itself, or that for every lane. Tables at known indices
  // are numbers, and buffers of the program are registers there.
  template <class Indices>
  int64_t Access(const ir::BufferNode& buffer, const Indices& indices) {
    int64_t size = 0;
    bool known = true, vector = false, gathers = false;
    for (size_t d = 0; d < indices.size(); ++d) {
      size = Plus(size, Index(indices[d]));
      known &= IsKnown(indices[d]);
      if (!IsVector(indices[d])) continue;
      vector = true;
      gathers |= d + 1 < indices.size() || !HasUnitStride(indices[d]);
    }
    if (known && buffer.scope == ir::Scope::kTable) return 0;
    const int64_t width = vector ? base::CeilDiv(lanes_, target_lanes_) : 1;
    if (buffer.scope == ir::Scope::kLocal) {
      const int64_t elements = ir::NumElements(buffer) / (vector ? lanes_ : 1);
      if (known && elements <= kMaxRegisters) return width;
      own_accesses_ = Plus(own_accesses_, copies_);
    }
    return Plus(size, gathers ? Times(3, lanes_) : 2 * width);
  }

  // Whether neighbours of the vector loop are neighbours in this dimension.
  bool HasUnitStride(const ir::Expr& index) const {
    for (const ir::Linear::Term& term : ir::ToLinear(index).terms) {
      if (!ir::UsesVar(term.atom, vector_)) continue;
      if (term.atom->kind != ir::ExprKind::kVar || term.coefficient != 1) return false;
    }
    return true;
  }

  // Of the parts of an index that are not linear.
  int64_t Index(const ir::Expr& e) {
    if (e->args.empty()) return 0;
    if (IsSum(e)) return Plus(Index(e->args[0]), Index(e->args[1]));
    if (IsVector(e)) return Times(e->size, lanes_);
    return Varies(e) && !IsKnown(e) ? e->size : 0;
  }

  const int64_t target_lanes_;
  ir::RangeMap known_;        // variables of the unrolled loops around
  ir::Var vector_;            // of the vectorized loop around
  int64_t lanes_ = 1;         // of its vectors
  int64_t copies_ = 1;        // of what is counted, in the run
  int64_t own_accesses_ = 0;  // in the run, to buffers that become no registers
};

}  // namespace

int64_t ExpandedSize(const ir::Stmt& s, int target_lanes) {
  return SizeCounter(target_lanes).CountRun(s);
}

}  // namespace alt::lower
