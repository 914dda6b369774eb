#ifndef COMMON_CODEGEN_LLVM_LLVM_CODEGEN_H_
#define COMMON_CODEGEN_LLVM_LLVM_CODEGEN_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/codegen/codegen.h"
#include "common/target/target.h"

namespace alt::codegen {

// The code generator for CPUs, on LLVM. InvalidArgument when the target is no CPU or one that this
// LLVM does not know. Output depends on module and target alone: the same bytes on every machine.
absl::StatusOr<std::unique_ptr<Codegen>> CreateLlvmCodegen(const target::Target& target);

// Of what common/lower and this make of a candidate. Raised when that changes: records that were
// measured before are no exact answers until they are measured again.
inline constexpr int kCodeGeneratorNumber = 1;
// "19": the major version of the LLVM that is linked.
std::string LlvmVersion();

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_LLVM_CODEGEN_H_
