// Workloads on the wire.
#ifndef COMMON_WIRE_WORKLOAD_WIRE_H_
#define COMMON_WIRE_WORKLOAD_WIRE_H_

#include "absl/status/statusor.h"
#include "alt/v1/workload.pb.h"
#include "common/workload/workload.h"

namespace alt::wire {

v1::Workload ToProto(const workload::Workload& workload);

// InvalidArgument for a missing alternative, and for what workload::Validate refuses.
absl::StatusOr<workload::Workload> FromProto(const v1::Workload& workload);

}  // namespace alt::wire

#endif  // COMMON_WIRE_WORKLOAD_WIRE_H_
