// Tuning records on the wire.
#ifndef COMMON_WIRE_RECORD_WIRE_H_
#define COMMON_WIRE_RECORD_WIRE_H_

#include "absl/status/statusor.h"
#include "alt/v1/record.pb.h"
#include "common/measure/tuning_record.h"

namespace alt::wire {

v1::TuningRecord ToProto(const measure::TuningRecord& record);

// InvalidArgument for what the parts refuse, and for an id that is not the one of the three keys.
absl::StatusOr<measure::TuningRecord> FromProto(const v1::TuningRecord& record);

}  // namespace alt::wire

#endif  // COMMON_WIRE_RECORD_WIRE_H_
