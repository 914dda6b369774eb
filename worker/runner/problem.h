#ifndef WORKER_RUNNER_PROBLEM_H_
#define WORKER_RUNNER_PROBLEM_H_

#include <string>

namespace alt::runner {

// Why a request could not be served. (Status is abseil's, which alt-runner does without.)
struct Problem {
  enum class Cause {
    kHost,    // or a mistake of ours: another process may be luckier with the same kernel
    kKernel,  // no process can load it
    kMemory,  // the limit of this process
  };
  std::string message;
  Cause cause = Cause::kHost;
};

}  // namespace alt::runner

#endif  // WORKER_RUNNER_PROBLEM_H_
