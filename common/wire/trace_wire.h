// Traces and candidates on the wire.
#ifndef COMMON_WIRE_TRACE_WIRE_H_
#define COMMON_WIRE_TRACE_WIRE_H_

#include "absl/status/statusor.h"
#include "alt/v1/candidate.pb.h"
#include "alt/v1/trace.pb.h"
#include "common/schedule/trace.h"
#include "common/workload/candidate.h"

namespace alt::wire {

v1::Instruction ToProto(const schedule::Instruction& instruction);
v1::Trace ToProto(const schedule::Trace& trace);
v1::Candidate ToProto(const workload::Candidate& candidate);

// InvalidArgument for a missing alternative, a name or a number out of bounds (bounds.h). Whether
// the candidate lowers is for lowering to say.
absl::StatusOr<schedule::Instruction> FromProto(const v1::Instruction& instruction);
absl::StatusOr<schedule::Trace> FromProto(const v1::Trace& trace);
absl::StatusOr<workload::Candidate> FromProto(const v1::Candidate& candidate);

}  // namespace alt::wire

#endif  // COMMON_WIRE_TRACE_WIRE_H_
