#include "common/target/x86_cpuid.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/target/target.h"

namespace alt::target {
namespace {

struct FamilyModel {
  unsigned family;
  unsigned model;
};

// Family and model with their extensions, as Intel's and AMD's manuals add them.
FamilyModel DecodeSignature(uint32_t eax) {
  FamilyModel result{(eax >> 8) & 0xf, (eax >> 4) & 0xf};
  if (result.family == 6 || result.family == 0xf) result.model += ((eax >> 16) & 0xf) << 4;
  if (result.family == 0xf) result.family += (eax >> 20) & 0xff;
  return result;
}

// Bits of what kernels may use; kNeeds says which of them a name promises.
struct Features {
  bool v2, v3, v4;      // the psABI's levels of x86-64
  bool avx512_icelake;  // IFMA, VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ: Ice Lake, Zen 4 and later
  bool avx512_zen4;     // the same and BF16
  bool avx512_vnni, avx512_bf16, avx512_fp16;
  // Kernels do not use these; they tell generations apart.
  bool avx_vnni, vp2intersect, amx, amx_fp16;
};

bool HasAll(uint32_t word, std::initializer_list<int> bits) {
  return std::all_of(bits.begin(), bits.end(), [&](int bit) { return (word >> bit) & 1; });
}

Features DecodeFeatures(const CpuidLeaves& leaves) {
  const uint32_t c1 = leaves.leaf1.ecx, b7 = leaves.leaf7.ebx, c7 = leaves.leaf7.ecx;
  const bool saves_ymm = (c1 >> 27 & 1) && (leaves.xcr0 & 0x6) == 0x6;
  const bool saves_zmm = saves_ymm && (leaves.xcr0 & 0xe0) == 0xe0;
  Features f;
  // CX16 SSE3 SSSE3 SSE4.1 SSE4.2 POPCNT
  f.v2 = HasAll(c1, {13, 0, 9, 19, 20, 23});
  // AVX FMA MOVBE F16C; AVX2 BMI BMI2; LZCNT
  f.v3 = f.v2 && saves_ymm && HasAll(c1, {28, 12, 22, 29}) && HasAll(b7, {5, 3, 8}) &&
         HasAll(leaves.extended1.ecx, {5});
  // AVX512 F DQ CD BW VL
  f.v4 = f.v3 && saves_zmm && HasAll(b7, {16, 17, 28, 30, 31});
  f.avx512_vnni = f.v4 && HasAll(c7, {11});
  // VBMI VBMI2 VNNI BITALG VPOPCNTDQ; IFMA
  f.avx512_icelake = f.avx512_vnni && HasAll(c7, {1, 6, 12, 14}) && HasAll(b7, {21});
  f.avx512_bf16 = f.avx512_vnni && HasAll(leaves.leaf7_1.eax, {5});
  f.avx512_zen4 = f.avx512_icelake && f.avx512_bf16;
  f.avx512_fp16 = f.avx512_zen4 && HasAll(leaves.leaf7.edx, {23});
  f.avx_vnni = HasAll(leaves.leaf7_1.eax, {4});
  f.vp2intersect = HasAll(leaves.leaf7.edx, {8});
  f.amx = HasAll(leaves.leaf7.edx, {24});
  f.amx_fp16 = HasAll(leaves.leaf7_1.eax, {21});
  return f;
}

const char* GenericName(const Features& f) {
  if (f.v4) return "x86-64-v4";
  if (f.v3) return "x86-64-v3";
  return f.v2 ? "x86-64-v2" : "x86-64";
}

struct IntelModel {
  unsigned model;
  const char* name;
};

// Intel's family 6 from Nehalem on.
constexpr IntelModel kIntelModels[] = {
    {0x1a, "nehalem"},        {0x1e, "nehalem"},        {0x1f, "nehalem"},
    {0x2e, "nehalem"},        {0x25, "westmere"},       {0x2c, "westmere"},
    {0x2f, "westmere"},       {0x2a, "sandybridge"},    {0x2d, "sandybridge"},
    {0x3a, "ivybridge"},      {0x3e, "ivybridge"},      {0x3c, "haswell"},
    {0x3f, "haswell"},        {0x45, "haswell"},        {0x46, "haswell"},
    {0x3d, "broadwell"},      {0x47, "broadwell"},      {0x4f, "broadwell"},
    {0x56, "broadwell"},      {0x4e, "skylake"},        {0x5e, "skylake"},
    {0x8e, "skylake"},        {0x9e, "skylake"},        {0xa5, "skylake"},
    {0xa6, "skylake"},        {0xa7, "rocketlake"},     {0x55, "skylake-avx512"},
    {0x66, "cannonlake"},     {0x7d, "icelake-client"}, {0x7e, "icelake-client"},
    {0x6a, "icelake-server"}, {0x6c, "icelake-server"}, {0x8c, "tigerlake"},
    {0x8d, "tigerlake"},      {0x97, "alderlake"},      {0x9a, "alderlake"},
    {0xb7, "raptorlake"},     {0xba, "raptorlake"},     {0xbf, "raptorlake"},
    {0xaa, "meteorlake"},     {0xac, "meteorlake"},     {0xb5, "arrowlake"},
    {0xc5, "arrowlake"},      {0xc6, "arrowlake-s"},    {0xbd, "lunarlake"},
    {0xcc, "pantherlake"},    {0xbe, "gracemont"},      {0x8f, "sapphirerapids"},
    {0xcf, "emeraldrapids"},  {0xad, "graniterapids"},  {0xae, "graniterapids-d"},
    {0xaf, "sierraforest"},   {0xb6, "grandridge"},     {0xdd, "clearwaterforest"},
    {0x37, "silvermont"},     {0x4d, "silvermont"},     {0x5c, "goldmont"},
    {0x5f, "goldmont"},       {0x7a, "goldmont-plus"},  {0x86, "tremont"},
};

// Empty when unknown.
std::string IntelName(FamilyModel signature, const Features& f) {
  if (signature.family != 6) return "";
  for (const IntelModel& entry : kIntelModels) {
    if (entry.model != signature.model) continue;
    if (entry.model != 0x55) return entry.name;
    // Three generations share this number.
    return f.avx512_bf16 ? "cooperlake" : f.avx512_vnni ? "cascadelake" : "skylake-avx512";
  }
  return "";
}

std::string AmdName(FamilyModel signature) {
  const unsigned model = signature.model;
  const auto within = [&](unsigned low, unsigned high) { return model >= low && model <= high; };
  switch (signature.family) {
    case 0x17:
      return within(0x30, 0x4f) || within(0x60, 0xaf) ? "znver2" : "znver1";
    case 0x19:
      return within(0x10, 0x1f) || within(0x60, 0xaf) ? "znver4" : "znver3";
    case 0x1a:
      return "znver5";
    default:
      return "";
  }
}

using Feature = bool Features::*;

// What a name promises, and what no CPU of that name has: it came later, or from another maker.
struct Chip {
  const char* name;
  Feature need;
  std::array<Feature, 2> lacks{};  // null: nothing
};

// Names that promise other than the third level and lack other than the fourth.
constexpr Chip kChips[] = {
    {"skylake-avx512", &Features::v4, {&Features::avx512_vnni}},
    {"cannonlake", &Features::v4, {&Features::avx512_vnni}},
    {"cascadelake", &Features::avx512_vnni, {&Features::avx512_bf16, &Features::avx512_icelake}},
    {"cooperlake", &Features::avx512_bf16, {&Features::avx512_icelake}},
    {"icelake-client", &Features::avx512_icelake, {&Features::avx512_bf16, &Features::amx}},
    {"icelake-server", &Features::avx512_icelake, {&Features::avx512_bf16, &Features::amx}},
    {"tigerlake", &Features::avx512_icelake, {&Features::avx512_bf16, &Features::amx}},
    {"rocketlake", &Features::avx512_icelake, {&Features::avx512_bf16, &Features::amx}},
    {"sapphirerapids", &Features::avx512_fp16, {&Features::amx_fp16}},
    {"emeraldrapids", &Features::avx512_fp16, {&Features::amx_fp16}},
    {"graniterapids", &Features::avx512_fp16},
    {"graniterapids-d", &Features::avx512_fp16},
    {"znver4", &Features::avx512_zen4, {&Features::vp2intersect, &Features::amx}},
    {"znver5", &Features::avx512_zen4, {&Features::avx512_fp16, &Features::amx}},
    {"x86-64-v4", &Features::v4},
    {"x86-64-v2", &Features::v2},
    {"core2", &Features::v2, {&Features::v3}},
    {"penryn", &Features::v2, {&Features::v3}},
    {"bonnell", &Features::v2, {&Features::v3}},
    {"nehalem", &Features::v2, {&Features::v3}},
    {"westmere", &Features::v2, {&Features::v3}},
    {"silvermont", &Features::v2, {&Features::v3}},
    {"goldmont", &Features::v2, {&Features::v3}},
    {"goldmont-plus", &Features::v2, {&Features::v3}},
    {"tremont", &Features::v2, {&Features::v3}},
};

Chip ChipOf(absl::string_view name) {
  const auto* found = std::find_if(std::begin(kChips), std::end(kChips),
                                   [&](const Chip& chip) { return chip.name == name; });
  return found == std::end(kChips) ? Chip{"", &Features::v3, {&Features::v4}} : *found;
}

bool HasNeeds(absl::string_view name, const Features& f) { return f.*ChipOf(name).need; }

bool HasMore(absl::string_view name, const Features& f) {
  const std::array<Feature, 2> lacks = ChipOf(name).lacks;
  return std::any_of(lacks.begin(), lacks.end(),
                     [&](Feature feature) { return feature != nullptr && f.*feature; });
}

// Sandy and Ivy Bridge have AVX without what makes v3; nothing of ours gains from naming them.
bool Runs(const std::string& name, const Features& f) {
  return name != "sandybridge" && name != "ivybridge" && HasNeeds(name, f);
}

// A maker's CPUs with AVX-512 by what each was the first to have, the latest first. Empty for less:
// those differ by what features do not tell.
std::string NameByFeatures(const std::string& vendor, const Features& f) {
  struct First {
    const char* vendor;
    const char* name;
    Feature feature;
  };
  constexpr First kFirsts[] = {
      {"GenuineIntel", "graniterapids", &Features::amx_fp16},
      {"GenuineIntel", "sapphirerapids", &Features::avx512_fp16},
      {"GenuineIntel", "icelake-server", &Features::avx512_icelake},
      {"GenuineIntel", "cooperlake", &Features::avx512_bf16},
      {"GenuineIntel", "cascadelake", &Features::avx512_vnni},
      {"GenuineIntel", "skylake-avx512", &Features::v4},
      {"AuthenticAMD", "znver5", &Features::vp2intersect},
      {"AuthenticAMD", "znver4", &Features::avx512_zen4},
  };
  for (const First& first : kFirsts) {
    if (vendor == first.vendor && f.*first.feature && HasNeeds(first.name, f) &&
        !HasMore(first.name, f)) {
      return first.name;
    }
  }
  return "";
}

}  // namespace

McpuChoice ChooseMcpu(const CpuidLeaves& leaves) {
  const FamilyModel signature = DecodeSignature(leaves.leaf1.eax);
  const Features features = DecodeFeatures(leaves);
  std::string name;
  if (leaves.vendor == "GenuineIntel") name = IntelName(signature, features);
  if (leaves.vendor == "AuthenticAMD") name = AmdName(signature);
  const std::string number =
      absl::StrFormat("family 0x%x model 0x%x", signature.family, signature.model);
  if (!name.empty() && Runs(name, features) && !HasMore(name, features)) return {name, number};
  const std::string claim =
      name.empty() ? absl::StrCat(number, " is not known") : absl::StrCat(number, " is ", name);
  if (name.empty() || HasMore(name, features)) {
    const std::string fitting = NameByFeatures(leaves.vendor, features);
    const char* const but = name.empty() ? "" : ", but it can do more";
    if (!fitting.empty()) return {fitting, absl::StrCat("by its features; ", claim, but)};
  }
  const char* const but = name.empty() ? "" : ", but not all that promises can be used";
  return {GenericName(features), absl::StrCat("by its features; ", claim, but)};
}

bool CpuidRuns(const CpuidLeaves& leaves, absl::string_view mcpu) {
  const std::optional<CpuModel> model = FindCpuModel(mcpu);
  if (!model || model->arch != CpuModel::Arch::kX86) return false;
  if (mcpu == "x86-64" || mcpu == McpuFromCpuid(leaves)) return true;
  if (absl::StartsWith(mcpu, "bdver") || mcpu == "knl" || mcpu == "knm") return false;
  return HasNeeds(mcpu, DecodeFeatures(leaves));
}

#if defined(__x86_64__)
CpuidLeaves ReadCpuid() {
  CpuidLeaves leaves;
  CpuidLeaf first;
  if (!__get_cpuid(0, &first.eax, &first.ebx, &first.ecx, &first.edx)) return leaves;
  char vendor[12];
  std::memcpy(vendor, &first.ebx, 4);
  std::memcpy(vendor + 4, &first.edx, 4);
  std::memcpy(vendor + 8, &first.ecx, 4);
  leaves.vendor.assign(vendor, sizeof(vendor));
  const auto read = [](unsigned leaf, unsigned subleaf, CpuidLeaf& out) {
    if (!__get_cpuid_count(leaf, subleaf, &out.eax, &out.ebx, &out.ecx, &out.edx)) out = {};
  };
  read(1, 0, leaves.leaf1);
  read(7, 0, leaves.leaf7);
  if (leaves.leaf7.eax >= 1) read(7, 1, leaves.leaf7_1);
  read(0x80000001, 0, leaves.extended1);
  if (leaves.leaf1.ecx >> 27 & 1) {  // OSXSAVE: the instruction below exists
    uint32_t low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    leaves.xcr0 = uint64_t{high} << 32 | low;
  }
  return leaves;
}
#else
CpuidLeaves ReadCpuid() { return {}; }
#endif

}  // namespace alt::target
