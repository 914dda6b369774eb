#include "common/target/x86_cpuid.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "common/target/target.h"

namespace alt::target {
namespace {

// The signature of leaf 1 from family and model as the manuals name them.
uint32_t Signature(unsigned family, unsigned model) {
  const unsigned base = family > 0xf ? 0xf : family;
  return (family - base) << 20 | (model >> 4) << 16 | base << 8 | (model & 0xf) << 4;
}

// What a CPU of some generation can do, as the bits of CPUID. Each adds to the one before, unless
// it says otherwise.
enum Level { kV1, kV2, kV3, kV4, kVnni, kIceLake, kZen4, kSapphireRapids, kGraniteRapids };

void Set(uint32_t& word, std::initializer_list<int> bits) {
  for (const int bit : bits) word |= 1u << bit;
}

CpuidLeaves Machine(const std::string& vendor, unsigned family, unsigned model, Level level) {
  CpuidLeaves leaves;
  leaves.vendor = vendor;
  leaves.leaf1.eax = Signature(family, model);
  leaves.leaf7.eax = 1;
  leaves.xcr0 = 0x7;
  uint32_t& b7 = leaves.leaf7.ebx;
  if (level >= kV2) Set(leaves.leaf1.ecx, {0, 9, 13, 19, 20, 23});
  if (level >= kV3) {
    Set(leaves.leaf1.ecx, {12, 22, 27, 28, 29});
    Set(b7, {3, 5, 8});
    Set(leaves.extended1.ecx, {5});
  }
  if (level >= kV4) {
    Set(b7, {16, 17, 28, 30, 31});
    leaves.xcr0 = 0xe7;
  }
  if (level >= kVnni) Set(leaves.leaf7.ecx, {11});
  if (level >= kIceLake) {
    Set(leaves.leaf7.ecx, {1, 6, 12, 14});
    Set(b7, {21});
  }
  if (level >= kZen4) Set(leaves.leaf7_1.eax, {5});
  if (level >= kSapphireRapids) {
    Set(leaves.leaf7.edx, {22, 23, 24, 25});
    Set(leaves.leaf7_1.eax, {4});
  }
  if (level >= kGraniteRapids) Set(leaves.leaf7_1.eax, {21});
  return leaves;
}
CpuidLeaves Intel(unsigned model, Level level) { return Machine("GenuineIntel", 6, model, level); }
CpuidLeaves Amd(unsigned family, unsigned model, Level level) {
  return Machine("AuthenticAMD", family, model, level);
}

TEST(X86CpuidTest, NamesWellKnownMachines) {
  const struct {
    CpuidLeaves leaves;
    const char* mcpu;
  } kMachines[] = {
      {Intel(0x1a, kV2), "nehalem"},
      {Intel(0x3f, kV3), "haswell"},
      {Intel(0x8e, kV3), "skylake"},
      {Intel(0x97, kV3), "alderlake"},
      {Intel(0x55, kV4), "skylake-avx512"},
      {Intel(0x55, kVnni), "cascadelake"},
      {Intel(0xa7, kIceLake), "rocketlake"},
      {Intel(0x8c, kIceLake), "tigerlake"},
      {Intel(0x6a, kIceLake), "icelake-server"},
      {Intel(0x8f, kSapphireRapids), "sapphirerapids"},
      {Intel(0xcf, kSapphireRapids), "emeraldrapids"},
      {Intel(0xad, kGraniteRapids), "graniterapids"},
      {Amd(0x17, 0x01, kV3), "znver1"},
      {Amd(0x17, 0x31, kV3), "znver2"},
      {Amd(0x19, 0x01, kV3), "znver3"},
      {Amd(0x19, 0x11, kZen4), "znver4"},
      {Amd(0x1a, 0x02, kZen4), "znver5"},
  };
  for (const auto& machine : kMachines) {
    EXPECT_EQ(McpuFromCpuid(machine.leaves), machine.mcpu) << ChooseMcpu(machine.leaves).why;
  }
}

TEST(X86CpuidTest, CooperLakeIsCascadeLakeWithBfloat16) {
  CpuidLeaves leaves = Intel(0x55, kVnni);
  Set(leaves.leaf7_1.eax, {5});
  EXPECT_EQ(McpuFromCpuid(leaves), "cooperlake");
}

TEST(X86CpuidTest, FeaturesDecideWhereTheModelNumberDoesNotFitThem) {
  // As virtual machines were seen to say, or may.
  const struct {
    CpuidLeaves leaves;
    const char* mcpu;
  } kMachines[] = {
      {Intel(0xa7, kSapphireRapids), "sapphirerapids"},  // not Rocket Lake
      {Intel(0xa7, kGraniteRapids), "graniterapids"},
      {Intel(0x3f, kIceLake), "icelake-server"},
      {Intel(0x1a, kVnni), "cascadelake"},
      {Intel(0x8f, kGraniteRapids), "graniterapids"},
      {Intel(0x97, kSapphireRapids), "sapphirerapids"},  // Alder Lake with AVX-512: the same core
      {Intel(0x1a, kV3), "x86-64-v3"},
      {Amd(0x19, 0x01, kZen4), "znver4"},
      // Not known when this was written.
      {Intel(0xfe, kSapphireRapids), "sapphirerapids"},
      {Intel(0xfe, kV4), "skylake-avx512"},
      {Intel(0xfe, kV3), "x86-64-v3"},
      {Machine("GenuineIntel", 0x13, 1, kGraniteRapids), "graniterapids"},
      {Amd(0x1b, 0x01, kZen4), "znver4"},
  };
  for (const auto& machine : kMachines) {
    const McpuChoice choice = ChooseMcpu(machine.leaves);
    EXPECT_EQ(choice.mcpu, machine.mcpu);
    EXPECT_EQ(choice.why.substr(0, 15), "by its features") << choice.why;
  }
  EXPECT_EQ(ChooseMcpu(Intel(0xa7, kSapphireRapids)).why,
            "by its features; family 0x6 model 0xa7 is rocketlake, but it can do more");
}

TEST(X86CpuidTest, ZenFiveOfAnyNumberHasWhatZenFourLacks) {
  CpuidLeaves leaves = Amd(0x1b, 0x01, kZen4);
  Set(leaves.leaf7.edx, {8});
  EXPECT_EQ(McpuFromCpuid(leaves), "znver5");
  leaves.leaf1.eax = Signature(0x19, 0x11);
  EXPECT_EQ(McpuFromCpuid(leaves), "znver5");
}

TEST(X86CpuidTest, AnotherMakersMachineGetsTheGenericNameOfItsFeatures) {
  EXPECT_EQ(McpuFromCpuid(Machine("SomeVendor", 6, 1, kGraniteRapids)), "x86-64-v4");
  EXPECT_EQ(McpuFromCpuid(Machine("SomeVendor", 6, 1, kV3)), "x86-64-v3");
  EXPECT_EQ(McpuFromCpuid(Machine("SomeVendor", 6, 1, kV2)), "x86-64-v2");
  EXPECT_EQ(McpuFromCpuid(Machine("SomeVendor", 6, 1, kV1)), "x86-64");
}

TEST(X86CpuidTest, WhatAVirtualMachineHidesIsNotPromised) {
  EXPECT_EQ(McpuFromCpuid(Amd(0x19, 0x11, kIceLake)), "x86-64-v4");  // no AVX512_BF16
  EXPECT_EQ(McpuFromCpuid(Amd(0x19, 0x11, kV3)), "x86-64-v3");
  EXPECT_EQ(McpuFromCpuid(Intel(0x8f, kIceLake)), "x86-64-v4");
  EXPECT_EQ(ChooseMcpu(Intel(0x8f, kIceLake)).why,
            "by its features; family 0x6 model 0x8f is sapphirerapids, but not all that promises "
            "can be used");
}

TEST(X86CpuidTest, RegistersThatAreNotSavedAreNotUsed) {
  CpuidLeaves leaves = Amd(0x19, 0x11, kZen4);
  leaves.xcr0 = 0x7;  // the lower 256 bits of 16 registers
  EXPECT_EQ(McpuFromCpuid(leaves), "x86-64-v3");
  leaves.xcr0 = 0x3;
  EXPECT_EQ(McpuFromCpuid(leaves), "x86-64-v2");
}

TEST(X86CpuidTest, EveryNumberWithEveryFeatureHasANameThatItRuns) {
  for (int level = kV1; level <= kGraniteRapids; ++level) {
    std::vector<CpuidLeaves> machines;
    for (unsigned model = 0; model < 256; ++model) {
      machines.push_back(Intel(model, static_cast<Level>(level)));
      for (unsigned family : {0x15u, 0x16u, 0x17u, 0x19u, 0x1au, 0x1bu}) {
        machines.push_back(Amd(family, model, static_cast<Level>(level)));
      }
    }
    for (CpuidLeaves& leaves : machines) {
      for (const uint64_t xcr0 : {0x3u, 0x7u, 0xe7u}) {
        leaves.xcr0 = xcr0;
        const std::string mcpu = McpuFromCpuid(leaves);
        EXPECT_TRUE(FindCpuModel(mcpu)) << mcpu;
        EXPECT_TRUE(CpuidRuns(leaves, mcpu)) << mcpu;
      }
    }
  }
}

CpuidLeaves Zen4() { return Amd(0x19, 0x11, kZen4); }
CpuidLeaves Haswell() { return Intel(0x3f, kV3); }

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

TEST(X86CpuidTest, ThisMachineHasAVendor) {
#if defined(__x86_64__)
  EXPECT_EQ(ReadCpuid().vendor.size(), 12u);
#else
  GTEST_SKIP() << "not an x86 machine";
#endif
}

}  // namespace
}  // namespace alt::target
