#include "tests/common/codegen/loaded_kernel.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/target/host.h"

namespace alt::testing {
namespace {

// Element-wise conversion between the interpreter's doubles and memory.
template <typename T>
void ToMemory(const std::vector<double>& values, void* memory) {
  for (size_t i = 0; i < values.size(); ++i) static_cast<T*>(memory)[i] = static_cast<T>(values[i]);
}
template <typename T>
void FromMemory(const void* memory, std::vector<double>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(static_cast<const T*>(memory)[i]);
  }
}

void Convert(ir::ScalarType type, bool to_memory, void* memory, std::vector<double>& values) {
  switch (type) {
    case ir::ScalarType::kBool:
      return to_memory ? ToMemory<uint8_t>(values, memory) : FromMemory<uint8_t>(memory, values);
    case ir::ScalarType::kIndex:
      return to_memory ? ToMemory<int64_t>(values, memory) : FromMemory<int64_t>(memory, values);
    case ir::ScalarType::kF32:
      return to_memory ? ToMemory<float>(values, memory) : FromMemory<float>(memory, values);
    case ir::ScalarType::kF64:
      return to_memory ? ToMemory<double>(values, memory) : FromMemory<double>(memory, values);
  }
}

const std::string& Linker() {
  static const std::string* linker = [] {
    const char* path = std::getenv("PATH");
    auto found = codegen::FindLinker(path == nullptr ? "/usr/bin" : path);
    ALT_CHECK_OK(found);
    return new std::string(*found);
  }();
  return *linker;
}

}  // namespace

target::Target HostCpu(int threads) { return target::HostTarget(threads); }

AlignedBytes::AlignedBytes(size_t size)
    : data_(std::aligned_alloc(64, (size + 63) / 64 * 64 + 64)) {
  ALT_CHECK(data_ != nullptr);
}
void AlignedBytes::Free::operator()(void* p) const { std::free(p); }

absl::StatusOr<LoadedObject> LoadedObject::Load(const std::string& shared_object) {
  ALT_ASSIGN_OR_RETURN(const base::UniqueFd fd, base::MemoryFile("kernel", shared_object));
  void* handle = dlopen(absl::StrCat("/proc/self/fd/", fd.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return absl::InternalError(dlerror());
  return LoadedObject(handle);
}

LoadedObject::~LoadedObject() {
  if (handle_ != nullptr) dlclose(handle_);
}

void* LoadedObject::Find(const std::string& symbol) const { return dlsym(handle_, symbol.c_str()); }

absl::StatusOr<std::unique_ptr<LoadedKernel>> LoadedKernel::Create(const ir::Module& module,
                                                                   const target::Target& target) {
  ALT_ASSIGN_OR_RETURN(auto codegen, codegen::CreateLlvmCodegen(target));
  ALT_ASSIGN_OR_RETURN(runtime::Artifact artifact, codegen->Compile(module));
  ALT_ASSIGN_OR_RETURN(const std::string linked,
                       codegen::LinkSharedObject(artifact.object, {.linker = Linker()}));
  ALT_ASSIGN_OR_RETURN(LoadedObject object, LoadedObject::Load(linked));
  auto entry = reinterpret_cast<alt_kernel>(object.Find(artifact.name + "_call"));
  if (entry == nullptr) return absl::InternalError("no entry point");
  return std::unique_ptr<LoadedKernel>(
      new LoadedKernel(std::move(artifact), std::move(object), entry));
}

void LoadedKernel::Run(const ir::Function& f, ir::Memory& memory, alt_pool* pool) const {
  std::vector<AlignedBytes> buffers;
  std::vector<void*> params;
  for (const ir::Buffer& param : f.params) {
    std::vector<double>& values = memory.at(param.get());
    buffers.emplace_back(values.size() * static_cast<size_t>(ir::ScalarBytes(param->dtype.scalar)));
    params.push_back(buffers.back().data());
    Convert(param->dtype.scalar, /*to_memory=*/true, params.back(), values);
  }
  const int threads = pool == nullptr ? 1 : pool->threads;
  const AlignedBytes workspace(static_cast<size_t>(artifact_.workspace_bytes * threads));
  // Whatever a kernel reads before it writes must not look like a zero.
  std::memset(workspace.data(), 0xff, static_cast<size_t>(artifact_.workspace_bytes * threads));
  entry_(params.data(), workspace.data(), pool);
  for (size_t i = 0; i < params.size(); ++i) {
    Convert(f.params[i]->dtype.scalar, /*to_memory=*/false, params[i],
            memory.at(f.params[i].get()));
  }
}

}  // namespace alt::testing
