#ifndef COMMON_CODEGEN_CODEGEN_H_
#define COMMON_CODEGEN_CODEGEN_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/ir/module.h"
#include "common/runtime/artifact.h"
#include "common/target/target.h"

namespace alt::codegen {

// Compiles lowered modules for one target. Thread-safe: Compile may be called at once from several
// threads.
class Codegen {
 public:
  virtual ~Codegen() = default;

  // Compiles every function of the module. Loops of kind vectorized or unrolled must be gone
  // (InvalidArgument). Errors are the code generator's own failures, with its message.
  virtual absl::StatusOr<runtime::Artifact> Compile(const ir::Module& module) = 0;

  // Text of the compiled module, for people.
  virtual absl::StatusOr<std::string> Assembly(const ir::Module& module) = 0;
  virtual absl::StatusOr<std::string> LlvmIr(const ir::Module& module) = 0;
};

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_CODEGEN_H_
