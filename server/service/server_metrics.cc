#include "server/service/server_metrics.h"

#include "common/base/version.h"

namespace alt::service {
namespace {

const char* ChangeLabel(dispatch::WorkerChanged::Change change) {
  switch (change) {
    case dispatch::WorkerChanged::Change::kJoined:
      return "joined";
    case dispatch::WorkerChanged::Change::kLeft:
      return "left";
    case dispatch::WorkerChanged::Change::kLost:
      return "lost";
    case dispatch::WorkerChanged::Change::kReplaced:
      return "replaced";
  }
  return "";
}

}  // namespace

ServerMetrics::ServerMetrics(metrics::Registry& registry)
    : registry_(registry),
      workers_(registry.AddGauge("alt_server_workers", "Registered workers.")),
      unfinished_jobs_(registry.AddGauge("alt_server_unfinished_jobs", "Jobs queued or running.")),
      records_(registry.AddGauge("alt_server_records", "Records in the database.")),
      store_full_(registry.AddGauge("alt_server_store_full",
                                    "1 while writes find the disk or the queue full.")),
      database_(registry.AddGauge("alt_server_database_bytes", "Size of the database.")),
      lease_wait_(registry.AddHistogram("alt_server_lease_wait_seconds",
                                        "From a candidate's submission to its first lease.",
                                        metrics::ExponentialBounds(0.001, 4, 10))),
      commit_(registry.AddHistogram("alt_server_commit_seconds",
                                    "From a write's request to its acknowledgement.",
                                    metrics::ExponentialBounds(0.0005, 2, 14))),
      propose_(registry.AddHistogram("alt_server_propose_seconds",
                                     "Search after each batch of results.",
                                     metrics::ExponentialBounds(0.001, 2, 14))) {
  registry.AddGauge("alt_server_build_info", "Always 1.", {{"version", base::kVersion}}).Set(1);
}

void ServerMetrics::CountResults(const dispatch::Results& results) {
  for (const auto& [index, result] : results.results) {
    registry_
        .AddCounter("alt_server_results_total", "Final results of candidates.",
                    {{"outcome", std::string(measure::OutcomeName(result.outcome))}})
        .Increment();
  }
}

void ServerMetrics::CountWorkerChange(const dispatch::WorkerChanged& changed) {
  registry_
      .AddCounter("alt_server_worker_changes_total", "Workers that came and went.",
                  {{"change", ChangeLabel(changed.change)}})
      .Increment();
}

void ServerMetrics::CountJob(job::JobState state) {
  registry_
      .AddCounter("alt_server_jobs_total", "Jobs that reached a state.",
                  {{"state", std::string(job::JobStateName(state))}})
      .Increment();
}

void ServerMetrics::CountQuery(absl::string_view source) {
  registry_
      .AddCounter("alt_server_queries_total", "Queries by where the answer came from.",
                  {{"source", std::string(source)}})
      .Increment();
}

void ServerMetrics::CountRpc(absl::string_view method, absl::string_view code) {
  registry_
      .AddCounter("alt_server_rpcs_total", "Calls of the tuning service.",
                  {{"method", std::string(method)}, {"code", std::string(code)}})
      .Increment();
}

void ServerMetrics::ObserveCommit(absl::Duration duration) {
  commit_.Observe(absl::ToDoubleSeconds(duration));
}
void ServerMetrics::ObserveLeaseWait(absl::Duration duration) {
  lease_wait_.Observe(absl::ToDoubleSeconds(duration));
}
void ServerMetrics::ObservePropose(absl::Duration duration) {
  propose_.Observe(absl::ToDoubleSeconds(duration));
}

}  // namespace alt::service
