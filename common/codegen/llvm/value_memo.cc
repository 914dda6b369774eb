#include "common/codegen/llvm/value_memo.h"

#include <algorithm>

namespace alt::codegen {

void ValueMemo::LeaveBranch() {
  layers_.pop_back();
  std::erase_if(vectors_, [&](const Vector& vector) { return vector.layer >= layers_.size(); });
}

void ValueMemo::Clear() {
  layers_.assign(layers_.size(), {});
  vectors_.clear();
}

void ValueMemo::EndStatement() {
  for (Layer& layer : layers_) layer.nodes.clear();
}

void ValueMemo::Stored(const ir::BufferNode* buffer) {
  for (Layer& layer : layers_) {
    absl::erase_if(layer.scalars,
                   [&](const auto& entry) { return std::get<0>(entry.first) == buffer; });
  }
  std::erase_if(vectors_, [&](const Vector& vector) { return std::get<0>(vector.key) == buffer; });
}

llvm::Value* ValueMemo::FindNode(const ir::Expr& node) const {
  for (const Layer& layer : layers_) {
    auto it = layer.nodes.find(node.get());
    if (it != layer.nodes.end()) return it->second.second;
  }
  return nullptr;
}

llvm::Value* ValueMemo::Find(const Key& key) {
  for (const Layer& layer : layers_) {
    auto it = layer.scalars.find(key);
    if (it != layer.scalars.end()) return it->second;
  }
  const auto found = std::find_if(vectors_.begin(), vectors_.end(),
                                  [&](const Vector& vector) { return vector.key == key; });
  if (found == vectors_.end()) return nullptr;
  std::rotate(found, found + 1, vectors_.end());
  return vectors_.back().value;
}

void ValueMemo::Set(const Key& key, llvm::Value* value, int registers) {
  if (registers == 0) {
    layers_.back().scalars[key] = value;
    return;
  }
  vectors_.push_back({key, value, registers, layers_.size() - 1});
  int used = 0;
  for (const Vector& vector : vectors_) used += vector.registers;
  while (used > capacity_ && vectors_.size() > 1) {
    used -= vectors_.front().registers;
    vectors_.erase(vectors_.begin());
  }
}

}  // namespace alt::codegen
