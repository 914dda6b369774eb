#ifndef COMMON_CODEGEN_LLVM_VALUE_MEMO_H_
#define COMMON_CODEGEN_LLVM_VALUE_MEMO_H_

#include <llvm/IR/Value.h>

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/expr.h"

namespace alt::codegen {

// Values that are available where code is being emitted, so that equal loads and broadcasts of a
// register tile are emitted once. Loads are remembered from statement to statement until a store to
// their buffer; nodes (which may be shared inside one statement) until the statement ends.
class ValueMemo {
 public:
  // A load of `buffer` at pointer + offset, of a type and under a mask (null: all lanes); or, with
  // a null buffer, the broadcast of the value `pointer` to `type`.
  using Key = std::tuple<const ir::BufferNode*, const llvm::Value*, int64_t, const llvm::Type*,
                         const llvm::Value*>;

  ValueMemo() : layers_(1) {}

  // A branch that need not be taken: what is remembered before it holds inside, but not back.
  void EnterBranch() { layers_.emplace_back(); }
  void LeaveBranch() { layers_.pop_back(); }
  // Control flow of statements: nothing holds on the other side.
  void Clear() { layers_.assign(layers_.size(), {}); }
  void EndStatement() {
    for (Layer& layer : layers_) layer.nodes.clear();
  }
  void Stored(const ir::BufferNode* buffer);

  llvm::Value* FindNode(const ir::Expr& node) const;
  void SetNode(const ir::Expr& node, llvm::Value* value) {
    layers_.back().nodes[node.get()] = {node, value};
  }
  llvm::Value* Find(const Key& key) const;
  void Set(const Key& key, llvm::Value* value) { layers_.back().values[key] = value; }

 private:
  struct Layer {
    // With the node itself, since another may come to lie at the address of one that is gone.
    absl::flat_hash_map<const ir::ExprNode*, std::pair<ir::Expr, llvm::Value*>> nodes;
    absl::flat_hash_map<Key, llvm::Value*> values;
  };
  std::vector<Layer> layers_;
};

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_VALUE_MEMO_H_
