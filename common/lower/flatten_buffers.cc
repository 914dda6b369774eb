#include "common/lower/flatten_buffers.h"

#include "absl/container/flat_hash_map.h"
#include "common/ir/mutator.h"

namespace alt::lower {
namespace {

class Flattener : public ir::Mutator {
 public:
  ir::Buffer Flat(const ir::Buffer& buffer) {
    if (buffer->shape.size() == 1) return buffer;
    ir::Buffer& flat = flat_[buffer.get()];
    if (flat != nullptr) return flat;
    const std::vector<int64_t> shape{ir::NumElements(*buffer)};
    flat = buffer->scope == ir::Scope::kTable
               ? ir::MakeTable(buffer->name, shape, buffer->table)
               : ir::MakeBuffer(buffer->name, shape, buffer->dtype, buffer->scope);
    return flat;
  }

  ir::Expr MutateExpr(const ir::Expr& e) override {
    const ir::Expr mutated = ir::Mutator::MutateExpr(e);
    if (mutated->kind != ir::ExprKind::kLoad || mutated->buffer->shape.size() == 1) return mutated;
    return ir::Load(Flat(mutated->buffer), {Index(*mutated->buffer, mutated->args)});
  }

  ir::Stmt MutateStmt(const ir::Stmt& s) override {
    const ir::Stmt mutated = ir::Mutator::MutateStmt(s);
    const ir::StmtNode& node = *mutated;
    if (node.buffer == nullptr || node.buffer->shape.size() == 1) return mutated;
    switch (node.kind) {
      case ir::StmtKind::kStore:
        return ir::Store(Flat(node.buffer), {Index(*node.buffer, ir::IndicesOf(node))},
                         node.value());
      case ir::StmtKind::kPrefetch:
        return ir::Prefetch(Flat(node.buffer), {Index(*node.buffer, ir::IndicesOf(node))});
      case ir::StmtKind::kAllocate:
        return ir::Allocate(Flat(node.buffer), node.body());
      default:
        return mutated;
    }
  }

 private:
  template <class Indices>
  static ir::Expr Index(const ir::BufferNode& buffer, const Indices& indices) {
    const std::vector<int64_t> strides = ir::Strides(buffer);
    ir::Expr flat = ir::IntImm(0);
    for (size_t d = 0; d < strides.size(); ++d) flat = flat + indices[d] * ir::Expr(strides[d]);
    return flat;
  }

  absl::flat_hash_map<const ir::BufferNode*, ir::Buffer> flat_;
};

}  // namespace

ir::Function FlattenBuffers(const ir::Function& function) {
  Flattener flattener;
  ir::Function flat{function.name, {}, flattener.MutateStmt(function.body)};
  for (const ir::Buffer& param : function.params) flat.params.push_back(flattener.Flat(param));
  return flat;
}

}  // namespace alt::lower
