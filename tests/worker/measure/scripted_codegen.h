// A code generator for tests: LLVM's, until it is told otherwise.
#ifndef TESTS_WORKER_MEASURE_SCRIPTED_CODEGEN_H_
#define TESTS_WORKER_MEASURE_SCRIPTED_CODEGEN_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/codegen/codegen.h"

namespace alt::testing {

// What is compiled in place of kernels. Shared by test and generator.
class CodegenScript {
 public:
  using Compile = std::function<absl::StatusOr<runtime::Artifact>(const ir::Module&)>;

  // From now on kernels of candidates are compiled so; null: by LLVM. References always are.
  void Set(Compile compile);
  // Kernels become this C code (c_kernel.h), which may call nothing.
  void SetC(const std::string& body, const std::string& prologue = "", int64_t workspace_bytes = 0);
  Compile Get();

 private:
  absl::Mutex mutex_;
  Compile compile_ ABSL_GUARDED_BY(mutex_);
};

class ScriptedCodegen : public codegen::Codegen {
 public:
  ScriptedCodegen(std::unique_ptr<codegen::Codegen> real, std::shared_ptr<CodegenScript> script)
      : real_(std::move(real)), script_(std::move(script)) {}

  absl::StatusOr<runtime::Artifact> Compile(const ir::Module& module) override;
  absl::StatusOr<std::string> Assembly(const ir::Module& module) override {
    return real_->Assembly(module);
  }
  absl::StatusOr<std::string> LlvmIr(const ir::Module& module) override {
    return real_->LlvmIr(module);
  }
  absl::StatusOr<codegen::Library> Export(const ir::Module& module,
                                          const codegen::LibraryOptions& options,
                                          codegen::LibraryForm form) override {
    return real_->Export(module, options, form);
  }

 private:
  const std::unique_ptr<codegen::Codegen> real_;
  const std::shared_ptr<CodegenScript> script_;
};

}  // namespace alt::testing

#endif  // TESTS_WORKER_MEASURE_SCRIPTED_CODEGEN_H_
