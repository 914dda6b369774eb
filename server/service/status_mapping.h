// absl::Status to grpc::Status: both have the codes of google.rpc.Code.
#ifndef SERVER_SERVICE_STATUS_MAPPING_H_
#define SERVER_SERVICE_STATUS_MAPPING_H_

#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"

namespace alt::service {

inline grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}

}  // namespace alt::service

#endif  // SERVER_SERVICE_STATUS_MAPPING_H_
