#ifndef COMMON_CODEGEN_LLVM_LLVM_PASSES_H_
#define COMMON_CODEGEN_LLVM_LLVM_PASSES_H_

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "absl/status/status.h"
#include "common/runtime/artifact.h"

namespace alt::codegen {

// Adds the passes that select, allocate and print machine code. There are no IR passes: the emitter
// numbers values, hoists addresses and promotes registers itself. Measured on the kernels of
// tests/perf (Zen 4, 2026-11-30): EarlyCSE and LICM add 20 to 40 % to the 6 ms of a convolution and
// no speed; without the machine scheduler a tile unrolled by 4 spills; without the scheduler after
// allocation a depthwise kernel loses 4 %; llvm_status.cc has the options. `facts`
// may be null.
absl::Status AddCodePasses(llvm::LLVMTargetMachine& machine, llvm::CodeGenFileType type,
                           llvm::legacy::PassManager& passes, llvm::raw_pwrite_stream& out,
                           runtime::CodeFacts* facts);

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_LLVM_PASSES_H_
