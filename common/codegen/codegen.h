#ifndef COMMON_CODEGEN_CODEGEN_H_
#define COMMON_CODEGEN_CODEGEN_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "common/ir/module.h"
#include "common/runtime/artifact.h"
#include "common/target/target.h"

namespace alt::codegen {

enum class LibraryForm { kObject, kAssembly, kLlvmIr };

struct LibraryOptions {
  bool check_alignment = true;
  std::string text_symbol;
  // The text, without its closing zero; asked for once it is known how many bytes of workspace a
  // thread needs.
  std::function<std::string(int64_t workspace_bytes)> text;
};

struct Library {
  std::string contents;         // of an ELF object, or text
  int64_t workspace_bytes = 0;  // for each thread
};

inline constexpr int kUnaligned = 1;

// Compiles lowered modules for one target. Thread-safe: Compile may be called at once from several
// threads.
class Codegen {
 public:
  virtual ~Codegen() = default;

  // Compiles every function of the module. Loops of kind vectorized or unrolled must be gone
  // (InvalidArgument). Errors are the code generator's own failures, with its message.
  virtual absl::StatusOr<runtime::Artifact> Compile(const ir::Module& module) = 0;

  // Text of the compiled module, for people.
  virtual absl::StatusOr<std::string> Assembly(const ir::Module& module) = 0;
  virtual absl::StatusOr<std::string> LlvmIr(const ir::Module& module) = 0;

  // The module for programs that are not ours. It exports, in every form the same:
  //   int32_t <kernel>_run(T* param0, ..., void* workspace, alt_pool* pool)   functions[0]
  //   int32_t <kernel>_call(void* const* params, void* workspace, alt_pool* pool)
  //   void <function>(T* param0, ..., void* workspace, alt_pool* pool)        each of the others
  //   const char <text_symbol>[]
  // The kernel's two return 0; kUnaligned, having done nothing, when they check and a pointer is
  // not aligned as the function wants it.
  virtual absl::StatusOr<Library> Export(const ir::Module& module, const LibraryOptions& options,
                                         LibraryForm form) = 0;
};

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_CODEGEN_H_
