// How long lowering takes for the candidates written by hand. Targets
// (docs/architecture.md#lowering): LowerToLoops of a convolution takes at most 0.2 ms in a release
// build.
//
//   build/release/bin/tests/lower_perf
#include <benchmark/benchmark.h>

#include <string>

#include "common/base/check.h"
#include "common/base/file.h"
#include "common/lower/lower.h"
#include "tests/testing/paths.h"

namespace alt::lower {
namespace {

workload::CandidateFile ReadCandidate(const std::string& name) {
  auto text = base::ReadFile(testing::SourceDir() + "/tests/perf/candidates/" + name + ".alt");
  ALT_CHECK_OK(text);
  auto file = workload::ParseCandidateFile(*text);
  ALT_CHECK_OK(file);
  return *std::move(file);
}

void BM_LowerToLoops(benchmark::State& state, const std::string& name) {
  const workload::CandidateFile file = ReadCandidate(name);
  for (auto _ : state) {
    benchmark::DoNotOptimize(LowerToLoops(file.workload, file.candidate));
  }
}

void BM_Lower(benchmark::State& state, const std::string& name) {
  const workload::CandidateFile file = ReadCandidate(name);
  target::Target target;
  target.vec_bits = 512;
  for (auto _ : state) {
    benchmark::DoNotOptimize(Lower(file.workload, file.candidate, target));
  }
}

}  // namespace
}  // namespace alt::lower

int main(int argc, char** argv) {
  for (const char* name : {"matmul", "direct_conv3x3", "grouped", "depthwise", "winograd"}) {
    benchmark::RegisterBenchmark((std::string("LowerToLoops/") + name).c_str(),
                                 alt::lower::BM_LowerToLoops, std::string(name))
        ->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark((std::string("Lower/") + name).c_str(), alt::lower::BM_Lower,
                                 std::string(name))
        ->Unit(benchmark::kMicrosecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
