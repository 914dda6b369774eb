// Requests, results and facts of measurement on the wire.
#ifndef COMMON_WIRE_MEASURE_WIRE_H_
#define COMMON_WIRE_MEASURE_WIRE_H_

#include "absl/status/statusor.h"
#include "alt/v1/measure.pb.h"
#include "alt/v1/worker_service.pb.h"
#include "common/measure/environment.h"
#include "common/measure/measurer.h"

namespace alt::wire {

v1::Outcome ToProto(measure::Outcome outcome);
v1::CacheState ToProto(measure::CacheState state);
v1::MeasureMode ToProto(measure::MeasureMode mode);
v1::Latency ToProto(const measure::Latency& latency);
v1::PhaseTimes ToProto(const measure::PhaseSeconds& seconds);
v1::MeasureResult ToProto(const measure::MeasureResult& result);
v1::MeasureLimits ToProto(const measure::MeasureLimits& limits);
v1::MeasureWork ToProto(const measure::MeasureRequest& request);
v1::Peak ToProto(const measure::Peak& peak);
v1::WorkerFacts ToProto(const measure::WorkerFacts& facts);

// InvalidArgument for unknown or missing enumerators, numbers that are not finite or out of bounds
// (bounds.h), texts that do not parse, and results whose parts contradict one another.
absl::StatusOr<measure::Outcome> FromProto(v1::Outcome outcome);
absl::StatusOr<measure::CacheState> FromProto(v1::CacheState state);
absl::StatusOr<measure::MeasureMode> FromProto(v1::MeasureMode mode);
absl::StatusOr<measure::Latency> FromProto(const v1::Latency& latency);
absl::StatusOr<measure::PhaseSeconds> FromProto(const v1::PhaseTimes& times);
absl::StatusOr<measure::MeasureResult> FromProto(const v1::MeasureResult& result);
absl::StatusOr<measure::MeasureLimits> FromProto(const v1::MeasureLimits& limits);
absl::StatusOr<measure::MeasureRequest> FromProto(const v1::MeasureWork& work);
absl::StatusOr<measure::Peak> FromProto(const v1::Peak& peak);
absl::StatusOr<measure::WorkerFacts> FromProto(const v1::WorkerFacts& facts);

}  // namespace alt::wire

#endif  // COMMON_WIRE_MEASURE_WIRE_H_
