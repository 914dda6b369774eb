#ifndef COMMON_CODEGEN_LLVM_EMIT_KERNEL_H_
#define COMMON_CODEGEN_LLVM_EMIT_KERNEL_H_

#include "common/codegen/codegen.h"
#include "common/codegen/llvm/function_emitter.h"

namespace alt::codegen {

// Adds `<name>_run` and `<name>_call` (artifact.h) of every function to the module. Returns the
// bytes of workspace that a thread needs.
int64_t EmitKernels(ModuleState* state, const ir::Module& module);

// The same for Codegen::Export.
int64_t EmitLibrary(ModuleState* state, const ir::Module& module, const LibraryOptions& options);

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_EMIT_KERNEL_H_
