#include "worker/measure/reference_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace alt::worker {
namespace {

constexpr int64_t kMostMagnitude = 8;
constexpr int64_t kExactSum = int64_t{1} << 24;

constexpr uint32_t kAnyNumber = 0x7fc0a117;
// Cells that are compared at a time.
constexpr int64_t kChunk = 1 << 16;

bool IsAnyNumber(float want) { return std::bit_cast<uint32_t>(want) == kAnyNumber; }

// A NaN is never near anything.
bool IsRight(float got, float want, double most) {
  if (IsAnyNumber(want)) return std::isfinite(got);
  return std::abs(static_cast<double>(got) - static_cast<double>(want)) <= most;
}

double LargestMagnitude(absl::Span<const float> values) {
  float largest = 0;
  for (float value : values) {
    if (!IsAnyNumber(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

struct Wrong {
  int64_t cells = 0;
  int64_t first = 0;
};

Wrong CompareChunk(const float* got, const float* want, int64_t begin, int64_t end, double most) {
  const size_t bytes = static_cast<size_t>(end - begin) * sizeof(float);
  Wrong wrong;
  if (most == 0 && memcmp(got + begin, want + begin, bytes) == 0) return wrong;
  for (int64_t i = begin; i < end; ++i) {
    if (IsRight(got[i], want[i], most)) continue;
    if (wrong.cells++ == 0) wrong.first = i;
  }
  return wrong;
}

}  // namespace

double ToleranceOf(const workload::Algorithm& algorithm) {
  double tolerance = 0;
  for (const workload::Rewrite& rewrite : algorithm.rewrites) {
    // Copies change nothing.
    if (std::holds_alternative<workload::Winograd>(rewrite)) tolerance += 1e-4;
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

float AnyNumber() { return std::bit_cast<float>(kAnyNumber); }

std::optional<std::string> CompareResult(absl::Span<const float> got, absl::Span<const float> want,
                                         double tolerance, HostLoop& loop) {
  ALT_CHECK_EQ(got.size(), want.size());
  const double most = tolerance == 0 ? 0 : tolerance * LargestMagnitude(want);
  const auto cells = static_cast<int64_t>(got.size());
  std::vector<Wrong> wrong(static_cast<size_t>((cells + kChunk - 1) / kChunk));
  loop.Run(static_cast<int64_t>(wrong.size()), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      wrong[static_cast<size_t>(c)] = CompareChunk(got.data(), want.data(), c * kChunk,
                                                   std::min(cells, (c + 1) * kChunk), most);
    }
  });
  Wrong all;
  for (const Wrong& chunk : wrong) {
    if (all.cells == 0) all.first = chunk.first;
    all.cells += chunk.cells;
  }
  if (all.cells == 0) return std::nullopt;
  const auto first = static_cast<size_t>(all.first);
  return absl::StrCat(all.cells, " of ", cells, " cells are wrong, first cell ", first, ": ",
                      got[first], " instead of ",
                      IsAnyNumber(want[first]) ? "a number" : absl::StrCat(want[first]),
                      std::isnan(got[first]) ? " (never written, or read out of bounds)" : "");
}

}  // namespace alt::worker
