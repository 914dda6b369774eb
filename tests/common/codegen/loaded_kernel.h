// A module compiled, linked and loaded into this process.
#ifndef TESTS_COMMON_CODEGEN_LOADED_KERNEL_H_
#define TESTS_COMMON_CODEGEN_LOADED_KERNEL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/codegen/codegen.h"
#include "common/codegen/link.h"
#include "common/ir/interpreter.h"
#include "common/ir/module.h"
#include "common/runtime/kernel_abi.h"

namespace alt::testing {

// The target of the machine that the test runs on.
target::Target HostCpu(int threads = 1);

// dlopens shared object bytes from a memfd; closed with the object.
class LoadedObject {
 public:
  static absl::StatusOr<LoadedObject> Load(const std::string& shared_object);
  LoadedObject(LoadedObject&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~LoadedObject();
  // Null when there is no such symbol.
  void* Find(const std::string& symbol) const;

 private:
  explicit LoadedObject(void* handle) : handle_(handle) {}
  void* handle_;
};

class LoadedKernel {
 public:
  static absl::StatusOr<std::unique_ptr<LoadedKernel>> Create(const ir::Module& module,
                                                              const target::Target& target);

  const runtime::Artifact& artifact() const { return artifact_; }
  const LoadedObject& object() const { return object_; }
  alt_kernel entry() const { return entry_; }

  // Runs on memory as ir::Interpret does; parameters are converted to their element type and back.
  void Run(const ir::Function& f, ir::Memory& memory, alt_pool* pool = nullptr) const;

 private:
  LoadedKernel(runtime::Artifact artifact, LoadedObject object, alt_kernel entry)
      : artifact_(std::move(artifact)), object_(std::move(object)), entry_(entry) {}
  runtime::Artifact artifact_;
  LoadedObject object_;
  alt_kernel entry_;
};

// Memory that is 64-byte aligned, as kernels demand.
class AlignedBytes {
 public:
  explicit AlignedBytes(size_t size);
  void* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<void, Free> data_;
};

}  // namespace alt::testing

#endif  // TESTS_COMMON_CODEGEN_LOADED_KERNEL_H_
