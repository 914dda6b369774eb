#include "common/codegen/llvm/storage_plan.h"

#include <algorithm>

namespace alt::codegen {
namespace {

using ir::Stmt;
using ir::StmtKind;

int64_t SizeBytes(const ir::BufferNode& buffer) {
  const int64_t bytes =
      ir::NumElements(buffer) * buffer.dtype.lanes * ir::ScalarBytes(buffer.dtype.scalar);
  return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

class Planner {
 public:
  Planner(bool outline_parallel, StoragePlan* plan)
      : outline_parallel_(outline_parallel), plan_(plan) {}

  // A buffer that is allocated in several places (copies of a tile's body) has one place, above
  // what is live around any of them; what is nested in it moves up with it.
  void Run(const Stmt& body) {
    do {
      moved_ = false;
      int64_t stack = kStackBudgetBytes;
      Visit(body, 0, &stack);
    } while (moved_);
  }

 private:
  // `top` is the first free byte of the workspace, `stack` what is left of the stack budget.
  void Visit(const Stmt& s, int64_t top, int64_t* stack) {
    if (s->kind == StmtKind::kFor && s->for_kind == ir::ForKind::kParallel && outline_parallel_ &&
        !in_parallel_) {
      int64_t own_stack = kStackBudgetBytes;
      in_parallel_ = true;
      Visit(s->body(), top, &own_stack);
      in_parallel_ = false;
      return;
    }
    if (s->kind == StmtKind::kAllocate && s->buffer->scope == ir::Scope::kLocal) {
      top = Put(*s->buffer, top, stack);
    }
    for (const Stmt& child : s->stmts) Visit(child, top, stack);
  }

  int64_t Put(const ir::BufferNode& buffer, int64_t top, int64_t* stack) {
    auto [it, first] = plan_->places.try_emplace(&buffer);
    Place& place = it->second;
    if (first) {
      place.size_bytes = SizeBytes(buffer);
      place.on_stack = place.size_bytes <= *stack;
      if (place.on_stack) *stack -= place.size_bytes;
    }
    if (place.on_stack) return top;
    if (first || place.offset < top) {
      place.offset = top;
      moved_ = true;
    }
    plan_->workspace_bytes = std::max(plan_->workspace_bytes, place.offset + place.size_bytes);
    return place.offset + place.size_bytes;
  }

  const bool outline_parallel_;
  StoragePlan* const plan_;
  bool in_parallel_ = false;
  bool moved_ = false;
};

}  // namespace

bool StoragePlan::Disjoint(const ir::BufferNode* a, const ir::BufferNode* b) const {
  const Place& p = places.at(a);
  const Place& q = places.at(b);
  return p.offset + p.size_bytes <= q.offset || q.offset + q.size_bytes <= p.offset;
}

StoragePlan PlanStorage(const ir::Function& f, bool outline_parallel) {
  StoragePlan plan;
  Planner(outline_parallel, &plan).Run(f.body);
  return plan;
}

}  // namespace alt::codegen
