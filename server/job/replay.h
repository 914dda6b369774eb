#ifndef SERVER_JOB_REPLAY_H_
#define SERVER_JOB_REPLAY_H_

#include "absl/status/statusor.h"
#include "common/job/answer.h"
#include "server/job/tuning_task.h"

namespace alt::job {

// Pushes a job's log through a fresh tuner and compares what it proposes with what it proposed
// then. Measures nothing. Errors when the job's own text is bad or it never started.
absl::StatusOr<ReplayReport> Replay(const store::Job& job, const Snapshot& snapshot,
                                    const store::JobLog& log);

}  // namespace alt::job

#endif  // SERVER_JOB_REPLAY_H_
