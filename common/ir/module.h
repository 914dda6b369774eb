#ifndef COMMON_IR_MODULE_H_
#define COMMON_IR_MODULE_H_

#include <string>
#include <vector>

#include "common/ir/stmt.h"

namespace alt::ir {

// A function over raw pointers. Parameters do not alias one another and are 64-byte aligned.
struct Function {
  std::string name;
  std::vector<Buffer> params;  // in the order of the C signature
  Stmt body;
};

// Output of lowering, input of code generation. functions[0] is the kernel.
struct Module {
  std::vector<Function> functions;
};

}  // namespace alt::ir

#endif  // COMMON_IR_MODULE_H_
