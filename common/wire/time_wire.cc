#include "common/wire/time_wire.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::wire {
namespace {

// Bounds that the messages' own comments give.
constexpr int64_t kMaxSeconds = 315'576'000'000;
constexpr int64_t kFirstSecond = -62'135'596'800;
constexpr int64_t kLastSecond = 253'402'300'799;
constexpr int32_t kNanos = 1'000'000'000;

}  // namespace

google::protobuf::Duration ToProto(absl::Duration duration) {
  duration = std::clamp(duration, -absl::Seconds(kMaxSeconds), absl::Seconds(kMaxSeconds));
  google::protobuf::Duration out;
  absl::Duration rest;
  out.set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &rest));
  out.set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
  return out;
}

google::protobuf::Duration SecondsToProto(double seconds) {
  return ToProto(std::isfinite(seconds) ? absl::Seconds(seconds) : absl::ZeroDuration());
}

absl::StatusOr<absl::Duration> FromProto(const google::protobuf::Duration& duration) {
  if (duration.seconds() < -kMaxSeconds || duration.seconds() > kMaxSeconds ||
      duration.nanos() <= -kNanos || duration.nanos() >= kNanos) {
    return absl::InvalidArgumentError(absl::StrCat("duration out of range: ", duration.seconds(),
                                                   " s ", duration.nanos(), " ns"));
  }
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

absl::StatusOr<double> SecondsFromProto(const google::protobuf::Duration& duration) {
  ALT_ASSIGN_OR_RETURN(absl::Duration value, FromProto(duration));
  if (value < absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat("negative duration ", absl::FormatDuration(value)));
  }
  return absl::ToDoubleSeconds(value);
}

google::protobuf::Timestamp ToProto(absl::Time time) {
  time = std::clamp(time, absl::FromUnixSeconds(kFirstSecond), absl::FromUnixSeconds(kLastSecond));
  google::protobuf::Timestamp out;
  const int64_t seconds = absl::ToUnixSeconds(time);  // rounds down, so that nanos is positive
  out.set_seconds(seconds);
  out.set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
  return out;
}

absl::StatusOr<absl::Time> FromProto(const google::protobuf::Timestamp& time) {
  if (time.seconds() < kFirstSecond || time.seconds() > kLastSecond || time.nanos() < 0 ||
      time.nanos() >= kNanos) {
    return absl::InvalidArgumentError(
        absl::StrCat("time out of range: ", time.seconds(), " s ", time.nanos(), " ns"));
  }
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

}  // namespace alt::wire
