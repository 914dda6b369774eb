// From candidates to shared objects.
#ifndef WORKER_MEASURE_BUILDER_H_
#define WORKER_MEASURE_BUILDER_H_

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/unique_fd.h"
#include "common/codegen/codegen.h"
#include "common/codegen/link.h"
#include "common/lower/lower.h"
#include "common/runtime/artifact.h"
#include "common/workload/candidate.h"
#include "worker/measure/compiler.h"
#include "worker/measure/failure.h"

namespace alt::worker {

// A kernel ready to be loaded.
struct BuiltKernel {
  lower::Kernel lowered;       // of a candidate: its loops, before they are unrolled
  runtime::Artifact artifact;  // without its object
  base::UniqueFd object;       // the shared object
};

struct BuildResult {
  std::variant<BuiltKernel, Failure> kernel;
  absl::Duration time;  // of the thread that built it
};

using CodegenFactory =
    std::function<absl::StatusOr<std::unique_ptr<codegen::Codegen>>(const target::Target&)>;

// Compiles and links one module that is our own, such as a reference.
absl::StatusOr<BuiltKernel> BuildModule(lower::Kernel lowered, codegen::Codegen& codegen,
                                        const codegen::LinkOptions& link);

// Builds batches on several threads, each with a compiler of its own that it keeps. Lowering and
// linking take about 3 ms a candidate, compiling 10 to 100. One thread at a time.
class Builder {
 public:
  Builder(CompilerFactory compiler, codegen::LinkOptions link, int threads);

  // One result for each candidate, in order. `limit` is for each, from its start. Polls
  // `cancelled`, after which what has not been built is kCancelled.
  std::vector<BuildResult> Build(const workload::Workload& workload, const target::Target& target,
                                 const std::vector<workload::Candidate>& candidates,
                                 absl::Duration limit, absl::FunctionRef<bool()> cancelled);

 private:
  const CompilerFactory make_compiler_;
  const codegen::LinkOptions link_;
  const size_t threads_;
  std::vector<std::unique_ptr<Compiler>> compilers_;  // one a thread, made at first use
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_BUILDER_H_
