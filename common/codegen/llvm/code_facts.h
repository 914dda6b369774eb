#ifndef COMMON_CODEGEN_LLVM_CODE_FACTS_H_
#define COMMON_CODEGEN_LLVM_CODE_FACTS_H_

#include "common/runtime/artifact.h"

namespace llvm {
class FunctionPass;
}

namespace alt::codegen {

// A pass to stand last before the printer, that adds what it counts in each machine function to
// `facts` (all but code_bytes). The pass manager owns it. Spills are told from buffers on the stack
// by the frame's own records, which a disassembler would not see.
llvm::FunctionPass* NewCodeFactsPass(runtime::CodeFacts* facts);

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_CODE_FACTS_H_
