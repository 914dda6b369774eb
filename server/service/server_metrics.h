// What alt-server counts about itself, for /metrics.
#ifndef SERVER_SERVICE_SERVER_METRICS_H_
#define SERVER_SERVICE_SERVER_METRICS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/metrics/registry.h"
#include "server/dispatch/protocol.h"
#include "server/store/job.h"

namespace alt::service {

// Safe from every thread. The registry must outlive it.
class ServerMetrics {
 public:
  explicit ServerMetrics(metrics::Registry& registry);

  void CountResults(const dispatch::Results& results);
  void CountWorkerChange(const dispatch::WorkerChanged& changed);
  // A job has reached this state.
  void CountJob(job::JobState state);
  void CountQuery(absl::string_view source);
  // A call of `method` ended with this code, "OK" among them.
  void CountRpc(absl::string_view method, absl::string_view code);
  void ObserveCommit(absl::Duration duration);
  void ObservePropose(absl::Duration duration);
  void SetWorkers(int64_t workers) { workers_.Set(static_cast<double>(workers)); }
  void SetUnfinishedJobs(int64_t jobs) { unfinished_jobs_.Set(static_cast<double>(jobs)); }
  void SetStoreFull(bool full) { store_full_.Set(full); }
  void SetDatabaseBytes(int64_t bytes) { database_.Set(static_cast<double>(bytes)); }
  // A candidate went to a worker that long after it was submitted.
  void ObserveLeaseWait(absl::Duration duration);
  void SetRecords(int64_t records) { records_.Set(static_cast<double>(records)); }

 private:
  metrics::Registry& registry_;
  metrics::Gauge& workers_;
  metrics::Gauge& unfinished_jobs_;
  metrics::Gauge& records_;
  metrics::Gauge& store_full_;
  metrics::Gauge& database_;
  metrics::Histogram& lease_wait_;
  metrics::Histogram& commit_;
  metrics::Histogram& propose_;
};

}  // namespace alt::service

#endif  // SERVER_SERVICE_SERVER_METRICS_H_
