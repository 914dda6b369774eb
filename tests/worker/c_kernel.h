// Kernels written in C, compiled while the test runs: candidates that misbehave in every way.
#ifndef TESTS_WORKER_C_KERNEL_H_
#define TESTS_WORKER_C_KERNEL_H_

#include <string>

namespace alt::testing {

// The bytes of a shared object with the function
//   void kernel_call(void* const* params, void* workspace, struct alt_pool* pool) { body }
// `prologue` stands before it. Compiled by `cc -O1`, once for each text; a failure stops the test
// program.
std::string CompileCKernel(const std::string& body, const std::string& prologue = "");
// The same as a relocatable object: what a code generator returns.
std::string CompileCObject(const std::string& body, const std::string& prologue = "");

inline constexpr char kCKernelSymbol[] = "kernel_call";

}  // namespace alt::testing

#endif  // TESTS_WORKER_C_KERNEL_H_
