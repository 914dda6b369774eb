// Random modules that are legal by construction: every kind of statement, expression, buffer and
// vector access that code generators take. Numbers stay small integers (or multiples of 1/8), so
// that float arithmetic is exact and results compare bit for bit.
#ifndef TESTS_COMMON_CODEGEN_LLVM_RANDOM_MODULE_H_
#define TESTS_COMMON_CODEGEN_LLVM_RANDOM_MODULE_H_

#include <cstdint>

#include "common/ir/module.h"

namespace alt::testing {

ir::Module RandomModule(uint64_t seed);

}  // namespace alt::testing

#endif  // TESTS_COMMON_CODEGEN_LLVM_RANDOM_MODULE_H_
