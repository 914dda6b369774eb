#include "tests/worker/measure/local_measurer_testing.h"

#include <cstdlib>
#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/target/host.h"
#include "tests/testing/paths.h"

namespace alt::testing {

worker::LocalMeasurer::Options LocalMeasurerOptions(const std::string& lock_path,
                                                    std::shared_ptr<CodegenScript> script,
                                                    int threads) {
  worker::LocalMeasurer::Options options;
  const absl::StatusOr<std::string> linker = codegen::FindLinker(getenv("PATH"));
  ALT_CHECK_OK(linker);
  options.link.linker = *linker;
  options.codegen =
      [script = std::move(script)](
          const target::Target& target) -> absl::StatusOr<std::unique_ptr<codegen::Codegen>> {
    ALT_ASSIGN_OR_RETURN(auto llvm, codegen::CreateLlvmCodegen(target));
    return std::make_unique<ScriptedCodegen>(std::move(llvm), script);
  };
  options.runner_path = BinDir() + "/alt-runner";
  options.lock_path = lock_path;
  options.max_threads = threads;
  options.build_threads = 2;
  return options;
}

std::unique_ptr<worker::LocalMeasurer> MakeLocalMeasurer(const std::string& lock_path,
                                                         std::shared_ptr<CodegenScript> script,
                                                         int threads) {
  auto measurer =
      worker::LocalMeasurer::Create(LocalMeasurerOptions(lock_path, std::move(script), threads));
  ALT_CHECK_OK(measurer);
  return *std::move(measurer);
}

workload::Candidate ParseCandidateOrDie(const std::string& text) {
  absl::StatusOr<workload::Candidate> candidate = workload::ParseCandidate(text);
  ALT_CHECK_OK(candidate);
  return *std::move(candidate);
}

measure::MeasureRequest SmallMatmulRequest(int threads) {
  measure::MeasureRequest request;
  request.workload = {workload::Matmul{.m = 24, .n = 32, .k = 40}};
  request.target = target::HostTarget(threads);
  return request;
}

}  // namespace alt::testing
