// The buffers that the worker has attached.
#ifndef WORKER_RUNNER_OPERAND_MEMORY_H_
#define WORKER_RUNNER_OPERAND_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/runtime/cpu/huge_buffer.h"
#include "worker/runner/problem.h"
#include "worker/sandbox/frame.h"

namespace alt::runner {

// Kernels work on private copies, on huge pages: Linux gives those to private memory by default, to
// shared memory only where an administrator says so. Copies include the guard bands.
class OperandMemory {
 public:
  OperandMemory() = default;
  OperandMemory(const OperandMemory&) = delete;
  OperandMemory& operator=(const OperandMemory&) = delete;
  ~OperandMemory();

  // Nothing, or why not. A buffer that is not writable is copied once, here, and protected.
  std::optional<Problem> Attach(const sandbox::AttachRequest& request, int fd);
  void Detach(int64_t buffer);

  // The address of a parameter; null when the buffer is not attached or too small.
  char* Find(const sandbox::KernelParam& param) const;

  // Of these buffers, the writable ones: takes over what the worker has put there, such as poison.
  void CopyIn(const std::vector<int64_t>& buffers) const;
  // The same ones: shows the worker what kernels have left there.
  void CopyOut(const std::vector<int64_t>& buffers) const;

  // Which buffer holds an address: its number, or -1, and the offset in it. Async-signal-safe as
  // long as no Attach or Detach is going on.
  int64_t Locate(const void* address, int64_t* offset) const;

 private:
  struct Operand {
    runtime::HugeBuffer memory;
    char* shared = nullptr;  // the worker's memory, of the same size; null: not writable
  };
  std::map<int64_t, Operand> operands_;
};

}  // namespace alt::runner

#endif  // WORKER_RUNNER_OPERAND_MEMORY_H_
