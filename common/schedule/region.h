#ifndef COMMON_SCHEDULE_REGION_H_
#define COMMON_SCHEDULE_REGION_H_

#include "common/schedule/loop_nest.h"

namespace alt::schedule {

// The part of `producer`'s output that is read inside one iteration of loop `target_loop` of
// `target` (by target itself or by stages computed below that loop): a box around the reads, no
// larger than they are where indices are sums of loops, floordivs, mins and maxes of such sums. A
// digit (floormod) is covered whole where reads may run over its end.
// FailedPrecondition when a reader stands outside that loop, when there is none, or when the reads
// along a dimension do not follow from the loops around that one.
absl::StatusOr<Region> RegionReadInside(const LoopNest& nest, const StageNest& producer,
                                        const StageNest& target, size_t target_loop);

}  // namespace alt::schedule

#endif  // COMMON_SCHEDULE_REGION_H_
