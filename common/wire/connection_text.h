#ifndef COMMON_WIRE_CONNECTION_TEXT_H_
#define COMMON_WIRE_CONNECTION_TEXT_H_

#include <string>

#include "absl/status/status.h"

namespace alt::wire {

// Why a server could not be reached, in words for people, from the status of a call: gRPC wraps the
// system's reason into its own.
//   "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: Failed to connect
//    to remote host: Connection refused"  -->  "connection refused"
std::string ConnectionReason(const absl::Status& status);

}  // namespace alt::wire

#endif  // COMMON_WIRE_CONNECTION_TEXT_H_
