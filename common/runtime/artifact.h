#ifndef COMMON_RUNTIME_ARTIFACT_H_
#define COMMON_RUNTIME_ARTIFACT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace alt::runtime {

// Facts of the machine code of one kernel, counted in its innermost hot loops and in all.
struct CodeFacts {
  int64_t code_bytes = 0;
  int64_t vector_fmas = 0;   // instructions, whole kernel
  int64_t vector_loads = 0;  // vector loads and broadcasts from memory, operands included
  int64_t spills = 0;        // vector registers stored to or loaded from the stack, whole kernel
  int64_t inner_loop_spills = 0;  // of those, inside innermost loops
  friend bool operator==(const CodeFacts&, const CodeFacts&) = default;
};

// Compiled code of a Module: an ELF relocatable object. Pure data.
struct Artifact {
  std::string object;
  // Symbol `<name>_call`: an alt_kernel (kernel_abi.h).
  // Symbol `<name>_run`:  void(T* param0, ..., void* workspace, alt_pool* pool).
  std::string name;
  int64_t workspace_bytes = 0;  // for each thread
  CodeFacts facts;
};

}  // namespace alt::runtime

#endif  // COMMON_RUNTIME_ARTIFACT_H_
