// Messages of the tuning service to and from the client's types.
#ifndef CLIENT_JOB_WIRE_H_
#define CLIENT_JOB_WIRE_H_

#include "absl/status/statusor.h"
#include "alt/v1/tuning_service.pb.h"
#include "client/include/alt/tuning_client.h"

namespace alt::client {

v1::JobSpec ToProto(const job::JobSpec& spec);
v1::QueryRequest ToProto(const job::QuerySpec& spec);

absl::StatusOr<job::JobSpec> FromProto(const v1::JobSpec& spec);
absl::StatusOr<job::Job> FromProto(const v1::Job& job);
absl::StatusOr<job::Answer> FromProto(const v1::QueryResponse& response);
absl::StatusOr<job::WorkerStatus> FromProto(const v1::WorkerStatus& worker);
absl::StatusOr<job::Stats> FromProto(const v1::StatsResponse& response);

}  // namespace alt::client

#endif  // CLIENT_JOB_WIRE_H_
