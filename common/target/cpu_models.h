// All names that FindCpuModel (target.h) knows, for messages and tests.
#ifndef COMMON_TARGET_CPU_MODELS_H_
#define COMMON_TARGET_CPU_MODELS_H_

#include <string>
#include <vector>

#include "common/target/target.h"

namespace alt::target {

// Sorted.
std::vector<std::string> CpuModelNames();

}  // namespace alt::target

#endif  // COMMON_TARGET_CPU_MODELS_H_
