#ifndef COMMON_SCHEDULE_APPLY_H_
#define COMMON_SCHEDULE_APPLY_H_

#include "absl/status/statusor.h"
#include "common/schedule/loop_nest.h"
#include "common/schedule/trace.h"

namespace alt::schedule {

// Applies one instruction. InvalidArgument when it names what isn't there or a bad factor,
// FailedPrecondition with the reason when it does not apply; the nest is then unchanged.
absl::Status Apply(const Instruction& instruction, LoopNest& nest);

// Replays a trace on the stages of a graph whose layouts are fixed. The error names the
// instruction, by its number from 1 and its text.
absl::StatusOr<LoopNest> ApplyTrace(const te::Graph& graph, const Trace& trace);

// One file each in primitive/.
absl::Status Apply(const Split& split, LoopNest& nest);
absl::Status Apply(const Fuse& fuse, LoopNest& nest);
absl::Status Apply(const Reorder& reorder, LoopNest& nest);
absl::Status Apply(const ComputeAt& compute_at, LoopNest& nest);
absl::Status Apply(const Inline& instruction, LoopNest& nest);
absl::Status Apply(const Parallel& parallel, LoopNest& nest);
absl::Status Apply(const Vectorize& vectorize, LoopNest& nest);
absl::Status Apply(const Unroll& unroll, LoopNest& nest);
absl::Status Apply(const Transpose& transpose, LoopNest& nest);
absl::Status Apply(const Prefetch& prefetch, LoopNest& nest);

}  // namespace alt::schedule

#endif  // COMMON_SCHEDULE_APPLY_H_
