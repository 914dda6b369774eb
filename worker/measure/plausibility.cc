#include "worker/measure/plausibility.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace alt::worker {

double ImplausibleBelowNs(int64_t products, double compulsory_bytes, const MachineSpeed& speed) {
  double least = 0;
  if (speed.gflops > 0) least = 2 * static_cast<double>(products) / speed.gflops;
  if (speed.l1_read_gbs > 0) least = std::max(least, compulsory_bytes / speed.l1_read_gbs);
  return least / 2;
}

std::optional<std::string> HopelessCode(const runtime::CodeFacts& facts) {
  constexpr int64_t kSome = 32;  // below: a few in a loop that hardly runs
  if (facts.inner_loop_spills < kSome || facts.inner_loop_spills * 2 <= facts.vector_fmas) {
    return std::nullopt;
  }
  return absl::StrCat(facts.inner_loop_spills, " register spills in inner loops, ",
                      facts.vector_fmas, " FMAs in all");
}

}  // namespace alt::worker
