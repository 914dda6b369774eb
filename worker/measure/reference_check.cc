#include "worker/measure/reference_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace alt::worker {
namespace {

constexpr int64_t kMostMagnitude = 8;
constexpr int64_t kExactSum = int64_t{1} << 24;

// A NaN is never near anything.
bool IsNear(float got, float want, double most) {
  return std::abs(static_cast<double>(got) - static_cast<double>(want)) <= most;
}

double LargestMagnitude(absl::Span<const float> values) {
  float largest = 0;
  for (float value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

double ToleranceOf(const workload::Algorithm& algorithm) {
  double tolerance = 0;
  for (const workload::Rewrite& rewrite : algorithm.rewrites) {
    tolerance += std::visit([](const workload::Winograd&) { return 1e-4; }, rewrite);
  }
  return tolerance;
}

int64_t ExactMagnitude(const te::Graph& graph) {
  // An upper bound of the number of products in one output cell.
  int64_t terms = 1;
  for (const te::Stage& stage : graph.stages) {
    for (const te::Axis& axis : stage.reduction) {
      terms = std::min(kExactSum, terms * axis.extent);
    }
  }
  int64_t magnitude = kMostMagnitude;
  while (magnitude > 1 && magnitude * magnitude * terms >= kExactSum) --magnitude;
  return magnitude;
}

std::optional<std::string> CompareResult(absl::Span<const float> got, absl::Span<const float> want,
                                         double tolerance) {
  ALT_CHECK_EQ(got.size(), want.size());
  if (tolerance == 0 && memcmp(got.data(), want.data(), got.size() * sizeof(float)) == 0) {
    return std::nullopt;
  }
  const double most = tolerance * LargestMagnitude(want);
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (IsNear(got[i], want[i], most)) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return std::nullopt;
  return absl::StrCat(wrong, " of ", got.size(), " cells are wrong, first cell ", first, ": ",
                      got[first], " instead of ", want[first],
                      std::isnan(got[first]) ? " (never written, or read out of bounds)" : "");
}

}  // namespace alt::worker
