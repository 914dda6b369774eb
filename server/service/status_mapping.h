// absl::Status to grpc::Status: both have the codes of google.rpc.Code.
#ifndef SERVER_SERVICE_STATUS_MAPPING_H_
#define SERVER_SERVICE_STATUS_MAPPING_H_

#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"

namespace alt::service {

// What there is no room for now is worth another try after this.
inline constexpr int kRetryAfterSeconds = 2;

// A ResourceExhausted carries a google.rpc.RetryInfo in its details, as clients of Google's APIs
// read it.
grpc::Status ToGrpc(const absl::Status& status);

}  // namespace alt::service

#endif  // SERVER_SERVICE_STATUS_MAPPING_H_
