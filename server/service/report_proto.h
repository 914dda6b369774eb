// Worker messages to and from the dispatcher's types.
#ifndef SERVER_SERVICE_REPORT_PROTO_H_
#define SERVER_SERVICE_REPORT_PROTO_H_

#include "absl/status/statusor.h"
#include "alt/v1/worker_service.pb.h"
#include "server/dispatch/protocol.h"

namespace alt::service {

// InvalidArgument for a bad name, facts, result or too many of anything.
absl::StatusOr<dispatch::Report> FromProto(const v1::SynchronizeRequest& request);

// Of orders whose status is OK.
v1::SynchronizeResponse ToProto(const dispatch::Orders& orders);

}  // namespace alt::service

#endif  // SERVER_SERVICE_REPORT_PROTO_H_
