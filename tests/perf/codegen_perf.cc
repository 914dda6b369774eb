// How long kernels take to compile and to run.
//
//   codegen_perf                          all
//   codegen_perf --benchmark_filter=run   share of the FMA peak (measured in turns)
//   codegen_perf --asm=conv_14x2          the assembly, --ir=... the LLVM IR
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/base/check.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/runtime/cpu/fma_anchor.h"
#include "tests/common/codegen/kernels.h"
#include "tests/common/codegen/loaded_kernel.h"

namespace alt::testing {
namespace {

struct Subject {
  ir::Module module;
  double flops;
};

void AddTiles(std::map<std::string, Subject>& subjects) {
  const int tiles[][3] = {{14, 2, 56}, {12, 2, 48}, {8, 2, 56}, {6, 4, 54}, {8, 3, 48}, {9, 3, 54}};
  for (const auto& t : tiles) {
    for (int unroll : {1, 2, 4}) {
      const int64_t channels = t[1] == 3 ? 48 : 64;
      const int64_t size = t[2];
      const std::string name =
          absl::StrCat("conv_", t[0], "x", t[1], unroll > 1 ? absl::StrCat("_u", unroll) : "");
      subjects[name] = {DirectConv({.channels = channels, .size = size},
                                   {.rows = t[0], .vectors = t[1], .unroll = unroll}),
                        2.0 * 9 * channels * channels * size * size};
    }
  }
}

const std::map<std::string, Subject>& Subjects() {
  static const auto* subjects = [] {
    auto* s = new std::map<std::string, Subject>;
    AddTiles(*s);
    const double gemm = 2.0 * 512 * 512 * 512;
    (*s)["gemm_8x2"] = {Gemm(512, 512, 512, {.rows = 8, .vectors = 2}), gemm};
    (*s)["gemm_8x2_u2"] = {Gemm(512, 512, 512, {.rows = 8, .vectors = 2, .unroll = 2}), gemm};
    (*s)["gemm_6x4"] = {Gemm(510, 512, 512, {.rows = 6, .vectors = 4}), gemm * 510 / 512};
    const double depthwise = 2.0 * 9 * 144 * 56 * 56;
    (*s)["depthwise_7x1"] = {Depthwise(144, 56, 7, 1, 16), depthwise};
    (*s)["depthwise_7x2"] = {Depthwise(144, 56, 7, 2, 16), depthwise};
    (*s)["depthwise_14x2"] = {Depthwise(144, 56, 14, 2, 16), depthwise};
    (*s)["depthwise_4x4"] = {Depthwise(144, 56, 4, 4, 16), depthwise};
    const double grouped = 2.0 * 9 * 128 * 4 * 56 * 56;
    (*s)["group_vector_2"] = {GroupVector(32, 4, 56, 2, 16), grouped};
    (*s)["group_vector_4"] = {GroupVector(32, 4, 56, 4, 16), grouped};
    (*s)["group_permute_7"] = {GroupPermute(128, 56, 7, 16), grouped};
    return s;
  }();
  return *subjects;
}

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Compile(benchmark::State& state, const Subject& subject) {
  auto codegen = codegen::CreateLlvmCodegen(HostCpu());
  ALT_CHECK_OK(codegen);
  for (auto _ : state) benchmark::DoNotOptimize((*codegen)->Compile(subject.module));
}

// Kernel and anchor in turns; the share is that of the fastest runs of each.
void RunKernel(benchmark::State& state, const Subject& subject) {
  auto kernel = LoadedKernel::Create(subject.module, HostCpu());
  ALT_CHECK_OK(kernel);
  std::vector<AlignedBytes> buffers;
  std::vector<void*> params;
  for (const ir::Buffer& param : subject.module.functions[0].params) {
    const auto floats = static_cast<size_t>(ir::NumElements(*param));
    buffers.emplace_back(floats * sizeof(float));
    auto* data = static_cast<float*>(buffers.back().data());
    for (size_t i = 0; i < floats; ++i) data[i] = static_cast<float>(i % 7) - 3;
    params.push_back(data);
  }
  constexpr int64_t kAnchorSteps = 20000;  // about 0.1 ms
  const runtime::VectorKind kind = runtime::SupportedVectorKinds().front();
  double best = 1e9, peak = 0;
  auto run = [&] { (*kernel)->entry()(params.data(), nullptr, nullptr); };
  for (auto _ : state) {
    const double seconds = Seconds(run);
    best = std::min(best, seconds);
    double flops = 0;
    const double anchor = Seconds([&] { flops = runtime::RunFma(kind, kAnchorSteps); });
    peak = std::max(peak, flops / anchor * 1e-9);
    state.SetIterationTime(seconds);
  }
  state.counters["gflops"] = subject.flops / best * 1e-9;
  state.counters["share"] = subject.flops / best * 1e-9 / peak;
  const runtime::CodeFacts& facts = (*kernel)->artifact().facts;
  state.counters["fmas"] = static_cast<double>(facts.vector_fmas);
  state.counters["loads"] = static_cast<double>(facts.vector_loads);
  state.counters["spills"] = static_cast<double>(facts.spills);
  state.counters["inner_spills"] = static_cast<double>(facts.inner_loop_spills);
}

int Print(absl::string_view name, bool assembly) {
  auto codegen = codegen::CreateLlvmCodegen(HostCpu());
  ALT_CHECK_OK(codegen);
  const ir::Module& module = Subjects().at(std::string(name)).module;
  auto text = assembly ? (*codegen)->Assembly(module) : (*codegen)->LlvmIr(module);
  ALT_CHECK_OK(text);
  std::fputs(text->c_str(), stdout);
  return 0;
}

int Main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    if (absl::ConsumePrefix(&arg, "--asm=")) return Print(arg, true);
    if (absl::ConsumePrefix(&arg, "--ir=")) return Print(arg, false);
  }
  for (const auto& [name, subject] : Subjects()) {
    benchmark::RegisterBenchmark(("compile/" + name).c_str(), Compile, subject)
        ->Unit(benchmark::kMillisecond)
        ->Iterations(20);
    benchmark::RegisterBenchmark(("run/" + name).c_str(), RunKernel, subject)
        ->Unit(benchmark::kMicrosecond)
        ->UseManualTime()
        ->Iterations(60);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace alt::testing

int main(int argc, char** argv) { return alt::testing::Main(argc, argv); }
