#ifndef WORKER_MEASURE_COMPILER_H_
#define WORKER_MEASURE_COMPILER_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "common/codegen/codegen.h"
#include "common/runtime/artifact.h"
#include "common/target/target.h"
#include "common/workload/candidate.h"
#include "worker/measure/failure.h"
#include "worker/sandbox/child_channel.h"

namespace alt::worker {

// Lowers and compiles one candidate at a time. One thread at a time.
class Compiler {
 public:
  virtual ~Compiler() = default;

  // Whatever happens, the answer is there soon after `limit`, then kCompileTimeout, or after
  // `cancelled`, which is polled, says true, then kCancelled; and nothing goes on behind it.
  virtual std::variant<runtime::Artifact, Failure> Compile(const workload::CandidateFile& file,
                                                           const target::Target& target,
                                                           absl::Duration limit,
                                                           absl::FunctionRef<bool()> cancelled) = 0;
};

using CompilerFactory = std::function<std::unique_ptr<Compiler>()>;

// Compiles in an alt-builder process, which stays warm and is replaced when it had to be ended or
// has ended by itself (25 ms). What LLVM does to its process (a crash, all memory of its limit) is
// a failure of the candidate.
class ProcessCompiler : public Compiler {
 public:
  // `spawner` outlives it; `path` is that of alt-builder.
  ProcessCompiler(sandbox::Spawner* spawner, std::string path)
      : spawner_(spawner), path_(std::move(path)) {}

  std::variant<runtime::Artifact, Failure> Compile(const workload::CandidateFile& file,
                                                   const target::Target& target,
                                                   absl::Duration limit,
                                                   absl::FunctionRef<bool()> cancelled) override;

 private:
  absl::Status EnsureProcess();

  sandbox::Spawner* const spawner_;
  const std::string path_;
  std::unique_ptr<sandbox::ChildChannel> process_;  // null: none runs
};

// Compiles in this process, where nothing ends what takes too long: `limit` and `cancelled` are not
// looked at. For programs that compile what they know.
class InProcessCompiler : public Compiler {
 public:
  explicit InProcessCompiler(std::shared_ptr<codegen::Codegen> codegen)
      : codegen_(std::move(codegen)) {}

  std::variant<runtime::Artifact, Failure> Compile(const workload::CandidateFile& file,
                                                   const target::Target& target,
                                                   absl::Duration limit,
                                                   absl::FunctionRef<bool()> cancelled) override;

 private:
  const std::shared_ptr<codegen::Codegen> codegen_;
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_COMPILER_H_
