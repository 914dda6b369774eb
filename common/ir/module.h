#ifndef COMMON_IR_MODULE_H_
#define COMMON_IR_MODULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/ir/stmt.h"

namespace alt::ir {

// A function over raw pointers. Parameters do not alias one another.
struct Function {
  std::string name;
  std::vector<Buffer> params;  // in the order of the C signature
  Stmt body;
  int64_t alignment_bytes = 64;  // that parameters have at least
};

// Output of lowering, input of code generation. functions[0] is the kernel.
struct Module {
  std::vector<Function> functions;
};

}  // namespace alt::ir

#endif  // COMMON_IR_MODULE_H_
