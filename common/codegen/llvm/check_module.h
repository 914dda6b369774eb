#ifndef COMMON_CODEGEN_LLVM_CHECK_MODULE_H_
#define COMMON_CODEGEN_LLVM_CHECK_MODULE_H_

#include "absl/status/status.h"
#include "common/ir/module.h"

namespace alt::codegen {

// Whether a module is what the code generator takes: functions with distinct C names, serial and
// parallel loops only, registers at constant indices and not shared with a parallel loop's body,
// at most kMaxLanes lanes. InvalidArgument names function and reason. Ranges of indices are
// ir::Verify's business.
absl::Status CheckModule(const ir::Module& module);

inline constexpr int kMaxLanes = 64;

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_CHECK_MODULE_H_
