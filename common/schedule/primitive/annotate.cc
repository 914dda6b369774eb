// parallel, vectorize, unroll: how a loop runs. prefetch: hints inside it.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/schedule/apply.h"

namespace alt::schedule {
namespace {

constexpr int64_t kMaxUnroll = 256;      // iterations of one unrolled loop
constexpr int64_t kMaxVectorized = 512;  // elements of one vectorized loop
constexpr int64_t kMaxLanes = 64;

struct Place {
  StageNest* stage;
  Loop* loop;
  size_t at;
};

absl::StatusOr<Place> FindSerialLoop(LoopNest& nest, const std::string& stage,
                                     const std::string& axis) {
  Place place;
  ALT_ASSIGN_OR_RETURN(place.stage, nest.FindStage(stage));
  ALT_ASSIGN_OR_RETURN(place.at, nest.FindLoop(*place.stage, axis));
  place.loop = &place.stage->loops[place.at];
  if (place.loop->kind != ir::ForKind::kSerial) {
    return absl::FailedPreconditionError("the loop is parallel, vectorized or unrolled already");
  }
  return place;
}

}  // namespace

absl::Status Apply(const Parallel& parallel, LoopNest& nest) {
  ALT_ASSIGN_OR_RETURN(Place place, FindSerialLoop(nest, parallel.stage, parallel.axis));
  if (place.stage->attachment) {
    return absl::FailedPreconditionError("the stage is computed inside another's loop");
  }
  if (place.loop->reduction)
    return absl::FailedPreconditionError("a reduction loop is not parallel");
  for (size_t i = 0; i < place.at; ++i) {
    const Loop& outer = place.stage->loops[i];
    if (outer.kind == ir::ForKind::kParallel) {
      return absl::FailedPreconditionError(
          absl::StrCat("loop ", outer.name, " around it is parallel"));
    }
    if (outer.reduction) {
      return absl::FailedPreconditionError(absl::StrCat("reduction ", outer.name, " is around it"));
    }
  }
  place.loop->kind = ir::ForKind::kParallel;
  place.stage->touched = true;
  return absl::OkStatus();
}

absl::Status Apply(const Vectorize& vectorize, LoopNest& nest) {
  ALT_ASSIGN_OR_RETURN(Place place, FindSerialLoop(nest, vectorize.stage, vectorize.axis));
  if (place.loop->reduction) {
    return absl::FailedPreconditionError("a reduction loop does not vectorize");
  }
  if (place.loop->max_extent > kMaxVectorized) {
    return absl::FailedPreconditionError(absl::StrCat(
        "extent ", place.loop->max_extent, " is over ", kMaxVectorized, ": split first"));
  }
  if (place.at < place.stage->fixed_loops) {
    return absl::FailedPreconditionError("a stage is computed inside this loop");
  }
  if (vectorize.lanes < 0 || vectorize.lanes > kMaxLanes) {
    return absl::InvalidArgumentError(absl::StrCat("lanes are 1 to ", kMaxLanes));
  }
  for (const Loop& loop : place.stage->loops) {
    if (loop.kind == ir::ForKind::kVectorized) {
      return absl::FailedPreconditionError(
          absl::StrCat("loop ", loop.name, " is vectorized already"));
    }
  }
  place.loop->kind = ir::ForKind::kVectorized;
  place.loop->lanes = static_cast<int>(vectorize.lanes);
  place.stage->touched = true;
  return absl::OkStatus();
}

absl::Status Apply(const Unroll& unroll, LoopNest& nest) {
  ALT_ASSIGN_OR_RETURN(Place place, FindSerialLoop(nest, unroll.stage, unroll.axis));
  if (place.loop->max_extent > kMaxUnroll) {
    return absl::FailedPreconditionError(
        absl::StrCat("extent ", place.loop->max_extent, " is over ", kMaxUnroll, ": split first"));
  }
  place.loop->kind = ir::ForKind::kUnrolled;
  place.stage->touched = true;
  return absl::OkStatus();
}

absl::Status Apply(const Prefetch& prefetch, LoopNest& nest) {
  ALT_ASSIGN_OR_RETURN(StageNest * stage, nest.FindStage(prefetch.stage));
  ALT_ASSIGN_OR_RETURN(size_t at, nest.FindLoop(*stage, prefetch.axis));
  const std::vector<ir::Buffer> reads = te::ReadsOf(stage->stage);
  const bool read = std::any_of(reads.begin(), reads.end(), [&](const ir::Buffer& buffer) {
    return buffer->name == prefetch.tensor;
  });
  if (!read) {
    return absl::FailedPreconditionError(
        absl::StrCat("stage ", prefetch.stage, " does not read ", prefetch.tensor));
  }
  stage->loops[at].prefetches.push_back({prefetch.tensor, prefetch.distance});
  stage->touched = true;
  return absl::OkStatus();
}

}  // namespace alt::schedule
