// The runner's side of the protocol in worker/sandbox/frame.h.
#ifndef WORKER_RUNNER_RUNNER_SERVER_H_
#define WORKER_RUNNER_RUNNER_SERVER_H_

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "common/base/unique_fd.h"
#include "common/runtime/cpu/pinned_pool.h"
#include "worker/runner/kernel_timer.h"
#include "worker/runner/loaded_kernel.h"
#include "worker/runner/operand_memory.h"
#include "worker/sandbox/frame.h"

namespace alt::runner {

// Answers requests from one socket until it is closed.
class RunnerServer {
 public:
  explicit RunnerServer(int socket) : socket_(socket) {}

  // The exit code of the program.
  int Serve();

 private:
  sandbox::Reply Handle(const sandbox::Request& request, base::UniqueFd fd);
  sandbox::Reply Hello(const sandbox::HelloRequest& request, base::UniqueFd fd);
  sandbox::Reply Load(const sandbox::LoadRequest& request, base::UniqueFd fd);
  sandbox::Reply Run(const sandbox::KernelRequest& request);
  sandbox::Reply Time(const sandbox::TimeRequest& request);
  sandbox::Reply Peak(const sandbox::PeakRequest& request);

  void MeasureMemory(const sandbox::PeakRequest& request, runtime::VectorKind kind,
                     sandbox::PeakReply& peak);

  // Null when nothing is loaded there.
  LoadedKernel* Find(int32_t kernel) const;

  const int socket_;
  OperandMemory memory_;
  // Set by Hello, always before the rest.
  std::unique_ptr<runtime::PinnedPool> pool_;
  sandbox::Board* board_ = nullptr;
  std::unique_ptr<KernelTimer> timer_;

  std::array<std::unique_ptr<LoadedKernel>, sandbox::kMaxKernels> kernels_;
};

}  // namespace alt::runner

#endif  // WORKER_RUNNER_RUNNER_SERVER_H_
