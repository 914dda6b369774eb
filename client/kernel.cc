#include "client/include/alt/kernel.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/kernel_export.h"
#include "client/loaded_library.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "common/codegen/elf_symbols.h"
#include "common/target/host.h"

namespace alt::client {
namespace {

using CallFunction = int32_t (*)(void* const*, void*, alt_pool*);
using PackFunction = void (*)(const float*, float*, void*, alt_pool*);

TensorRole RoleOf(absl::string_view name) {
  if (name == "output") return TensorRole::kOutput;
  return name == "constant" ? TensorRole::kConstant : TensorRole::kInput;
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

class LoadedKernel : public Kernel {
 public:
  LoadedKernel(ExportDescription description, std::unique_ptr<LoadedLibrary> library)
      : description_(std::move(description)), library_(std::move(library)) {}

  absl::Status Bind() {
    ALT_ASSIGN_OR_RETURN(call_, library_->Find<CallFunction>(description_.name + "_call"));
    for (const ExportedTensor& tensor : description_.tensors) {
      tensors_.push_back({tensor.name, RoleOf(tensor.role), tensor.plain_shape});
      Slot slot{.memory = AllocateFloats(Elements(tensor.shape))};
      // The output is only read: its layout keeps all its cells.
      const bool output = tensors_.back().role == TensorRole::kOutput;
      ALT_ASSIGN_OR_RETURN(slot.convert,
                           library_->Find<PackFunction>(output ? tensor.unpack : tensor.pack));
      params_.push_back(slot.memory.get());
      slots_.push_back(std::move(slot));
    }
    return absl::OkStatus();
  }

  const workload::Workload& workload() const override { return description_.workload; }
  const target::Target& target() const override { return description_.target; }
  const std::vector<KernelTensor>& tensors() const override { return tensors_; }

  absl::Status Pack(absl::string_view tensor, const float* plain) override {
    for (size_t i = 0; i + 1 < tensors_.size(); ++i) {
      if (tensors_[i].name != tensor) continue;
      slots_[i].convert(plain, slots_[i].memory.get(), Workspace(1), nullptr);
      slots_[i].filled = true;
      return absl::OkStatus();
    }
    return absl::NotFoundError(absl::StrCat("the kernel has no input '", tensor, "'"));
  }

  absl::Status Run(alt_pool* pool) override {
    for (size_t i = 0; i + 1 < slots_.size(); ++i) {
      if (slots_[i].filled) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("cannot run the kernel: ", tensors_[i].name, " was never packed"));
    }
    const int threads = pool == nullptr ? 1 : pool->threads;
    if (const int32_t code = call_(params_.data(), Workspace(threads), pool); code != 0) {
      return absl::InternalError(absl::StrCat(description_.name, "_call returns ", code));
    }
    slots_.back().filled = true;
    return absl::OkStatus();
  }

  absl::Status Unpack(float* plain) override {
    if (!slots_.back().filled) {
      return absl::FailedPreconditionError("cannot unpack the result: the kernel has not run");
    }
    slots_.back().convert(slots_.back().memory.get(), plain, Workspace(1), nullptr);
    return absl::OkStatus();
  }

 private:
  struct Slot {
    Floats memory;  // in the kernel's layout
    PackFunction convert = nullptr;
    bool filled = false;
  };

  void* Workspace(int threads) {
    if (threads > workspace_threads_) {
      workspace_ = AllocateFloats(threads * ((description_.workspace_bytes + 3) / 4));
      workspace_threads_ = threads;
    }
    return workspace_.get();
  }

  const ExportDescription description_;
  const std::unique_ptr<LoadedLibrary> library_;
  CallFunction call_ = nullptr;
  std::vector<KernelTensor> tensors_;
  std::vector<Slot> slots_;    // of tensors_
  std::vector<void*> params_;  // of slots_
  Floats workspace_;
  int workspace_threads_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Kernel>> Kernel::Load(const std::string& path) {
  ALT_ASSIGN_OR_RETURN(const std::string file, base::ReadFile(path));
  ALT_ASSIGN_OR_RETURN(const std::string symbol, FindMetadata(file));
  ALT_ASSIGN_OR_RETURN(auto library, LoadedLibrary::Open(path));
  ALT_ASSIGN_OR_RETURN(const char* metadata, library->Find<const char*>(symbol));
  ALT_ASSIGN_OR_RETURN(ExportDescription description, ReadMetadata(metadata));
  if (!target::HostRuns(description.target)) {
    return absl::UnimplementedError(absl::StrCat(
        "the kernel is for ", target::PrintTarget(description.target), ", this machine is ",
        target::PrintTarget(target::HostTarget(description.target.threads))));
  }
  if (description.tensors.empty() || description.tensors.back().role != "output") {
    return absl::InvalidArgumentError("the metadata names no output");
  }
  auto kernel = std::make_unique<LoadedKernel>(std::move(description), std::move(library));
  ALT_RETURN_IF_ERROR(kernel->Bind());
  return kernel;
}

}  // namespace alt::client
