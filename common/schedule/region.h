#ifndef COMMON_SCHEDULE_REGION_H_
#define COMMON_SCHEDULE_REGION_H_

#include "common/schedule/loop_nest.h"

namespace alt::schedule {

// The part of `producer`'s output that is read inside one iteration of loop `target_loop` of
// `target` (by target itself or by stages computed below that loop). Exact for linear accesses; a
// dimension whose access mixes fixed and varying loops in other ways is covered whole.
// FailedPrecondition when a reader stands outside that loop, or when there is none.
absl::StatusOr<Region> RegionReadInside(const LoopNest& nest, const StageNest& producer,
                                        const StageNest& target, size_t target_loop);

}  // namespace alt::schedule

#endif  // COMMON_SCHEDULE_REGION_H_
