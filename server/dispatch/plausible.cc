#include "server/dispatch/plausible.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"

namespace alt::dispatch {
namespace {

// Of one core, rounded up from the best that there is: 6.5 GHz, two units of full width (Arm:
// four), and three vectors a cycle between registers and the first-level cache.
constexpr double kCyclesPerNs = 6.5;
constexpr int kVectorsPerCycle = 3;
// Of a whole GPU.
constexpr double kGpuGflops = 1e6;
constexpr double kGpuGbs = 1e6;

struct Limits {
  double gflops, gbs;
};

Limits LimitsOf(const target::Target& target, int threads) {
  if (target.kind != target::TargetKind::kCpu) return {kGpuGflops, kGpuGbs};
  const std::optional<target::CpuModel> model = target::FindCpuModel(target.mcpu);
  const double bits = std::max(target.vec_bits, model ? model->vec_bits : 512);
  const int units = model && model->arch == target::CpuModel::Arch::kArm64 ? 4 : 2;
  const double flops_per_cycle = 2 * units * bits / 32;
  return {threads * kCyclesPerNs * flops_per_cycle,
          threads * kCyclesPerNs * kVectorsPerCycle * bits / 8};
}

}  // namespace

double ImplausibleBelowNs(const measure::MeasureRequest& request,
                          const workload::Candidate& candidate) {
  const Limits limits = LimitsOf(request.target, request.target.threads);
  return std::max(workload::LeastFlops(request.workload, candidate.algorithm) / limits.gflops,
                  workload::CompulsoryBytes(request.workload) / limits.gbs) /
         2;
}

std::string WhyImplausible(const measure::MeasureResult& result,
                           const measure::MeasureRequest& request,
                           const workload::Candidate& candidate) {
  if (!result.latency) return "";
  const double least = ImplausibleBelowNs(request, candidate);
  const measure::Latency& latency = *result.latency;
  // Written so that what is not a number is caught.
  if (!(latency.min_ns >= least && latency.median_ns >= latency.min_ns &&
        std::isfinite(latency.median_ns))) {
    return absl::StrCat("reported ", latency.median_ns, " ns (fastest ", latency.min_ns,
                        " ns) where no ", target::PrintTarget(request.target), " needs less than ",
                        least, " ns");
  }
  const double gflops = LimitsOf(request.target, request.target.threads).gflops;
  if (result.peak_gflops && !(*result.peak_gflops <= gflops)) {
    return absl::StrCat("reported a peak of ", *result.peak_gflops, " GFLOP/s where no ",
                        target::PrintTarget(request.target), " has more than ", gflops);
  }
  return "";
}

std::string WhyImplausible(const measure::Peak& peak, const target::Target& target) {
  const Limits one = LimitsOf(target, 1), all = LimitsOf(target, target.threads);
  if (peak.gflops_1t <= one.gflops && peak.gflops <= all.gflops && peak.read_gbs <= all.gbs) {
    return "";
  }
  return absl::StrCat("reported ", peak.gflops_1t, " GFLOP/s for one core, ", peak.gflops,
                      " GFLOP/s and ", peak.read_gbs, " GB/s for ", target.threads, ", where no ",
                      target::PrintTarget(target), " has more than ", one.gflops, ", ", all.gflops,
                      " and ", all.gbs);
}

}  // namespace alt::dispatch
