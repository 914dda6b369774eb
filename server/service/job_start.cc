#include "server/service/job_start.h"

namespace alt::service {

store::Job Started(store::Job job, const measure::WorkerFacts& facts, int64_t sequence,
                   absl::Time now) {
  if (!job.start) {
    job.start = store::JobStart{.sequence = sequence,
                                .l1_bytes = facts.l1_bytes,
                                .l2_bytes = facts.l2_bytes,
                                .time = now,
                                .validators = facts.validators};
  }
  return job;
}

}  // namespace alt::service
