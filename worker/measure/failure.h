#ifndef WORKER_MEASURE_FAILURE_H_
#define WORKER_MEASURE_FAILURE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "common/measure/measure_result.h"

namespace alt::worker {

// How a candidate failed, and why: the outcome of its measurement.
struct Failure {
  measure::Outcome outcome;
  std::string message;
};

// Of a step that fails by a status. What the code generator and the linker refuse is the
// candidate's; a host that has no room, processes or descriptors left is not, and the candidate may
// be good elsewhere.
inline Failure FailureOf(const absl::Status& status) {
  using measure::Outcome;
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kInternal:
      return {Outcome::kCompileError, std::string(status.message())};
    default:
      return {Outcome::kWorkerLost, std::string(status.message())};
  }
}

// Of operands that would take the memory that the worker itself and others need.
inline std::optional<Failure> TooLarge(double needed_bytes, int64_t most_bytes) {
  if (most_bytes <= 0 || needed_bytes <= static_cast<double>(most_bytes)) return std::nullopt;
  return Failure{
      measure::Outcome::kOomHost,
      absl::StrFormat("the operands take about %.1f GiB; this worker uses at most %.1f",
                      needed_bytes / (1 << 30), static_cast<double>(most_bytes) / (1 << 30))};
}

}  // namespace alt::worker

#endif  // WORKER_MEASURE_FAILURE_H_
