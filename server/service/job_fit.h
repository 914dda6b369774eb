// Whether a job can be measured by the workers that there are.
#ifndef SERVER_SERVICE_JOB_FIT_H_
#define SERVER_SERVICE_JOB_FIT_H_

#include <optional>

#include "absl/status/status.h"
#include "common/job/job_spec.h"
#include "common/measure/environment.h"
#include "server/dispatch/dispatcher.h"

namespace alt::service {

// A worker that serves the target, of several one with the most memory.
std::optional<measure::WorkerFacts> WorkerFor(const target::Target& target,
                                              const dispatch::Dispatcher& dispatcher);

// FailedPrecondition when the job's workload needs more memory than that worker has; without a
// worker, than any machine has.
absl::Status CheckFits(const job::JobSpec& spec, const std::optional<measure::WorkerFacts>& worker);

}  // namespace alt::service

#endif  // SERVER_SERVICE_JOB_FIT_H_
