#include "common/codegen/llvm/llvm_status.h"

#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"

namespace alt::codegen {
namespace {

// The one exception of ours: report_fatal_error must not return, and the alternative, longjmp, is
// no better. LLVM's frames have unwind tables and no destructors run in them, hence `fatal`.
struct LlvmFatalError {
  std::string message;
};

thread_local bool catching = false;

void OnFatalError(void*, const char* reason, bool) {
  if (catching) throw LlvmFatalError{reason};
  std::fprintf(stderr, "LLVM: %s\n", reason);
  std::abort();
}

}  // namespace

void InitializeLlvm() {
  static const bool done = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    llvm::install_fatal_error_handler(OnFatalError);
    return true;
  }();
  static_cast<void>(done);
}

absl::Status CatchFatalErrors(absl::FunctionRef<absl::Status()> work, bool* fatal) {
  *fatal = false;
  catching = true;
  absl::Status status;
  try {
    status = work();
  } catch (const LlvmFatalError& error) {
    *fatal = true;
    status = absl::InternalError(absl::StrCat("LLVM: ", error.message));
  }
  catching = false;
  return status;
}

}  // namespace alt::codegen
