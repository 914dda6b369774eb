// The check that most tests of code generation end with.
#ifndef TESTS_COMMON_CODEGEN_RUN_BOTH_H_
#define TESTS_COMMON_CODEGEN_RUN_BOTH_H_

#include <gtest/gtest.h>

#include "common/ir/module.h"
#include "common/runtime/kernel_abi.h"
#include "common/target/target.h"

namespace alt::testing {

// Runs functions[0] by ir::Interpret and as compiled for `target`, on the same parameters of small
// random integers (indices are not negative), and compares all parameters afterwards, bit for bit.
::testing::AssertionResult RunsAsInterpreted(const ir::Module& module, const target::Target& target,
                                             alt_pool* pool = nullptr, uint64_t seed = 1);
// On this machine, with one thread.
::testing::AssertionResult RunsAsInterpreted(const ir::Module& module);

}  // namespace alt::testing

#endif  // TESTS_COMMON_CODEGEN_RUN_BOTH_H_
