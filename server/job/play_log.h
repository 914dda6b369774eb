#ifndef SERVER_JOB_PLAY_LOG_H_
#define SERVER_JOB_PLAY_LOG_H_

#include <deque>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "server/job/tuning_task.h"

namespace alt::job {

// What a tuner proposes at this moment, all of it. A job asks so at its start and after every
// change, and what is proposed depends on when it is asked.
void TakeProposals(search::Tuner& tuner, std::deque<search::Batch>& proposed);

// Pushes the log of a job through a fresh tuner of its task, as the job did. Calls on_proposal with
// each batch that the log has and on_observed after each observation. Returns what the tuner
// proposes beyond the log. DataLoss at the first difference, with a message that shows it.
absl::StatusOr<std::deque<search::Batch>> PlayLog(
    const store::JobLog& log, search::Tuner& tuner,
    absl::FunctionRef<void(const search::Batch&)> on_proposal,
    absl::FunctionRef<void()> on_observed);

}  // namespace alt::job

#endif  // SERVER_JOB_PLAY_LOG_H_
