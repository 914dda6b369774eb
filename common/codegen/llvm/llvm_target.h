#ifndef COMMON_CODEGEN_LLVM_LLVM_TARGET_H_
#define COMMON_CODEGEN_LLVM_LLVM_TARGET_H_

#include <llvm/IR/Attributes.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>

#include "absl/status/statusor.h"
#include "common/target/target.h"

namespace alt::codegen {

// InvalidArgument when the target is no CPU or unknown to LLVM. A TargetMachine serves one
// compilation at a time.
absl::StatusOr<std::unique_ptr<llvm::LLVMTargetMachine>> CreateTargetMachine(
    const target::Target& target);

// What every function of a module for this target carries.
llvm::AttrBuilder FunctionAttributes(const target::Target& target, llvm::LLVMContext& context);

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_LLVM_TARGET_H_
