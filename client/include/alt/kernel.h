// A tuned kernel, loaded into this process and called on plain tensors.
#ifndef CLIENT_INCLUDE_ALT_KERNEL_H_
#define CLIENT_INCLUDE_ALT_KERNEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/runtime/kernel_abi.h"
#include "common/target/target.h"
#include "common/workload/workload.h"

namespace alt::client {

enum class TensorRole : uint8_t { kInput, kConstant, kOutput };

// A tensor of a kernel as its caller has it: f32, row-major.
struct KernelTensor {
  std::string name;  // x, w, y; a, b, c
  TensorRole role = TensorRole::kInput;
  std::vector<int64_t> shape;
};

// Keeps its tensors in the kernel's layouts: pack what has changed, run, unpack the result.
//
//   ALT_ASSIGN_OR_RETURN(auto conv, Kernel::Load("conv.so"));
//   ALT_RETURN_IF_ERROR(conv->Pack("w", w));              // once
//   ALT_RETURN_IF_ERROR(conv->Pack("x", x));              // for each run
//   ALT_RETURN_IF_ERROR(conv->Run());
//   ALT_RETURN_IF_ERROR(conv->Unpack(y));
//
// Not for several threads at once.
class Kernel {
 public:
  // A shared object that `alt compile` wrote. Its code runs in this process.
  //   InvalidArgument  no such file, or not a kernel of ours
  //   Unimplemented    for a machine that this one is not
  static absl::StatusOr<std::unique_ptr<Kernel>> Load(const std::string& path);
  virtual ~Kernel() = default;

  virtual const workload::Workload& workload() const = 0;
  virtual const target::Target& target() const = 0;
  // Inputs and constants, the output last.
  virtual const std::vector<KernelTensor>& tensors() const = 0;

  // Copies an input or constant of `shape` elements into the layout that the kernel reads. NotFound
  // when it has no such tensor.
  virtual absl::Status Pack(absl::string_view tensor, const float* plain) = 0;
  // Without a pool on the calling thread alone. FailedPrecondition names what was never packed.
  virtual absl::Status Run(alt_pool* pool = nullptr) = 0;
  // Copies the result of the last Run. FailedPrecondition when there was none.
  virtual absl::Status Unpack(float* plain) = 0;
};

}  // namespace alt::client

#endif  // CLIENT_INCLUDE_ALT_KERNEL_H_
