// The rpcs that clients call.
#ifndef SERVER_SERVICE_TUNING_SERVICE_H_
#define SERVER_SERVICE_TUNING_SERVICE_H_

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "common/base/thread_pool.h"
#include "server/service/backup_calls.h"
#include "server/service/dispatch_loop.h"
#include "server/service/job_loop.h"
#include "server/service/server_metrics.h"
#include "server/store/tuning_store.h"

namespace alt::service {

// Everything must outlive the service.
struct TuningServiceParts {
  store::TuningStore& store;
  DispatchLoop& dispatch;
  JobLoop& jobs;
  ServerMetrics& metrics;
  base::ThreadPool& background;  // for what takes long
  BackupCalls& backups;
};

std::unique_ptr<grpc::Service> MakeTuningService(const TuningServiceParts& parts);

}  // namespace alt::service

#endif  // SERVER_SERVICE_TUNING_SERVICE_H_
