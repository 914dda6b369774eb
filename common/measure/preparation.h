// What measuring a workload takes before its first candidate is called: operands and a reference.
#ifndef COMMON_MEASURE_PREPARATION_H_
#define COMMON_MEASURE_PREPARATION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/workload/workload.h"

namespace alt::measure {

// The most FLOPs of a reference; of a larger workload it computes a sample of the output.
inline constexpr double kMostReferenceFlops = 2e10;

// How long making operands and reference may take: the worker gives up then, and the server expects
// the first lease of a workload to take so much longer.
absl::Duration PreparationLimit(const workload::Workload& workload);

// Memory that a valid workload with plain layouts takes, beside what every worker needs: operands
// and reference as they are, packed, and copied for the process that runs the kernel.
double NeededBytes(const workload::Workload& workload);

// FailedPrecondition, with both numbers, when the workload needs more than a machine that can give
// `most_bytes`; 0: it is not known what it can give, and more than any machine has is too much.
absl::Status CheckMemory(const workload::Workload& workload, int64_t most_bytes);

}  // namespace alt::measure

#endif  // COMMON_MEASURE_PREPARATION_H_
