#include "common/runtime/cpu/fma_anchor.h"

#include <algorithm>

#include "common/runtime/cpu/steady_clock.h"

namespace alt::runtime {
namespace {

// Assembler rather than intrinsics: nothing is spilled, folded or reordered at any optimization
// level. Every chain computes x = x * .5 + .5, which tends to 1: no denormals, no overflow.
// Two units of latency 4 or 5 need 10 chains; more cost nothing.

#if defined(__x86_64__)

#define ALT_FMA(v, n) "vfmadd213ps %%" v "0, %%" v "0, %%" v #n "\n\t"
#define ALT_FMA_START(v, n) "vmovaps %%" v "0, %%" v #n "\n\t"
#define ALT_TWELVE(m, v) \
  m(v, 1) m(v, 2) m(v, 3) m(v, 4) m(v, 5) m(v, 6) m(v, 7) m(v, 8) m(v, 9) m(v, 10) m(v, 11) m(v, 12)
#define ALT_FMA_LOOP(v) \
  "vbroadcastss %[half], %%" v "0\n\t" ALT_TWELVE(ALT_FMA_START, v) \
  "1:\n\t" ALT_TWELVE(ALT_FMA, v)                          \
  "dec %[steps]\n\t"                                       \
  "jnz 1b\n\t"                                             \
  "vzeroupper\n\t"
#define ALT_XMM_CLOBBERS                                                                         \
  "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13", "xmm14"

constexpr int kFmaChains = 12;
constexpr float kHalf = .5f;

void FmaAvx512(int64_t steps) {
  asm volatile(ALT_FMA_LOOP("zmm") : [steps] "+r"(steps) : [half] "m"(kHalf) : ALT_XMM_CLOBBERS);
}

void FmaAvx2(int64_t steps) {
  asm volatile(ALT_FMA_LOOP("ymm") : [steps] "+r"(steps) : [half] "m"(kHalf) : ALT_XMM_CLOBBERS);
}

// Before FMA there was one unit for each of the two operations.
#define ALT_MUL(n) "mulps %%xmm0, %%xmm" #n "\n\t"
#define ALT_ADD(n) "addps %%xmm0, %%xmm" #n "\n\t"
#define ALT_ONE(n) "movaps %%xmm14, %%xmm" #n "\n\t"
constexpr int kSseChains = 12;
void FmaSse(int64_t steps) {
  static const float one = 1;
  // Times one, and plus one up to 2^24: no denormals either.
  asm volatile(
      "movss %[one], %%xmm0\n\t"
      "shufps $0, %%xmm0, %%xmm0\n\t"
      "movaps %%xmm0, %%xmm14\n\t"
      // clang-format off
      ALT_ONE(1) ALT_ONE(2) ALT_ONE(3) ALT_ONE(4) ALT_ONE(5) ALT_ONE(6)
      ALT_ONE(7) ALT_ONE(8) ALT_ONE(9) ALT_ONE(10) ALT_ONE(11) ALT_ONE(12)
      "1:\n\t"
      ALT_MUL(1) ALT_ADD(7) ALT_MUL(2) ALT_ADD(8) ALT_MUL(3) ALT_ADD(9)
      ALT_MUL(4) ALT_ADD(10) ALT_MUL(5) ALT_ADD(11) ALT_MUL(6) ALT_ADD(12)
      // clang-format on
      "dec %[steps]\n\t"
      "jnz 1b\n\t"
      : [steps] "+r"(steps)
      : [one] "m"(one)
      : ALT_XMM_CLOBBERS);
}

#endif  // __x86_64__

// For other machines: what the compiler makes of it.
constexpr int kPortableChains = 32;
void FmaPortable(int64_t steps) {
  float x[kPortableChains] = {};
  for (int64_t s = 0; s < steps; ++s) {
    for (float& value : x) value = value * .5f + .5f;
    asm volatile("" : "+m"(x));
  }
}

}  // namespace

const char* VectorKindName(VectorKind kind) {
  switch (kind) {
    case VectorKind::kPortable:
      return "portable";
    case VectorKind::kSse:
      return "sse";
    case VectorKind::kAvx2:
      return "avx2";
    case VectorKind::kAvx512:
      return "avx512";
  }
  return "unknown";
}

std::vector<VectorKind> SupportedVectorKinds() {
#if defined(__x86_64__)
  // __builtin_cpu_supports also asks whether the system saves the registers (XGETBV).
  std::vector<VectorKind> kinds;
  if (__builtin_cpu_supports("avx512f")) kinds.push_back(VectorKind::kAvx512);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    kinds.push_back(VectorKind::kAvx2);
  }
  kinds.push_back(VectorKind::kSse);
  return kinds;
#else
  return {VectorKind::kPortable};
#endif
}

double RunFma(VectorKind kind, int64_t steps) {
  if (steps <= 0) return 0;
  const auto count = static_cast<double>(steps);
  switch (kind) {
#if defined(__x86_64__)
    case VectorKind::kAvx512:
      FmaAvx512(steps);
      return count * kFmaChains * 16 * 2;
    case VectorKind::kAvx2:
      FmaAvx2(steps);
      return count * kFmaChains * 8 * 2;
    case VectorKind::kSse:
      FmaSse(steps);
      return count * kSseChains * 4;
#endif
    default:
      FmaPortable(steps);
      return count * kPortableChains * 2;
  }
}

namespace {

// One thread's share of an anchor run; lines of their own, since all are written at once.
struct alignas(64) AnchorRun {
  VectorKind kind;
  int64_t steps;
  double gflops;
};

void RunOne(AnchorRun& run) {
  const double start = NowNs();
  const double flops = RunFma(run.kind, run.steps);
  run.gflops = flops / std::max(1.0, NowNs() - start);
}

double RunOnPool(PinnedPool& pool, VectorKind kind, int64_t steps) {
  std::vector<AnchorRun> runs(static_cast<size_t>(pool.threads()), {kind, steps, 0});
  const auto body = [](void* context, int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) RunOne(static_cast<AnchorRun*>(context)[i]);
  };
  pool.get()->parallel_for(pool.get(), body, runs.data(), pool.threads());
  double sum = 0;
  for (const AnchorRun& run : runs) sum += run.gflops;
  return sum;
}

}  // namespace

FmaAnchor::FmaAnchor(PinnedPool* pool) : pool_(pool), kind_(SupportedVectorKinds().front()) {
  constexpr int64_t kTrialSteps = 10000;
  constexpr int kTrials = 8;  // the best of them: whatever disturbs only makes slower
  constexpr double kTargetNs = 1e5;
  double best = 0;
  steps_ = kTrialSteps;
  for (VectorKind kind : SupportedVectorKinds()) {
    double speed = 0;
    for (int i = 0; i < kTrials; ++i) {
      speed = std::max(speed, RunOnPool(*pool_, kind, kTrialSteps) / pool_->threads());
    }
    if (speed <= best) continue;
    best = speed;
    kind_ = kind;
    const double flops_a_step = RunFma(kind, 1);
    steps_ = std::max<int64_t>(1, static_cast<int64_t>(speed * kTargetNs / flops_a_step));
  }
}

double FmaAnchor::Gflops() { return RunOnPool(*pool_, kind_, steps_); }

}  // namespace alt::runtime
