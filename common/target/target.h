// What code is made for. Machines with the same target are interchangeable: a record tuned on one
// holds for the other. Finer facts (driver, compiler, clock policy) are validators on the record.
//
// Text, canonical and part of keys:
//   target = "cpu:mcpu=" name ",vec=" bits ",threads=" count     cpu:mcpu=znver4,vec=512,threads=1
//          | "cuda:sm_" digits                                   cuda:sm_90
//          | "opencl:" name                                      opencl:pocl
// Input may order the attributes of a cpu freely and leave out vec (all the CPU has) and threads
// (1).
#ifndef COMMON_TARGET_TARGET_H_
#define COMMON_TARGET_TARGET_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace alt::target {

enum class TargetKind { kCpu, kCuda, kOpencl };

struct Target {
  TargetKind kind = TargetKind::kCpu;
  // A CPU as LLVM's -mcpu names it; for cuda the architecture ("sm_90"); for opencl the platform.
  std::string mcpu = "x86-64";
  // The widest vector that schedules may use, in bits; a GPU's is its widest load of one thread.
  int vec_bits = 128;
  // How many threads a kernel runs on; 1 on a GPU, whose parallelism is in the schedule.
  int threads = 1;

  friend bool operator==(const Target&, const Target&) = default;
};

// The most threads that a target may name.
inline constexpr int kMaxThreads = 1024;

// InvalidArgument says what is wrong and, for a misspelt word, what was probably meant.
absl::StatusOr<Target> ParseTarget(absl::string_view text);

// The same, where a cpu takes from `defaults`, another cpu, what the text leaves out: "cpu",
// "cpu:threads=4". vec is taken over only together with mcpu.
absl::StatusOr<Target> ParseTargetWithDefaults(absl::string_view text, const Target& defaults);

// The canonical text; ParseTarget gives the target back.
std::string PrintTarget(const Target& target);

// A machine serves its own target and the same with fewer threads or narrower vectors.
bool Serves(const Target& machine, const Target& wanted);

// "cpu", "cuda", "opencl": the prefix of the text, also the prefix of a worker's --device.
absl::string_view TargetKindName(TargetKind kind);
absl::StatusOr<TargetKind> ParseTargetKind(absl::string_view name);

// How many elements the widest vector holds: 16 for f32 and vec=512.
int VecLanes(const Target& target, int element_bits = 32);

// Architectural vector registers: 32 with AVX-512 (of any vector length) and on Arm, else 16. On a
// GPU the register file is limited elsewhere: 64, a number that schedules may hope for.
int NumVectorRegisters(const Target& target);

// What LLVM's name of a CPU promises.
struct CpuModel {
  enum class Arch { kX86, kArm64 };
  Arch arch;
  int vec_bits;  // of the widest vector registers
  bool fma;      // has fused multiply-add
};

// None for a name that is not in our table (of LLVM 19's 64-bit CPUs).
std::optional<CpuModel> FindCpuModel(absl::string_view mcpu);

}  // namespace alt::target

#endif  // COMMON_TARGET_TARGET_H_
