#include "tests/worker/measure/scripted_codegen.h"

#include "tests/worker/c_kernel.h"

namespace alt::testing {

void CodegenScript::Set(Compile compile) {
  absl::MutexLock lock(&mutex_);
  compile_ = std::move(compile);
}

void CodegenScript::SetC(const std::string& body, const std::string& prologue,
                         int64_t workspace_bytes) {
  runtime::Artifact artifact{.object = CompileCObject(body, prologue),
                             .name = "kernel",
                             .workspace_bytes = workspace_bytes};
  Set([artifact](const ir::Module&) { return artifact; });
}

CodegenScript::Compile CodegenScript::Get() {
  absl::MutexLock lock(&mutex_);
  return compile_;
}

absl::StatusOr<runtime::Artifact> ScriptedCodegen::Compile(const ir::Module& module) {
  const bool candidate = module.functions.at(0).name == "kernel";
  const CodegenScript::Compile compile = script_->Get();
  if (!candidate || !compile) return real_->Compile(module);
  return compile(module);
}

}  // namespace alt::testing
