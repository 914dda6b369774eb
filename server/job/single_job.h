// Jobs of one unit of work, without a search: bench and peak. What came of it is in the job's
// progress, not among the records: looking at a candidate does not change what a query answers.
#ifndef SERVER_JOB_SINGLE_JOB_H_
#define SERVER_JOB_SINGLE_JOB_H_

#include <memory>

#include "absl/status/statusor.h"
#include "server/job/running_job.h"

namespace alt::job {

// Times one candidate in turns with the FMA loop: the spec's, or what a query answers when the job
// first runs.
absl::StatusOr<std::unique_ptr<RunningJob>> MakeBenchJob(const store::Job& job,
                                                         const store::TuningStore& store);
// Measures the limits of a machine.
std::unique_ptr<RunningJob> MakePeakJob(const store::Job& job);

}  // namespace alt::job

#endif  // SERVER_JOB_SINGLE_JOB_H_
