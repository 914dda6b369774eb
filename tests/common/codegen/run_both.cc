#include "tests/common/codegen/run_both.h"

#include "common/base/random.h"
#include "common/ir/interpreter.h"
#include "common/ir/printer.h"
#include "tests/common/codegen/loaded_kernel.h"

namespace alt::testing {
namespace {

ir::Memory RandomMemory(const ir::Function& f, uint64_t seed) {
  base::Random random(seed);
  ir::Memory memory;
  for (const ir::Buffer& param : f.params) {
    std::vector<double>& values = memory[param.get()];
    values.resize(static_cast<size_t>(ir::NumElements(*param) * param->dtype.lanes));
    const int64_t low = param->dtype.is_float() ? -4 : 0;
    const int64_t high = param->dtype.scalar == ir::ScalarType::kBool ? 1 : 4;
    for (double& value : values) value = static_cast<double>(random.UniformInt(low, high));
  }
  return memory;
}

}  // namespace

::testing::AssertionResult RunsAsInterpreted(const ir::Module& module, const target::Target& target,
                                             alt_pool* pool, uint64_t seed) {
  const ir::Function& f = module.functions[0];
  ir::Memory expected = RandomMemory(f, seed);
  ir::Memory actual = expected;
  absl::Status status = ir::Interpret(f, expected);
  const auto kernel = LoadedKernel::Create(module, target);
  status.Update(kernel.status());
  if (!status.ok()) {
    return ::testing::AssertionFailure() << status.ToString() << "\n" << ir::Print(module);
  }
  (*kernel)->Run(f, actual, pool);
  for (const ir::Buffer& param : f.params) {
    const std::vector<double>& want = expected.at(param.get());
    const std::vector<double>& got = actual.at(param.get());
    for (size_t i = 0; i < want.size(); ++i) {
      if (want[i] == got[i]) continue;
      return ::testing::AssertionFailure() << param->name << " number " << i << " is " << got[i]
                                           << ", interpreted " << want[i] << "\n"
                                           << ir::Print(module);
    }
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult RunsAsInterpreted(const ir::Module& module) {
  return RunsAsInterpreted(module, HostCpu());
}

}  // namespace alt::testing
