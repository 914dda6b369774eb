#ifndef COMMON_CODEGEN_LLVM_LLVM_STATUS_H_
#define COMMON_CODEGEN_LLVM_LLVM_STATUS_H_

// LLVM's ways to fail, turned into absl::Status.

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace alt::codegen {

// Registers the targets that we compile for, and the handler of fatal errors. Thread-safe; does its
// work once.
void InitializeLlvm();

// Runs work; what LLVM reports as a fatal error meanwhile (it would end the process) comes back as
// Internal. `*fatal` then tells that LLVM was left in the middle of something: whatever it worked
// on must be leaked, not destroyed. Fatal errors on other threads are not affected.
absl::Status CatchFatalErrors(absl::FunctionRef<absl::Status()> work, bool* fatal);

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_LLVM_STATUS_H_
