// The rpc that workers call.
#ifndef SERVER_SERVICE_WORKER_SERVICE_H_
#define SERVER_SERVICE_WORKER_SERVICE_H_

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "server/service/dispatch_loop.h"

namespace alt::service {

// The loop must outlive the service.
std::unique_ptr<grpc::Service> MakeWorkerService(DispatchLoop& dispatch);

}  // namespace alt::service

#endif  // SERVER_SERVICE_WORKER_SERVICE_H_
