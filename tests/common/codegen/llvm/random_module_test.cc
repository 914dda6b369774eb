// Generated code computes what the interpreter computes.

#include "tests/common/codegen/llvm/random_module.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/common/codegen/llvm/serial_pool.h"
#include "tests/common/codegen/loaded_kernel.h"
#include "tests/common/codegen/run_both.h"

namespace alt::testing {
namespace {

TEST(RandomModuleTest, RunAsInterpretedOnThisMachine) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    ASSERT_TRUE(RunsAsInterpreted(RandomModule(seed), HostCpu(), nullptr, seed)) << "seed " << seed;
  }
}

TEST(RandomModuleTest, RunAsInterpretedOnThreads) {
  SerialPool pool(3);
  for (uint64_t seed = 1001; seed <= 1050; ++seed) {
    const ir::Module module = RandomModule(seed);
    ASSERT_TRUE(RunsAsInterpreted(module, HostCpu(3), pool.get(), seed)) << "seed " << seed;
    // Compiled for a pool, run without one.
    ASSERT_TRUE(RunsAsInterpreted(module, HostCpu(3), nullptr, seed)) << "seed " << seed;
  }
}

TEST(RandomModuleTest, RunAsInterpretedWithNarrowVectors) {
  if (HostCpu().vec_bits < 256) GTEST_SKIP() << "no AVX2";
  const target::Target targets[] = {{.mcpu = "haswell", .vec_bits = 256}, {.mcpu = "x86-64"}};
  for (uint64_t seed = 2001; seed <= 2050; ++seed) {
    ASSERT_TRUE(RunsAsInterpreted(RandomModule(seed), targets[seed % 2], nullptr, seed))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace alt::testing
