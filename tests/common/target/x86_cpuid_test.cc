#include "common/target/x86_cpuid.h"

#include <gtest/gtest.h>

#include <string>

#include "common/target/target.h"

namespace alt::target {
namespace {

// The signature of leaf 1 from family and model as the manuals name them.
uint32_t Signature(unsigned family, unsigned model) {
  const unsigned base = family > 0xf ? 0xf : family;
  return (family - base) << 20 | (model >> 4) << 16 | base << 8 | (model & 0xf) << 4;
}

// A machine with every feature that is looked at, and an operating system that saves all registers.
CpuidLeaves AllFeatures(const std::string& vendor, unsigned family, unsigned model) {
  CpuidLeaves leaves;
  leaves.vendor = vendor;
  leaves.leaf1 = {Signature(family, model), 0, ~0u, ~0u};
  leaves.leaf7 = {1, ~0u, ~0u, ~0u};
  leaves.leaf7_1 = {~0u, ~0u, ~0u, ~0u};
  leaves.extended1 = {0, 0, ~0u, ~0u};
  leaves.xcr0 = 0xe7;
  return leaves;
}

std::string Intel(unsigned model) { return McpuFromCpuid(AllFeatures("GenuineIntel", 6, model)); }
std::string Amd(unsigned family, unsigned model) {
  return McpuFromCpuid(AllFeatures("AuthenticAMD", family, model));
}

TEST(X86CpuidTest, NamesWellKnownMachines) {
  EXPECT_EQ(Intel(0x3f), "haswell");
  EXPECT_EQ(Intel(0x8e), "skylake");
  EXPECT_EQ(Intel(0x6a), "icelake-server");
  EXPECT_EQ(Intel(0x8f), "sapphirerapids");
  EXPECT_EQ(Amd(0x17, 0x01), "znver1");
  EXPECT_EQ(Amd(0x17, 0x31), "znver2");
  EXPECT_EQ(Amd(0x19, 0x01), "znver3");
  EXPECT_EQ(Amd(0x19, 0x11), "znver4");
  EXPECT_EQ(Amd(0x1a, 0x02), "znver5");
}

TEST(X86CpuidTest, OneNumberIsThreeGenerations) {
  CpuidLeaves leaves = AllFeatures("GenuineIntel", 6, 0x55);
  EXPECT_EQ(McpuFromCpuid(leaves), "cooperlake");
  leaves.leaf7_1.eax = 0;
  EXPECT_EQ(McpuFromCpuid(leaves), "cascadelake");
  leaves.leaf7.ecx = 0;
  EXPECT_EQ(McpuFromCpuid(leaves), "skylake-avx512");
}

TEST(X86CpuidTest, AnUnknownMachineGetsTheGenericNameOfItsFeatures) {
  CpuidLeaves leaves = AllFeatures("SomeVendor", 6, 1);
  EXPECT_EQ(McpuFromCpuid(leaves), "x86-64-v4");
  leaves.leaf7.ebx &= ~(1u << 16);  // AVX512F
  EXPECT_EQ(McpuFromCpuid(leaves), "x86-64-v3");
  leaves.leaf1.ecx &= ~(1u << 12);  // FMA
  EXPECT_EQ(McpuFromCpuid(leaves), "x86-64-v2");
  leaves.leaf1.ecx = 0;
  EXPECT_EQ(McpuFromCpuid(leaves), "x86-64");
}

TEST(X86CpuidTest, WhatAVirtualMachineHidesIsNotPromised) {
  CpuidLeaves leaves = AllFeatures("AuthenticAMD", 0x19, 0x11);
  leaves.leaf7_1.eax = 0;  // AVX512_BF16, which LLVM would use on znver4
  EXPECT_EQ(McpuFromCpuid(leaves), "x86-64-v4");
  leaves.leaf7.ebx &= ~(1u << 16);
  EXPECT_EQ(McpuFromCpuid(leaves), "x86-64-v3");
}

TEST(X86CpuidTest, RegistersThatAreNotSavedAreNotUsed) {
  CpuidLeaves leaves = AllFeatures("AuthenticAMD", 0x19, 0x11);
  leaves.xcr0 = 0x7;  // the lower 256 bits of 16 registers
  EXPECT_EQ(McpuFromCpuid(leaves), "x86-64-v3");
  leaves.xcr0 = 0x3;
  EXPECT_EQ(McpuFromCpuid(leaves), "x86-64-v2");
}

TEST(X86CpuidTest, EveryNameIsInTheTable) {
  for (unsigned model = 0; model < 256; ++model) {
    EXPECT_TRUE(FindCpuModel(Intel(model))) << Intel(model);
    for (unsigned family : {0x15u, 0x16u, 0x17u, 0x19u, 0x1au, 0x1bu}) {
      EXPECT_TRUE(FindCpuModel(Amd(family, model))) << Amd(family, model);
    }
  }
}

CpuidLeaves Zen4() {
  CpuidLeaves leaves = AllFeatures("AuthenticAMD", 0x19, 0x11);
  leaves.leaf7.edx = 0;  // AVX512_FP16
  return leaves;
}

CpuidLeaves Haswell() {
  CpuidLeaves leaves = AllFeatures("GenuineIntel", 6, 0x3f);
  leaves.leaf7.ebx &= ~(1u << 16);  // AVX512F
  return leaves;
}

TEST(CpuidRunsTest, CodeForLesserCpusRuns) {
  for (const char* mcpu : {"znver4", "x86-64-v4", "icelake-server", "cascadelake", "znver3",
                           "haswell", "sandybridge", "nehalem", "core2", "x86-64"}) {
    EXPECT_TRUE(CpuidRuns(Zen4(), mcpu)) << mcpu;
  }
  for (const char* mcpu : {"haswell", "x86-64-v3", "skylake", "znver1", "x86-64-v2"}) {
    EXPECT_TRUE(CpuidRuns(Haswell(), mcpu)) << mcpu;
  }
}

TEST(CpuidRunsTest, CodeWithOtherInstructionsDoesNot) {
  EXPECT_FALSE(CpuidRuns(Zen4(), "sapphirerapids"));
  for (const char* mcpu : {"znver4", "x86-64-v4", "skylake-avx512", "icelake-server"}) {
    EXPECT_FALSE(CpuidRuns(Haswell(), mcpu)) << mcpu;
  }
}

TEST(CpuidRunsTest, RegistersThatAreNotSavedAreNotThere) {
  CpuidLeaves leaves = Zen4();
  leaves.xcr0 = 0x7;
  EXPECT_FALSE(CpuidRuns(leaves, "znver4"));
  EXPECT_TRUE(CpuidRuns(leaves, "znver3"));
}

TEST(CpuidRunsTest, InstructionsOfOneMakerAndOtherArchitecturesRunNowhereElse) {
  for (const char* mcpu : {"bdver4", "knl", "neoverse-n1", "no-such-cpu"}) {
    EXPECT_FALSE(CpuidRuns(Zen4(), mcpu)) << mcpu;
  }
}

TEST(CpuidRunsTest, EveryMachineRunsCodeForItsOwnName) {
  for (unsigned model = 0; model < 256; ++model) {
    for (const uint64_t xcr0 : {0x3u, 0x7u, 0xe7u}) {
      CpuidLeaves leaves = AllFeatures("GenuineIntel", 6, model);
      leaves.xcr0 = xcr0;
      EXPECT_TRUE(CpuidRuns(leaves, McpuFromCpuid(leaves))) << McpuFromCpuid(leaves);
    }
  }
}

TEST(X86CpuidTest, ThisMachineHasAVendor) {
#if defined(__x86_64__)
  EXPECT_EQ(ReadCpuid().vendor.size(), 12u);
#else
  GTEST_SKIP() << "not an x86 machine";
#endif
}

}  // namespace
}  // namespace alt::target
