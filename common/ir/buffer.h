#ifndef COMMON_IR_BUFFER_H_
#define COMMON_IR_BUFFER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/ir/dtype.h"

namespace alt::ir {

// Where a buffer lives.
//   kParam     memory of the caller, passed as a pointer, 64-byte aligned
//   kLocal     temporary of an Allocate; the code generator chooses stack or workspace
//   kRegister  temporary whose every index is a constant after unrolling: one virtual register for
//              each element (an element may be a vector: see dtype.lanes)
//   kTable     constant numbers known while compiling (Winograd matrices); loads at constant
//              indices fold to immediates
enum class Scope : uint8_t { kParam, kLocal, kRegister, kTable };

// A dense row-major array. Identity is the address: two buffers of one name are different.
struct BufferNode {
  std::string name;
  DType dtype = kF32;
  std::vector<int64_t> shape;  // extents in elements, row-major; empty means one element
  Scope scope = Scope::kParam;
  std::vector<double> table;  // the values of a kTable, row-major; empty otherwise
};
using Buffer = std::shared_ptr<const BufferNode>;

// Checks (ALT_CHECK) that extents are positive.
Buffer MakeBuffer(std::string name, std::vector<int64_t> shape, DType dtype = kF32,
                  Scope scope = Scope::kParam);
// Checks that values.size() is the product of shape.
Buffer MakeTable(std::string name, std::vector<int64_t> shape, std::vector<double> values);

int64_t NumElements(const BufferNode& buffer);
// Row-major strides in elements.
std::vector<int64_t> Strides(const BufferNode& buffer);

}  // namespace alt::ir

#endif  // COMMON_IR_BUFFER_H_
