// Times and durations on the wire.
#ifndef COMMON_WIRE_TIME_WIRE_H_
#define COMMON_WIRE_TIME_WIRE_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace alt::wire {

// Clamped to the +-10,000 years of the message.
google::protobuf::Duration ToProto(absl::Duration duration);
google::protobuf::Duration SecondsToProto(double seconds);
// InvalidArgument outside of +-10,000 years or with nanoseconds out of range.
absl::StatusOr<absl::Duration> FromProto(const google::protobuf::Duration& duration);
// The same, and not negative.
absl::StatusOr<double> SecondsFromProto(const google::protobuf::Duration& duration);

// Clamped to the years 1 to 9999.
google::protobuf::Timestamp ToProto(absl::Time time);
absl::StatusOr<absl::Time> FromProto(const google::protobuf::Timestamp& time);

}  // namespace alt::wire

#endif  // COMMON_WIRE_TIME_WIRE_H_
