#ifndef WORKER_RUNNER_PROBLEM_H_
#define WORKER_RUNNER_PROBLEM_H_

#include <string>

namespace alt::runner {

// Why a request could not be served. (Status is abseil's, which alt-runner does without.)
struct Problem {
  std::string message;
  bool out_of_memory = false;
};

}  // namespace alt::runner

#endif  // WORKER_RUNNER_PROBLEM_H_
