// The buffers that the worker has attached.
#ifndef WORKER_RUNNER_OPERAND_MEMORY_H_
#define WORKER_RUNNER_OPERAND_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "worker/runner/problem.h"
#include "worker/sandbox/frame.h"

namespace alt::runner {

class OperandMemory {
 public:
  OperandMemory() = default;
  OperandMemory(const OperandMemory&) = delete;
  OperandMemory& operator=(const OperandMemory&) = delete;
  ~OperandMemory();

  // Nothing, or why not.
  std::optional<Problem> Attach(const sandbox::AttachRequest& request, int fd);
  void Detach(int64_t buffer);

  // The address of a parameter; null when the buffer is not attached or too small.
  char* Find(const sandbox::KernelParam& param) const;

  // Which buffer holds an address: its number, or -1, and the offset in it. Async-signal-safe as
  // long as no Attach or Detach is going on.
  int64_t Locate(const void* address, int64_t* offset) const;

 private:
  struct Mapping {
    char* data;
    size_t bytes;
  };
  std::map<int64_t, Mapping> mappings_;
};

}  // namespace alt::runner

#endif  // WORKER_RUNNER_OPERAND_MEMORY_H_
