#include "common/codegen/llvm/value_memo.h"

namespace alt::codegen {

void ValueMemo::Stored(const ir::BufferNode* buffer) {
  for (Layer& layer : layers_) {
    absl::erase_if(layer.values,
                   [&](const auto& entry) { return std::get<0>(entry.first) == buffer; });
  }
}

llvm::Value* ValueMemo::FindNode(const ir::Expr& node) const {
  for (const Layer& layer : layers_) {
    auto it = layer.nodes.find(node.get());
    if (it != layer.nodes.end()) return it->second.second;
  }
  return nullptr;
}

llvm::Value* ValueMemo::Find(const Key& key) const {
  for (const Layer& layer : layers_) {
    auto it = layer.values.find(key);
    if (it != layer.values.end()) return it->second;
  }
  return nullptr;
}

}  // namespace alt::codegen
