// CPUID leaves to LLVM's name of an x86 CPU, as a pure function: tests give leaves of machines that
// they do not run on.
#ifndef COMMON_TARGET_X86_CPUID_H_
#define COMMON_TARGET_X86_CPUID_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace alt::target {

struct CpuidLeaf {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// What the CPU says; a leaf that it does not have is zero.
struct CpuidLeaves {
  std::string vendor;   // "GenuineIntel", "AuthenticAMD"
  CpuidLeaf leaf1;      // family, model; SSE, AVX, FMA
  CpuidLeaf leaf7;      // AVX2, AVX-512
  CpuidLeaf leaf7_1;    // subleaf 1: AVX512_BF16, AVX_VNNI, AMX_FP16
  CpuidLeaf extended1;  // 0x80000001: LZCNT
  uint64_t xcr0 = 0;    // registers that the operating system saves (XGETBV)
};

// Of the processor that executes this; empty on other architectures.
CpuidLeaves ReadCpuid();

// LLVM's name of a CPU, and why it was chosen, for people.
struct McpuChoice {
  std::string mcpu;
  std::string why;  // "model 0xcf"
};

// What the CPU can do decides; the number that it calls itself by only chooses among names that
// fit:
// - the number's name, when the CPU has what that name promises and nothing that came later;
// - when it has more, or the number is not known, the name of its maker's that fits its features:
//   virtual machines give any number (Sapphire Rapids as model 0xa7, which is Rocket Lake);
// - else, where instructions are hidden or registers not saved, the generic x86-64-v4, -v3, -v2 or
//   x86-64: not a lesser CPU's name, whose records it would share without being one.
McpuChoice ChooseMcpu(const CpuidLeaves& leaves);
inline std::string McpuFromCpuid(const CpuidLeaves& leaves) { return ChooseMcpu(leaves).mcpu; }

// Whether the CPU has what LLVM uses when it compiles for `mcpu`: x86-64-v3, unless the name is
// known to need more or less. Never for names with instructions that only old machines have (bdver,
// knl), nor for those that are not x86.
bool CpuidRuns(const CpuidLeaves& leaves, absl::string_view mcpu);

}  // namespace alt::target

#endif  // COMMON_TARGET_X86_CPUID_H_
