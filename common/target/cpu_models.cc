// The table of CPU names: those of `llc -mcpu=help` in LLVM 19 for 64-bit x86, and Arm's servers.
#include "common/target/cpu_models.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace alt::target {
namespace {

constexpr auto kX86 = CpuModel::Arch::kX86;
constexpr auto kArm64 = CpuModel::Arch::kArm64;

struct NamedModel {
  const char* name;
  CpuModel model;
};

// Sorted by name.
constexpr NamedModel kModels[] = {
    {"alderlake", {kX86, 256, true}},
    {"ampere1", {kArm64, 128, true}},
    {"apple-m1", {kArm64, 128, true}},
    {"apple-m2", {kArm64, 128, true}},
    {"apple-m3", {kArm64, 128, true}},
    {"arrowlake", {kX86, 256, true}},
    {"arrowlake-s", {kX86, 256, true}},
    {"bdver1", {kX86, 256, false}},
    {"bdver2", {kX86, 256, true}},
    {"bdver3", {kX86, 256, true}},
    {"bdver4", {kX86, 256, true}},
    {"bonnell", {kX86, 128, false}},
    {"broadwell", {kX86, 256, true}},
    {"btver2", {kX86, 256, false}},
    {"cannonlake", {kX86, 512, true}},
    {"cascadelake", {kX86, 512, true}},
    {"clearwaterforest", {kX86, 256, true}},
    {"cooperlake", {kX86, 512, true}},
    {"core2", {kX86, 128, false}},
    {"cortex-a72", {kArm64, 128, true}},
    {"cortex-a76", {kArm64, 128, true}},
    {"emeraldrapids", {kX86, 512, true}},
    {"generic", {kArm64, 128, true}},
    {"goldmont", {kX86, 128, false}},
    {"goldmont-plus", {kX86, 128, false}},
    {"gracemont", {kX86, 256, true}},
    {"grandridge", {kX86, 256, true}},
    {"graniterapids", {kX86, 512, true}},
    {"graniterapids-d", {kX86, 512, true}},
    {"haswell", {kX86, 256, true}},
    {"icelake-client", {kX86, 512, true}},
    {"icelake-server", {kX86, 512, true}},
    {"ivybridge", {kX86, 256, false}},
    {"knl", {kX86, 512, true}},
    {"knm", {kX86, 512, true}},
    {"lunarlake", {kX86, 256, true}},
    {"meteorlake", {kX86, 256, true}},
    {"nehalem", {kX86, 128, false}},
    {"neoverse-n1", {kArm64, 128, true}},
    {"neoverse-n2", {kArm64, 128, true}},
    {"neoverse-v1", {kArm64, 128, true}},
    {"neoverse-v2", {kArm64, 128, true}},
    {"pantherlake", {kX86, 256, true}},
    {"penryn", {kX86, 128, false}},
    {"raptorlake", {kX86, 256, true}},
    {"rocketlake", {kX86, 512, true}},
    {"sandybridge", {kX86, 256, false}},
    {"sapphirerapids", {kX86, 512, true}},
    {"sierraforest", {kX86, 256, true}},
    {"silvermont", {kX86, 128, false}},
    {"skylake", {kX86, 256, true}},
    {"skylake-avx512", {kX86, 512, true}},
    {"tigerlake", {kX86, 512, true}},
    {"tremont", {kX86, 128, false}},
    {"westmere", {kX86, 128, false}},
    {"x86-64", {kX86, 128, false}},
    {"x86-64-v2", {kX86, 128, false}},
    {"x86-64-v3", {kX86, 256, true}},
    {"x86-64-v4", {kX86, 512, true}},
    {"znver1", {kX86, 256, true}},
    {"znver2", {kX86, 256, true}},
    {"znver3", {kX86, 256, true}},
    {"znver4", {kX86, 512, true}},
    {"znver5", {kX86, 512, true}},
};

}  // namespace

std::optional<CpuModel> FindCpuModel(absl::string_view mcpu) {
  const auto* found = std::find_if(std::begin(kModels), std::end(kModels),
                                   [&](const NamedModel& model) { return model.name == mcpu; });
  if (found == std::end(kModels)) return std::nullopt;
  return found->model;
}

std::vector<std::string> CpuModelNames() {
  std::vector<std::string> names;
  for (const NamedModel& model : kModels) names.emplace_back(model.name);
  return names;
}

}  // namespace alt::target
