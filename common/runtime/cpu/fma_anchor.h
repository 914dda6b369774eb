// The peak of this machine at this moment: what shares of the peak are shares of.
#ifndef COMMON_RUNTIME_CPU_FMA_ANCHOR_H_
#define COMMON_RUNTIME_CPU_FMA_ANCHOR_H_

#include <cstdint>
#include <vector>

#include "common/runtime/cpu/pinned_pool.h"

namespace alt::runtime {

enum class VectorKind { kPortable, kSse, kAvx2, kAvx512 };
const char* VectorKindName(VectorKind kind);
// What this CPU has, by CPUID, the widest first.
std::vector<VectorKind> SupportedVectorKinds();

// Runs `steps` rounds of fp32 multiply-adds on registers alone, enough independent ones to fill two
// FMA units. Returns the FLOPs done, two for each multiply-add.
double RunFma(VectorKind kind, int64_t steps);

// A fixed amount of FMAs, about 0.1 ms on each thread of a pool at once. Clocks drift, so it is
// timed in turns with the kernels that it is compared with.
class FmaAnchor {
 public:
  // Tries all kinds of vectors (a few ms) and keeps the fastest: some CPUs lower the clock for wide
  // ones by more than they gain. `pool` stays the caller's; its first thread is the caller.
  explicit FmaAnchor(PinnedPool* pool);

  VectorKind kind() const { return kind_; }

  // GFLOP/s of all threads together, each by its own time.
  double Gflops();

 private:
  PinnedPool* pool_;
  VectorKind kind_;
  int64_t steps_;
};

}  // namespace alt::runtime

#endif  // COMMON_RUNTIME_CPU_FMA_ANCHOR_H_
