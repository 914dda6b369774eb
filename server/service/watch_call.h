// Streams of the tuning service. Each deletes itself when gRPC is done with it.
#ifndef SERVER_SERVICE_WATCH_CALL_H_
#define SERVER_SERVICE_WATCH_CALL_H_

#include <grpcpp/grpcpp.h>

#include <string>

#include "alt/v1/tuning_service.pb.h"
#include "common/base/thread_pool.h"
#include "server/service/job_loop.h"
#include "server/store/tuning_store.h"

namespace alt::service {

// The states of one job, newest wins.
grpc::ServerWriteReactor<v1::WatchJobResponse>* StartWatchCall(JobLoop& jobs,
                                                               const std::string& job_id);

// A copy of the database, made in the background into `path` and removed at the end.
grpc::ServerWriteReactor<v1::BackupResponse>* StartBackupCall(store::TuningStore& store,
                                                              base::ThreadPool& background,
                                                              const std::string& path);

}  // namespace alt::service

#endif  // SERVER_SERVICE_WATCH_CALL_H_
