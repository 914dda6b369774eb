#include "client/export_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/include/alt/kernel.h"
#include "client/loaded_library.h"
#include "common/base/file.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"
#include "common/codegen/link.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/lower/lower.h"
#include "common/runtime/kernel_abi.h"

namespace alt::client {
namespace {

// Errors of sums in single precision, the transforms of Winograd included, stay below this share of
// the largest result; a wrong or missing product does not.
constexpr double kTolerance = 1e-4;

// The workload by its definition, compiled as it stands.
absl::Status RunReference(const Kernel& kernel, const CheckOptions& options,
                          const std::map<std::string, Floats>& tensors) {
  ALT_ASSIGN_OR_RETURN(const te::Graph graph, workload::MakeGraph(kernel.workload()));
  ALT_ASSIGN_OR_RETURN(const ir::Module module,
                       lower::LowerNaive(graph, kernel.target(), "reference"));
  ALT_ASSIGN_OR_RETURN(const auto codegen, codegen::CreateLlvmCodegen(kernel.target()));
  ALT_ASSIGN_OR_RETURN(const runtime::Artifact artifact, codegen->Compile(module));
  ALT_ASSIGN_OR_RETURN(const std::string linker, codegen::FindLinker(options.search_path));
  ALT_ASSIGN_OR_RETURN(
      const std::string object,
      codegen::LinkSharedObject(artifact.object, {.linker = linker, .temp_dir = options.temp_dir}));
  // Not from the folder for temporary files, which may be mounted noexec.
  ALT_ASSIGN_OR_RETURN(const base::UniqueFd fd, base::MemoryFile("reference.so", object));
  ALT_ASSIGN_OR_RETURN(const auto library,
                       LoadedLibrary::Open(absl::StrCat("/proc/self/fd/", fd.get())));
  ALT_ASSIGN_OR_RETURN(const auto call, library->Find<alt_kernel>("reference_call"));
  std::vector<void*> params;
  for (const ir::Buffer& buffer : module.functions[0].params) {
    const auto tensor = tensors.find(buffer->name);
    if (tensor == tensors.end()) {
      return absl::InvalidArgumentError(absl::StrCat("the library has no tensor ", buffer->name));
    }
    params.push_back(tensor->second.get());
  }
  const Floats workspace = AllocateFloats((artifact.workspace_bytes + 3) / 4);
  call(params.data(), workspace.get(), nullptr);
  return absl::OkStatus();
}

// The kernel's answer.
absl::Status RunKernel(Kernel& kernel, const std::map<std::string, Floats>& tensors,
                       float* result) {
  for (const KernelTensor& tensor : kernel.tensors()) {
    if (tensor.role == TensorRole::kOutput) continue;
    ALT_RETURN_IF_ERROR(kernel.Pack(tensor.name, tensors.at(tensor.name).get()));
  }
  ALT_RETURN_IF_ERROR(kernel.Run());
  return kernel.Unpack(result);
}

void Compare(const float* expected, const float* actual, int64_t n, CheckReport& report) {
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(double{expected[i]}));
  bool complete = true;
  for (int64_t i = 0; i < n; ++i) {
    const double error = std::abs(double{expected[i]} - double{actual[i]});
    if (!std::isfinite(error)) {
      complete = false;  // a cell that the kernel has not written
      continue;
    }
    report.max_abs_error = std::max(report.max_abs_error, error);
  }
  if (largest > 0) report.max_rel_error = report.max_abs_error / largest;
  report.ok = complete && report.max_abs_error <= kTolerance * largest;
}

}  // namespace

absl::StatusOr<CheckReport> CheckExport(const CheckOptions& options) {
  ALT_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, Kernel::Load(options.library));
  std::map<std::string, Floats> tensors;
  base::Random random(options.seed);
  for (const KernelTensor& tensor : kernel->tensors()) {
    const int64_t n = Elements(tensor.shape);
    Floats memory = AllocateFloats(n);
    if (tensor.role != TensorRole::kOutput) {
      std::generate_n(memory.get(), n,
                      [&] { return static_cast<float>(2 * random.UnitDouble() - 1); });
    }
    tensors[tensor.name] = std::move(memory);
  }
  ALT_RETURN_IF_ERROR(RunReference(*kernel, options, tensors));
  const KernelTensor& output = kernel->tensors().back();
  const int64_t n = Elements(output.shape);
  const Floats result = AllocateFloats(n);
  ALT_RETURN_IF_ERROR(RunKernel(*kernel, tensors, result.get()));
  CheckReport report{.workload = workload::Print(kernel->workload())};
  Compare(tensors.at(output.name).get(), result.get(), n, report);
  return report;
}

}  // namespace alt::client
