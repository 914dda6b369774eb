#include "client/export_check.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/kernel_export.h"
#include "common/base/file.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"
#include "common/codegen/elf_symbols.h"
#include "common/codegen/link.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/lower/lower.h"
#include "common/runtime/kernel_abi.h"
#include "common/target/host.h"

namespace alt::client {
namespace {

// Errors of sums in single precision, the transforms of Winograd included, stay below this share of
// the largest result; a wrong or missing product does not.
constexpr double kTolerance = 1e-4;

struct Free {
  void operator()(float* p) const { free(p); }
};
using Memory = std::unique_ptr<float[], Free>;

int64_t Elements(const std::vector<int64_t>& shape) {
  int64_t out = 1;
  for (const int64_t extent : shape) out *= extent;
  return out;
}

// 64-byte aligned; what nobody writes stays not a number.
Memory Allocate(int64_t elements) {
  const size_t bytes = (static_cast<size_t>(std::max<int64_t>(elements, 1)) * 4 + 63) / 64 * 64;
  Memory out(static_cast<float*>(aligned_alloc(64, bytes)));
  ALT_CHECK(out != nullptr) << "out of memory: " << bytes << " bytes";
  std::fill_n(out.get(), bytes / 4, std::numeric_limits<float>::quiet_NaN());
  return out;
}

class Library {
 public:
  static absl::StatusOr<std::unique_ptr<Library>> Open(const std::string& path) {
    // A path without a slash would be searched for.
    const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return absl::InvalidArgumentError(dlerror());
    return std::unique_ptr<Library>(new Library(handle));
  }
  ~Library() { dlclose(handle_); }

  template <typename T>
  absl::StatusOr<T> Find(const std::string& symbol) const {
    void* address = dlsym(handle_, symbol.c_str());
    if (address == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("the library has no symbol ", symbol));
    }
    return reinterpret_cast<T>(address);
  }

 private:
  explicit Library(void* handle) : handle_(handle) {}
  void* const handle_;
};

absl::Status CheckRunsHere(const target::Target& target) {
  if (target::HostRuns(target)) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("the kernel is for ", target::PrintTarget(target), ", this machine is ",
                   target::PrintTarget(target::HostTarget(target.threads))));
}

using CallFunction = int32_t (*)(void* const*, void*, alt_pool*);
using PackFunction = void (*)(const float*, float*, void*, alt_pool*);

// The workload by its definition, compiled as it stands.
absl::Status RunReference(const ExportDescription& kernel, const CheckOptions& options,
                          const std::map<std::string, Memory>& tensors) {
  ALT_ASSIGN_OR_RETURN(const te::Graph graph, workload::MakeGraph(kernel.workload));
  ALT_ASSIGN_OR_RETURN(const ir::Module module, lower::LowerNaive(graph, "reference"));
  ALT_ASSIGN_OR_RETURN(const auto codegen, codegen::CreateLlvmCodegen(kernel.target));
  ALT_ASSIGN_OR_RETURN(const runtime::Artifact artifact, codegen->Compile(module));
  ALT_ASSIGN_OR_RETURN(const std::string linker, codegen::FindLinker(options.search_path));
  ALT_ASSIGN_OR_RETURN(
      const std::string object,
      codegen::LinkSharedObject(artifact.object, {.linker = linker, .temp_dir = options.temp_dir}));
  // Not from the folder for temporary files, which may be mounted noexec.
  ALT_ASSIGN_OR_RETURN(const base::UniqueFd fd, base::MemoryFile("reference.so", object));
  ALT_ASSIGN_OR_RETURN(const auto library, Library::Open(absl::StrCat("/proc/self/fd/", fd.get())));
  ALT_ASSIGN_OR_RETURN(const auto call, library->Find<alt_kernel>("reference_call"));
  std::vector<void*> params;
  for (const ir::Buffer& buffer : module.functions[0].params) {
    const auto tensor = tensors.find(buffer->name);
    if (tensor == tensors.end()) {
      return absl::InvalidArgumentError(absl::StrCat("the library has no tensor ", buffer->name));
    }
    params.push_back(tensor->second.get());
  }
  const Memory workspace = Allocate((artifact.workspace_bytes + 3) / 4);
  call(params.data(), workspace.get(), nullptr);
  return absl::OkStatus();
}

