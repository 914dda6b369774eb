#include "common/codegen/llvm/llvm_codegen.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "common/target/cpu_models.h"
#include "tests/common/codegen/kernels.h"
#include "tests/common/codegen/loaded_kernel.h"
#include "tests/testing/status_matchers.h"

namespace alt::testing {
namespace {

using absl::StatusCode;
using codegen::CreateLlvmCodegen;

const target::Target kZen4{.mcpu = "znver4", .vec_bits = 512};

ir::Module Small() { return Gemm(8, 32, 4, {.rows = 4, .vectors = 2}); }

TEST(LlvmCodegenTest, TargetMustBeAKnownCpu) {
  EXPECT_TRUE(StatusIs(CreateLlvmCodegen({.kind = target::TargetKind::kCuda, .mcpu = "sm_90"}),
                       StatusCode::kInvalidArgument, "not a CPU"));
  EXPECT_TRUE(
      StatusIs(CreateLlvmCodegen({.mcpu = "z80"}), StatusCode::kInvalidArgument, "unknown CPU"));
}

TEST(LlvmCodegenTest, EveryCpuOfOurTableIsKnownToLlvm) {
  for (const std::string& name : target::CpuModelNames()) {
    EXPECT_TRUE(IsOk(CreateLlvmCodegen({.mcpu = name}))) << name;
  }
}

TEST(LlvmCodegenTest, ArtifactNamesTheKernel) {
  ALT_ASSERT_OK_AND_ASSIGN(auto codegen, CreateLlvmCodegen(kZen4));
  ALT_ASSERT_OK_AND_ASSIGN(runtime::Artifact artifact, codegen->Compile(Small()));
  EXPECT_EQ(artifact.name, "gemm");
  EXPECT_EQ(artifact.workspace_bytes, 0);
  EXPECT_EQ(artifact.object.substr(1, 3), "ELF");
  EXPECT_GT(artifact.facts.code_bytes, 100);
}

TEST(LlvmCodegenTest, WorkspaceIsThatOfTheHungriestFunction) {
  ir::Buffer y = ir::MakeBuffer("y", {4});
  ir::Module module;
  for (int64_t floats : {5000, 9000, 6000}) {
    ir::Buffer t = ir::MakeBuffer("t", {floats}, ir::kF32, ir::Scope::kLocal);
    module.functions.push_back(
        {"f" + std::to_string(floats), {y}, ir::Allocate(t, ir::Store(t, {0}, ir::FloatImm(1)))});
  }
  ALT_ASSERT_OK_AND_ASSIGN(auto codegen, CreateLlvmCodegen(kZen4));
  ALT_ASSERT_OK_AND_ASSIGN(runtime::Artifact artifact, codegen->Compile(module));
  EXPECT_EQ(artifact.workspace_bytes, 36032);  // 9000 floats, to 64 bytes
  EXPECT_EQ(artifact.name, "f5000");
}

TEST(LlvmCodegenTest, SameModuleGivesTheSameBytesOnEveryThread) {
  ALT_ASSERT_OK_AND_ASSIGN(auto codegen,
                           CreateLlvmCodegen({.mcpu = "znver4", .vec_bits = 512, .threads = 2}));
  std::vector<std::string> objects(6);
  std::vector<std::thread> threads;
  for (std::string& object : objects) {
    threads.emplace_back([&] {
      // Built anew: buffers and variables lie elsewhere in memory.
      auto artifact =
          codegen->Compile(DirectConv({.channels = 32, .size = 14}, {}, ir::ForKind::kParallel));
      object = artifact.ok() ? artifact->object : artifact.status().ToString();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& object : objects) EXPECT_TRUE(object == objects[0]);
  EXPECT_EQ(objects[0].substr(1, 3), "ELF");
}

TEST(LlvmCodegenTest, TextsAreForPeople) {
  ALT_ASSERT_OK_AND_ASSIGN(auto codegen, CreateLlvmCodegen(kZen4));
  ALT_ASSERT_OK_AND_ASSIGN(std::string assembly, codegen->Assembly(Small()));
  EXPECT_TRUE(absl::StrContains(assembly, "gemm_run:")) << assembly;
  EXPECT_TRUE(absl::StrContains(assembly, "vfmadd231ps")) << assembly;
  ALT_ASSERT_OK_AND_ASSIGN(std::string ir, codegen->LlvmIr(Small()));
  EXPECT_TRUE(absl::StrContains(ir, "define void @gemm_call(")) << ir;
}

TEST(LlvmCodegenTest, LoopsAreMarkedAsDone) {
  ALT_ASSERT_OK_AND_ASSIGN(auto codegen, CreateLlvmCodegen(kZen4));
  ALT_ASSERT_OK_AND_ASSIGN(std::string ir, codegen->LlvmIr(Small()));
  EXPECT_TRUE(absl::StrContains(ir, "llvm.loop.unroll.disable")) << ir;
  EXPECT_TRUE(absl::StrContains(ir, "llvm.loop.vectorize.enable")) << ir;
}

TEST(LlvmCodegenTest, ArmIsGeneratedFromTheSameModule) {
  ALT_ASSERT_OK_AND_ASSIGN(auto codegen,
                           CreateLlvmCodegen({.mcpu = "neoverse-n1", .vec_bits = 128}));
  ALT_ASSERT_OK_AND_ASSIGN(
      std::string assembly,
      codegen->Assembly(Gemm(8, 32, 4, {.rows = 4, .vectors = 2, .lanes = 4})));
  EXPECT_TRUE(absl::StrContains(assembly, "fmla")) << assembly;
}

TEST(LlvmCodegenTest, BadModulesAreRefusedByName) {
  ALT_ASSERT_OK_AND_ASSIGN(auto codegen, CreateLlvmCodegen(kZen4));
  ir::Var v = ir::MakeVar("v");
  ir::Buffer y = ir::MakeBuffer("y", {4});
  const ir::Module module{
      {{"f", {y}, ir::For(v, 0, 4, ir::ForKind::kVectorized, ir::Store(y, {v}, ir::FloatImm(1)))}}};
  for (const absl::Status& status :
       {codegen->Compile(module).status(), codegen->Assembly(module).status(),
        codegen->LlvmIr(module).status()}) {
    EXPECT_TRUE(StatusIs(status, StatusCode::kInvalidArgument, "compile f: loop v"));
  }
}

}  // namespace
}  // namespace alt::testing
