#include "common/lower/promote_accumulators.h"

#include <map>
#include <optional>

#include "common/ir/mutator.h"
#include "common/ir/visitor.h"

namespace alt::lower {
namespace {

// More elements than this are no register tile; the code generator puts them on the stack.
constexpr size_t kMaxElements = 128;

// A constant access: `lanes` elements from `offset`.
struct Access {
  int64_t offset;
  int lanes;
};

std::optional<Access> ConstantAccess(const ir::Expr& index) {
  int64_t offset = 0;
  if (index->kind == ir::ExprKind::kIntImm) return Access{index->int_value, 1};
  if (index->kind == ir::ExprKind::kRamp && ir::IsInt(index->args[0], &offset) &&
      ir::IsIntValue(index->args[1], 1)) {
    return Access{offset, index->dtype.lanes};
  }
  return std::nullopt;
}

// Where an element went: which register buffer (by lanes) and which element of it.
class Elements {
 public:
  // False when an access is not constant or overlaps another.
  bool Add(const ir::Expr& index) {
    const auto access = ConstantAccess(index);
    if (!access) return false;
    const auto [it, inserted] = lanes_.emplace(access->offset, access->lanes);
    return it->second == access->lanes && lanes_.size() <= kMaxElements;
  }

  bool Overlap() const {
    int64_t end = 0;
    for (const auto& [offset, lanes] : lanes_) {
      if (offset < end) return true;
      end = offset + lanes;
    }
    return false;
  }

  void MakeBuffers(const ir::Buffer& from) {
    std::map<int, int64_t> count;
    for (const auto& [offset, lanes] : lanes_) element_[offset] = count[lanes]++;
    for (const auto& [lanes, elements] : count) {
      buffers_[lanes] = ir::MakeBuffer(from->name, {elements}, from->dtype.WithLanes(lanes),
                                       ir::Scope::kRegister);
    }
  }

  ir::Buffer BufferOf(const ir::Expr& index) const {
    return buffers_.at(ConstantAccess(index)->lanes);
  }
  ir::Expr ElementOf(const ir::Expr& index) const {
    return ir::IntImm(element_.at(ConstantAccess(index)->offset));
  }
  const std::map<int, ir::Buffer>& buffers() const { return buffers_; }

 private:
  std::map<int64_t, int> lanes_;  // by offset
  std::map<int64_t, int64_t> element_;
  std::map<int, ir::Buffer> buffers_;  // by lanes
};

// nullopt when the buffer has to stay in memory.
std::optional<Elements> CollectElements(const ir::Buffer& buffer, const ir::Stmt& body) {
  Elements elements;
  bool ok = true;
  ir::VisitExprs(body, [&](const ir::Expr& e) {
    if (e->kind == ir::ExprKind::kLoad && e->buffer == buffer) ok &= elements.Add(e->args[0]);
    // An index reads no sums: most of the tree is not looked at.
    return ok && e->dtype.scalar != ir::ScalarType::kIndex;
  });
  ir::VisitStmt(body, [&](const ir::Stmt& s) {
    if (s->buffer == buffer) {
      // Iterations of a parallel loop would share the registers.
      ok &= s->kind == ir::StmtKind::kStore && elements.Add(ir::IndicesOf(*s)[0]);
    }
    if (s->kind == ir::StmtKind::kFor && s->for_kind == ir::ForKind::kParallel) ok = false;
    return ok;
  });
  if (!ok || elements.Overlap()) return std::nullopt;
  elements.MakeBuffers(buffer);
  return elements;
}

class AccessReplacer : public ir::Mutator {
 public:
  AccessReplacer(ir::Buffer buffer, const Elements& elements)
      : buffer_(std::move(buffer)), elements_(elements) {}

  ir::Expr MutateExpr(const ir::Expr& e) override {
    if (e->dtype.scalar == ir::ScalarType::kIndex) return e;
    if (e->kind == ir::ExprKind::kLoad && e->buffer == buffer_) {
      return ir::Load(elements_.BufferOf(e->args[0]), {elements_.ElementOf(e->args[0])});
    }
    return ir::Mutator::MutateExpr(e);
  }

  ir::Stmt MutateStmt(const ir::Stmt& s) override {
    if (s->kind != ir::StmtKind::kStore || s->buffer != buffer_) return ir::Mutator::MutateStmt(s);
    const ir::Expr index = ir::IndicesOf(*s)[0];
    return ir::Store(elements_.BufferOf(index), {elements_.ElementOf(index)},
                     MutateExpr(s->value()));
  }

 private:
  ir::Buffer buffer_;
  const Elements& elements_;
};

class Promoter : public ir::Mutator {
 public:
  ir::Stmt MutateStmt(const ir::Stmt& s) override {
    const ir::Stmt mutated = ir::Mutator::MutateStmt(s);
    if (mutated->kind != ir::StmtKind::kAllocate || mutated->buffer->scope != ir::Scope::kLocal) {
      return mutated;
    }
    const auto elements = CollectElements(mutated->buffer, mutated->body());
    if (!elements) return mutated;
    ir::Stmt body = AccessReplacer(mutated->buffer, *elements).MutateStmt(mutated->body());
    for (const auto& [lanes, buffer] : elements->buffers()) body = ir::Allocate(buffer, body);
    return body;
  }
};

}  // namespace

ir::Stmt PromoteAccumulators(const ir::Stmt& s) { return Promoter().MutateStmt(s); }

}  // namespace alt::lower