// The library's answer, unpacked, into `result`.
absl::Status RunKernel(const ExportDescription& kernel, const Library& library,
                       const std::map<std::string, Memory>& tensors, float* result) {
  const Memory workspace = Allocate((kernel.workspace_bytes + 3) / 4);
  std::vector<Memory> packed;
  std::vector<void*> params;
  for (const ExportedTensor& tensor : kernel.tensors) {
    packed.push_back(Allocate(Elements(tensor.shape)));
    params.push_back(packed.back().get());
    if (tensor.role == "output") continue;
    ALT_ASSIGN_OR_RETURN(const auto pack, library.Find<PackFunction>(tensor.pack));
    pack(tensors.at(tensor.name).get(), packed.back().get(), workspace.get(), nullptr);
  }
  ALT_ASSIGN_OR_RETURN(const auto call,
                       library.Find<CallFunction>(absl::StrCat(kernel.name, "_call")));
  if (const int32_t code = call(params.data(), workspace.get(), nullptr); code != 0) {
    return absl::InternalError(absl::StrCat(kernel.name, "_call returns ", code));
  }
  const ExportedTensor& output = kernel.tensors.back();
  ALT_ASSIGN_OR_RETURN(const auto unpack, library.Find<PackFunction>(output.unpack));
  unpack(packed.back().get(), result, workspace.get(), nullptr);
  return absl::OkStatus();
}

// The metadata's symbol; a library has one.
absl::StatusOr<std::string> FindMetadata(absl::string_view file) {
  constexpr absl::string_view kEnding = "_metadata";
  ALT_ASSIGN_OR_RETURN(const codegen::ElfSymbols symbols, codegen::ReadElfSymbols(file));
  std::string found;
  for (const std::string& name : symbols.exported) {
    if (!absl::EndsWith(name, kEnding)) continue;
    if (!found.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("several kernels: ", found, ", ", name));
    }
    found = name;
  }
  if (!found.empty()) return found;
  return absl::InvalidArgumentError(
      absl::StrCat("no symbol ends with ", kEnding, ": not made by `alt compile`"));
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
  ALT_ASSIGN_OR_RETURN(const std::string file, base::ReadFile(options.library));
  ALT_ASSIGN_OR_RETURN(const std::string symbol, FindMetadata(file));
  ALT_ASSIGN_OR_RETURN(const auto library, Library::Open(options.library));
  ALT_ASSIGN_OR_RETURN(const char* metadata, library->Find<const char*>(symbol));
  ALT_ASSIGN_OR_RETURN(const ExportDescription kernel, ReadMetadata(metadata));
  ALT_RETURN_IF_ERROR(CheckRunsHere(kernel.target));
  if (kernel.tensors.empty() || kernel.tensors.back().role != "output") {
    return absl::InvalidArgumentError("the metadata names no output");
  }
  std::map<std::string, Memory> tensors;
  base::Random random(options.seed);
  for (const ExportedTensor& tensor : kernel.tensors) {
    const int64_t n = Elements(tensor.plain_shape);
    Memory memory = Allocate(n);
    if (tensor.role != "output") {
      std::generate_n(memory.get(), n,
                      [&] { return static_cast<float>(2 * random.UnitDouble() - 1); });
    }
    tensors[tensor.name] = std::move(memory);
  }
  ALT_RETURN_IF_ERROR(RunReference(kernel, options, tensors));
  const ExportedTensor& output = kernel.tensors.back();
  const int64_t n = Elements(output.plain_shape);
  const Memory result = Allocate(n);
  ALT_RETURN_IF_ERROR(RunKernel(kernel, *library, tensors, result.get()));
  CheckReport report{.workload = workload::Print(kernel.workload)};
  Compare(tensors.at(output.name).get(), result.get(), n, report);
  return report;
}

}  // namespace alt::client
