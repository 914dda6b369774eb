#include "common/measure/preparation.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "common/base/check.h"

namespace alt::measure {

absl::Duration PreparationLimit(const workload::Workload& workload) {
  // What the slowest hosts do in a second; a core of a fast one does twenty times as much.
  constexpr double kFlops = 1e9, kBytes = 1e8;
  // A sample keeps the ends and the middle of each axis, so it may be larger than it should.
  const double flops = std::min(workload::Flops(workload), 4 * kMostReferenceFlops);
  return absl::Seconds(10 + flops / kFlops + NeededBytes(workload) / kBytes);
}

double NeededBytes(const workload::Workload& workload) {
  const absl::StatusOr<te::Graph> graph = workload::MakeGraph(workload);
  ALT_CHECK_OK(graph);
  double bytes = 0;
  for (const te::Tensor& tensor : graph->tensors) {
    // As logical cells, in memory shared with the process, as that process's own; the output also
    // as it should be.
    const double copies = tensor.role == te::Role::kOutput ? 4 : 3;
    bytes += copies * sizeof(float) * static_cast<double>(ir::NumElements(*tensor.buffer));
  }
  return bytes;
}

absl::Status CheckMemory(const workload::Workload& workload, int64_t most_bytes) {
  constexpr double kMostOfAnyMachine = 16.0 * (int64_t{1} << 40);
  constexpr double kGib = 1 << 30;
  const double needed = NeededBytes(workload);
  if (most_bytes <= 0 && needed > kMostOfAnyMachine) {
    return absl::FailedPreconditionError(
        absl::StrFormat("measuring %s needs %.1f GiB, more than any machine has; tune a part of it",
                        workload::Print(workload), needed / kGib));
  }
  if (most_bytes <= 0 || needed <= static_cast<double>(most_bytes)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrFormat(
      "measuring %s needs %.1f GiB, the worker has %.1f; tune a part of it, or start a worker on a "
      "larger machine",
      workload::Print(workload), needed / kGib, static_cast<double>(most_bytes) / kGib));
}

}  // namespace alt::measure
