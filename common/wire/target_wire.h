// Targets on the wire.
#ifndef COMMON_WIRE_TARGET_WIRE_H_
#define COMMON_WIRE_TARGET_WIRE_H_

#include "absl/status/statusor.h"
#include "alt/v1/target.pb.h"
#include "common/target/target.h"

namespace alt::wire {

v1::Target ToProto(const target::Target& target);

// InvalidArgument for a missing alternative and for what target::Validate refuses.
absl::StatusOr<target::Target> FromProto(const v1::Target& target);

}  // namespace alt::wire

#endif  // COMMON_WIRE_TARGET_WIRE_H_
