#ifndef SERVER_SERVICE_LISTEN_ADDRESS_H_
#define SERVER_SERVICE_LISTEN_ADDRESS_H_

#include <string>

#include "absl/status/status.h"

namespace alt::service {

// Whether a server can listen on HOST:PORT, tried before gRPC does, which would tell why not only
// in its own words on stderr. AlreadyExists: somebody listens there; PermissionDenied: the system
// does not let us; InvalidArgument: it is no address of this machine. Other forms (unix:PATH) are
// OK here.
absl::Status CheckListenAddress(const std::string& listen);

}  // namespace alt::service

#endif  // SERVER_SERVICE_LISTEN_ADDRESS_H_
