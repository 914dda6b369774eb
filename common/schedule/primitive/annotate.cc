// parallel, vectorize, unroll, transpose: how a loop runs. prefetch: hints inside it.

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/schedule/apply.h"

namespace alt::schedule {
namespace {

constexpr int64_t kMaxUnroll = 256;      // iterations of one unrolled loop
constexpr int64_t kMaxVectorized = 512;  // elements of one vectorized loop
constexpr int64_t kMaxTransposed = 256;  // iterations of one transposed loop
constexpr int64_t kMaxLanes = 64;
constexpr int64_t kMaxDistance = 4096;  // iterations that a prefetch looks ahead
constexpr size_t kMaxPrefetches = 16;   // in one loop

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
  ALT_RETURN_IF_ERROR(CheckSerial(*place.loop));
  return place;
}

absl::Status CheckExtent(const Loop& loop, int64_t most) {
  if (loop.max_extent <= most) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("extent ", loop.max_extent, " is over ", most, ": split first"));
}

// Gives the loop its kind unless that is in the way of others.
absl::Status SetKind(Place place, ir::ForKind kind) {
  place.loop->kind = kind;
  if (absl::Status status = CheckKinds(place.stage->loops); !status.ok()) {
    place.loop->kind = ir::ForKind::kSerial;
    return status;
  }
  place.stage->touched = true;
  return absl::OkStatus();
}

}  // namespace

absl::Status Apply(const Parallel& parallel, LoopNest& nest) {
  ALT_ASSIGN_OR_RETURN(Place place, FindSerialLoop(nest, parallel.stage, parallel.axis));
  if (place.stage->attachment) {
    return absl::FailedPreconditionError("the stage is computed inside another's loop");
  }
  if (place.loop->reduction) {
    return absl::FailedPreconditionError("a reduction loop is not parallel");
  }
  return SetKind(place, ir::ForKind::kParallel);
}

absl::Status Apply(const Vectorize& vectorize, LoopNest& nest) {
  ALT_ASSIGN_OR_RETURN(Place place, FindSerialLoop(nest, vectorize.stage, vectorize.axis));
  if (place.loop->reduction) {
    return absl::FailedPreconditionError("a reduction loop does not vectorize");
  }
  ALT_RETURN_IF_ERROR(CheckExtent(*place.loop, kMaxVectorized));
  if (place.at < place.stage->fixed_loops) {
    return absl::FailedPreconditionError("a stage is computed inside this loop");
  }
  if (vectorize.lanes < 0 || vectorize.lanes > kMaxLanes) {
    return absl::InvalidArgumentError(absl::StrCat("lanes are 1 to ", kMaxLanes));
  }
  ALT_RETURN_IF_ERROR(SetKind(place, ir::ForKind::kVectorized));
  place.loop->lanes = static_cast<int>(vectorize.lanes);
  return absl::OkStatus();
}

absl::Status Apply(const Unroll& unroll, LoopNest& nest) {
  ALT_ASSIGN_OR_RETURN(Place place, FindSerialLoop(nest, unroll.stage, unroll.axis));
  ALT_RETURN_IF_ERROR(CheckExtent(*place.loop, kMaxUnroll));
  return SetKind(place, ir::ForKind::kUnrolled);
}

absl::Status Apply(const Transpose& transpose, LoopNest& nest) {
  if (transpose.axis == transpose.other_axis) {
    return absl::InvalidArgumentError("a loop is not transposed with itself");
  }
  std::vector<Place> places;
  for (const std::string& axis : {transpose.axis, transpose.other_axis}) {
    ALT_ASSIGN_OR_RETURN(const Place place, FindSerialLoop(nest, transpose.stage, axis));
    ALT_RETURN_IF_ERROR(CheckExtent(*place.loop, kMaxTransposed));
    if (place.at < place.stage->fixed_loops) {
      return absl::FailedPreconditionError("a stage is computed inside this loop");
    }
    if (!place.loop->prefetches.empty()) {
      return absl::FailedPreconditionError(absl::StrCat("loop ", axis, " has prefetches"));
    }
    places.push_back(place);
  }
  StageNest& stage = *places[0].stage;
  if (!stage.stage.reduction.empty()) {
    return absl::FailedPreconditionError("a stage with a reduction is not transposed");
  }
  std::vector<Loop> loops = stage.loops;
  for (const Place& place : places) loops[place.at].kind = ir::ForKind::kTransposed;
  ALT_RETURN_IF_ERROR(CheckKinds(loops));
  stage.loops = std::move(loops);
  stage.touched = true;
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
  if (prefetch.distance < 1 || prefetch.distance > kMaxDistance) {
    return absl::InvalidArgumentError(
        absl::StrCat("distance ", prefetch.distance, " is not within 1 and ", kMaxDistance));
  }
  if (stage->loops[at].kind == ir::ForKind::kTransposed) {
    return absl::FailedPreconditionError("the loop is transposed: nothing stands inside");
  }
  std::vector<Loop::PrefetchHint>& hints = stage->loops[at].prefetches;
  if (hints.size() == kMaxPrefetches) {
    return absl::FailedPreconditionError(
        absl::StrCat("the loop has ", kMaxPrefetches, " prefetches already"));
  }
  hints.push_back({prefetch.tensor, prefetch.distance});
  stage->touched = true;
  return absl::OkStatus();
}

}  // namespace alt::schedule
