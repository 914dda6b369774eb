#ifndef SERVER_SERVICE_LISTEN_ADDRESS_H_
#define SERVER_SERVICE_LISTEN_ADDRESS_H_

#include <string>

#include "absl/status/status.h"

namespace alt::service {

// Whether plaintext stays on this machine: a unix socket, or a HOST:PORT all of whose addresses are
// loopback ones. Names are resolved: 127.example.com need not be here.
bool IsLoopback(const std::string& listen);

// Whether a server can listen on HOST:PORT, tried before gRPC does, which would tell why not only
// in its own words on stderr. AlreadyExists: somebody listens there; PermissionDenied: the system
// does not let us; InvalidArgument: it is no address of this machine. Of unix:PATH a socket
// that a server left behind is removed.
absl::Status CheckListenAddress(const std::string& listen);

}  // namespace alt::service

#endif  // SERVER_SERVICE_LISTEN_ADDRESS_H_
