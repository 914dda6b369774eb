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
//
// Vectors are forgotten too when more of them than `capacity` registers were used since: what would
// be spilled is loaded again instead, at no cost in most cases, as the operand of its use.
class ValueMemo {
 public:
  // A load of `buffer` at pointer + offset, of a type and under a mask (null: all lanes); or, with
  // a null buffer, the broadcast of the value `pointer` to `type`.
  using Key = std::tuple<const ir::BufferNode*, const llvm::Value*, int64_t, const llvm::Type*,
                         const llvm::Value*>;

  ValueMemo() : layers_(1) {}
  void set_capacity(int capacity) { capacity_ = capacity; }

  // A branch that need not be taken: what is remembered before it holds inside, but not back.
  void EnterBranch() { layers_.emplace_back(); }
  void LeaveBranch();
  // Control flow of statements: nothing holds on the other side.
  void Clear();
  void EndStatement();
  void Stored(const ir::BufferNode* buffer);

  llvm::Value* FindNode(const ir::Expr& node) const;
  void SetNode(const ir::Expr& node, llvm::Value* value) {
    layers_.back().nodes[node.get()] = {node, value};
  }

  llvm::Value* Find(const Key& key);
  // `registers`: of vectors that the value fills; 0 for a scalar, which is not forgotten.
  void Set(const Key& key, llvm::Value* value, int registers);

 private:
  struct Layer {
    // With the node itself, since another may come to lie at the address of one that is gone.
    absl::flat_hash_map<const ir::ExprNode*, std::pair<ir::Expr, llvm::Value*>> nodes;
    absl::flat_hash_map<Key, llvm::Value*> scalars;
  };
  struct Vector {
    Key key;
    llvm::Value* value;
    int registers;
    size_t layer;
  };

  int capacity_ = 0;
  std::vector<Layer> layers_;
  std::vector<Vector> vectors_;  // a few; the one used last is last
};

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_VALUE_MEMO_H_
