// Jobs, questions and answers on the wire.
#ifndef COMMON_WIRE_JOB_WIRE_H_
#define COMMON_WIRE_JOB_WIRE_H_

#include "absl/status/statusor.h"
#include "alt/v1/job.pb.h"
#include "alt/v1/tuning_service.pb.h"
#include "common/job/answer.h"
#include "common/job/job.h"

namespace alt::wire {

v1::JobSpec ToProto(const job::JobSpec& spec);
v1::Job ToProto(const job::Job& job);
v1::Answer ToProto(const job::Answer& answer);
v1::QueryRequest ToProto(const job::QuerySpec& spec);
v1::WorkerStatus ToProto(const job::WorkerStatus& worker);
v1::StatsResponse ToProto(const job::Stats& stats);
v1::VerifyResponse ToProto(const job::VerifyReport& report);
v1::ListStaleResponse ToProto(const job::StaleReport& report);
v1::Trial ToProto(const job::Trial& trial);
v1::ReplayResponse ToProto(const job::ReplayReport& report);

// InvalidArgument for a missing or unknown alternative, a text that does not parse and a number out
// of bounds.
absl::StatusOr<job::JobSpec> FromProto(const v1::JobSpec& spec);
absl::StatusOr<job::Job> FromProto(const v1::Job& job);
absl::StatusOr<job::Answer> FromProto(const v1::Answer& answer);
absl::StatusOr<job::QuerySpec> FromProto(const v1::QueryRequest& request);
absl::StatusOr<job::WorkerStatus> FromProto(const v1::WorkerStatus& worker);
absl::StatusOr<job::Stats> FromProto(const v1::StatsResponse& response);
absl::StatusOr<job::Trial> FromProto(const v1::Trial& trial);
job::VerifyReport FromProto(const v1::VerifyResponse& response);
absl::StatusOr<job::StaleReport> FromProto(const v1::ListStaleResponse& response);
job::ReplayReport FromProto(const v1::ReplayResponse& response);

}  // namespace alt::wire

#endif  // COMMON_WIRE_JOB_WIRE_H_
