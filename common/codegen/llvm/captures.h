#ifndef COMMON_CODEGEN_LLVM_CAPTURES_H_
#define COMMON_CODEGEN_LLVM_CAPTURES_H_

#include <vector>

#include "common/ir/stmt.h"

namespace alt::codegen {

// What a statement takes from around it, in order of first use: what the body of a parallel loop
// has to be handed. Tables are no captures, they are global.
struct Captures {
  std::vector<ir::Var> vars;
  std::vector<ir::Buffer> buffers;
};
Captures FindCaptures(const ir::Stmt& s);

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_CAPTURES_H_
