// A kernel that the worker has compiled, loaded and bound to its operands.
#ifndef WORKER_RUNNER_LOADED_KERNEL_H_
#define WORKER_RUNNER_LOADED_KERNEL_H_

#include <memory>
#include <string>
#include <vector>

#include "common/base/unique_fd.h"
#include "common/runtime/cpu/huge_buffer.h"
#include "common/runtime/kernel_abi.h"
#include "worker/runner/operand_memory.h"
#include "worker/runner/problem.h"
#include "worker/sandbox/frame.h"

namespace alt::runner {

class LoadedKernel {
 public:
  // Null with *problem filled in when it cannot be done. `fd` holds the shared object; `pool` is
  // null for one thread and stays the caller's.
  static std::unique_ptr<LoadedKernel> Load(const sandbox::LoadRequest& request, base::UniqueFd fd,
                                            const OperandMemory& memory, alt_pool* pool,
                                            Problem* problem);
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;
  ~LoadedKernel();

  // Uses the operands' copies in turn (Rotate), else always the attached ones.
  void Call() {
    function_(sets_[next_set_].data(), workspace(), pool_);
    if (++next_set_ == sets_.size()) next_set_ = 0;
  }

  // Before a run whose result is checked: memory that a kernel must not rely on is full of NaNs.
  void PoisonWorkspace();
  // Whether something was written next to the workspace since PoisonWorkspace.
  bool WroteOutOfWorkspace() const;

  // The buffers that its parameters lie in.
  const std::vector<int64_t>& buffers() const { return buffers_; }

  // Makes copies of all operands until they fill `bytes` together. False without the memory for it.
  bool Rotate(int64_t bytes);
  // Back to the attached operands alone.
  void StopRotating();

 private:
  LoadedKernel() = default;

  // Between guard bands; null when the kernel needs none.
  char* workspace() const;

  base::UniqueFd fd_;  // stays open: its number is part of the library's name to the loader
  void* library_ = nullptr;
  alt_kernel function_ = nullptr;
  alt_pool* pool_ = nullptr;
  runtime::HugeBuffer workspace_memory_;
  size_t workspace_bytes_ = 0;  // of all threads
  std::vector<int64_t> buffers_;
  std::vector<size_t> param_bytes_;
  std::vector<std::vector<void*>> sets_;  // parameters of a call; the first: the attached operands
  size_t next_set_ = 0;
  std::vector<runtime::HugeBuffer> copies_;
};

}  // namespace alt::runner

#endif  // WORKER_RUNNER_LOADED_KERNEL_H_
