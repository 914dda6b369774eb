#ifndef COMMON_CODEGEN_LLVM_EMIT_KERNEL_H_
#define COMMON_CODEGEN_LLVM_EMIT_KERNEL_H_

#include "common/codegen/llvm/function_emitter.h"

namespace alt::codegen {

// Adds `<name>_run` and `<name>_call` (artifact.h) to the module. Returns the bytes of workspace
// that a thread needs.
int64_t EmitKernel(ModuleState* state, const ir::Function& f);

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_EMIT_KERNEL_H_
