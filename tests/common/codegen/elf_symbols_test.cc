#include "common/codegen/elf_symbols.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "common/codegen/llvm/llvm_codegen.h"
#include "tests/common/codegen/kernels.h"
#include "tests/common/codegen/loaded_kernel.h"
#include "tests/testing/status_matchers.h"

namespace alt::testing {
namespace {

using absl::StatusCode;

std::string GemmObject() {
  auto codegen = codegen::CreateLlvmCodegen(HostCpu(2));
  auto artifact = (*codegen)->Compile(Gemm(8, 16, 4, {.rows = 4, .vectors = 1}));
  return artifact.ok() ? artifact->object : "";
}

TEST(ElfSymbolsTest, KernelExportsTwoSymbolsAndNeedsNone) {
  ALT_ASSERT_OK_AND_ASSIGN(codegen::ElfSymbols symbols, codegen::ReadElfSymbols(GemmObject()));
  EXPECT_EQ(symbols.exported, (std::vector<std::string>{"gemm_call", "gemm_run"}));
  EXPECT_TRUE(symbols.undefined.empty());
}

TEST(ElfSymbolsTest, ASharedObjectHasTheSameSymbols) {
  ALT_ASSERT_OK_AND_ASSIGN(const std::string linker, codegen::FindLinker("/usr/bin:/bin"));
  ALT_ASSERT_OK_AND_ASSIGN(const std::string library,
                           codegen::LinkSharedObject(GemmObject(), {.linker = linker}));
  ALT_ASSERT_OK_AND_ASSIGN(codegen::ElfSymbols symbols, codegen::ReadElfSymbols(library));
  EXPECT_EQ(symbols.exported, (std::vector<std::string>{"gemm_call", "gemm_run"}));
}

TEST(ElfSymbolsTest, EveryCutIsAnErrorOrHarmless) {
  const std::string object = GemmObject();
  for (size_t size = 0; size < object.size(); size += 7) {
    auto symbols = codegen::ReadElfSymbols(object.substr(0, size));
    EXPECT_TRUE(symbols.ok() || StatusIs(symbols, StatusCode::kInvalidArgument));
  }
  EXPECT_TRUE(StatusIs(codegen::ReadElfSymbols(object.substr(0, 100)), StatusCode::kInvalidArgument,
                       "cut short"));
}

TEST(ElfSymbolsTest, OtherFilesAreRefusedWithTheReason) {
  EXPECT_TRUE(StatusIs(codegen::ReadElfSymbols(std::string(100, 'x')), StatusCode::kInvalidArgument,
                       "no ELF magic"));
  std::string object = GemmObject();
  object[EI_CLASS] = ELFCLASS32;
  EXPECT_TRUE(StatusIs(codegen::ReadElfSymbols(object), StatusCode::kInvalidArgument, "64 bits"));
  object = GemmObject();
  object[EI_DATA] = ELFDATA2MSB;
  EXPECT_TRUE(StatusIs(codegen::ReadElfSymbols(object), StatusCode::kInvalidArgument, "little"));
  object = GemmObject();
  object[16] = ET_CORE;
  EXPECT_TRUE(
      StatusIs(codegen::ReadElfSymbols(object), StatusCode::kInvalidArgument, "relocatable"));
}

}  // namespace
}  // namespace alt::testing
