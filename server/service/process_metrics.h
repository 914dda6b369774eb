// What the kernel knows of this process and its disk, for /metrics.
#ifndef SERVER_SERVICE_PROCESS_METRICS_H_
#define SERVER_SERVICE_PROCESS_METRICS_H_

#include <string>

#include "common/metrics/registry.h"

namespace alt::service {

// Gauges that are read when they are asked for: resident memory, CPU time, open descriptors, start
// time, and room on the disk that holds `path`.
void AddProcessMetrics(metrics::Registry& registry, const std::string& path);

}  // namespace alt::service

#endif  // SERVER_SERVICE_PROCESS_METRICS_H_
