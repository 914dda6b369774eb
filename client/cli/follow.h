// Following a job to its end, on behalf of the commands that wait for one.
#ifndef CLIENT_CLI_FOLLOW_H_
#define CLIENT_CLI_FOLLOW_H_

#include <string>

#include "absl/status/statusor.h"
#include "client/cli/session.h"
#include "common/job/job.h"

namespace alt::cli {

enum class OnInterrupt {
  kStop,    // stop the job and say how to resume it
  kDetach,  // leave the job alone
  kDrop,    // stop the job; nothing is worth resuming
};

// Creates a job; the request id makes a retry harmless.
absl::StatusOr<job::Job> Submit(Session& session, const job::JobSpec& spec);

// Shows progress until the job rests. Ctrl-C is Cancelled with exit code 130. A private server that
// dies is started anew and the job resumed. A job that failed or was stopped is an error that says
// why.
absl::StatusOr<job::Job> Follow(Context& context, Session& session, const std::string& job,
                                OnInterrupt on_interrupt);

// What tune, resume and watch print of a tuning job that rests.
void PrintTuned(Context& context, Session& session, const job::Job& job);

}  // namespace alt::cli

#endif  // CLIENT_CLI_FOLLOW_H_
