#ifndef SERVER_SERVICE_JOB_START_H_
#define SERVER_SERVICE_JOB_START_H_

#include <cstdint>

#include "absl/time/time.h"
#include "common/measure/environment.h"
#include "server/store/job.h"

namespace alt::service {

// A job with what the first start needs; one that has started before as it is.
store::Job Started(store::Job job, const measure::WorkerFacts& facts, int64_t sequence,
                   absl::Time now);

}  // namespace alt::service

#endif  // SERVER_SERVICE_JOB_START_H_
