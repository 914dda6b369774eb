#include "common/ir/buffer.h"

#include <utility>

#include "common/base/check.h"

namespace alt::ir {
namespace {

Buffer MakeChecked(BufferNode node) {
  for (int64_t extent : node.shape) {
    ALT_CHECK(extent > 0) << "buffer " << node.name << " has an extent of " << extent;
  }
  return std::make_shared<const BufferNode>(std::move(node));
}

}  // namespace

Buffer MakeBuffer(std::string name, std::vector<int64_t> shape, DType dtype, Scope scope) {
  ALT_CHECK(scope != Scope::kTable) << "buffer " << name << ": MakeTable makes tables";
  return MakeChecked(BufferNode{std::move(name), dtype, std::move(shape), scope, {}});
}

Buffer MakeTable(std::string name, std::vector<int64_t> shape, std::vector<double> values) {
  Buffer table = MakeChecked(
      BufferNode{std::move(name), kF32, std::move(shape), Scope::kTable, std::move(values)});
  ALT_CHECK(static_cast<int64_t>(table->table.size()) == NumElements(*table))
      << "table " << table->name << " has " << table->table.size() << " values for "
      << NumElements(*table) << " cells";
  return table;
}

int64_t NumElements(const BufferNode& buffer) {
  int64_t count = 1;
  for (int64_t extent : buffer.shape) count *= extent;
  return count;
}

std::vector<int64_t> Strides(const BufferNode& buffer) {
  std::vector<int64_t> strides(buffer.shape.size(), 1);
  for (size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * buffer.shape[d];
  return strides;
}

}  // namespace alt::ir
