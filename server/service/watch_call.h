// A stream of the tuning service. Deletes itself when gRPC is done with it.
#ifndef SERVER_SERVICE_WATCH_CALL_H_
#define SERVER_SERVICE_WATCH_CALL_H_

#include <grpcpp/grpcpp.h>

#include <string>

#include "alt/v1/tuning_service.pb.h"
#include "server/service/job_loop.h"

namespace alt::service {

// The states of one job, newest wins.
grpc::ServerWriteReactor<v1::WatchJobResponse>* StartWatchCall(JobLoop& jobs,
                                                               const std::string& job_id);

}  // namespace alt::service

#endif  // SERVER_SERVICE_WATCH_CALL_H_
