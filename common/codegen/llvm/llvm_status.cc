#include "common/codegen/llvm/llvm_status.h"

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
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

// Options of the code generator that TargetMachine has no interface for; measured on the kernels of
// tests/perf (Zen 4, 2026-11-30).
void SetOptions() {
  const char* const options[] = {
      "alt",
      // Takes from a third to three quarters of the compile time (45 of 60 ms for a grouped
      // convolution) and gives nothing: pointers are in place already, and x86 adds scaled indices
      // for free.
      "-disable-lsr",
      // With it the scheduler of machine instructions hides latencies of the next iterations, and
      // spills for that in large tiles without accumulators (depthwise 14 x 2: 12, without it
      // none).
      "-misched-cyclicpath=false",
  };
  llvm::cl::ParseCommandLineOptions(static_cast<int>(std::size(options)), options);
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
    SetOptions();
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
