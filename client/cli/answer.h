// What query, and tune without trials, say of a server's answer.
#ifndef CLIENT_CLI_ANSWER_H_
#define CLIENT_CLI_ANSWER_H_

#include "client/cli/session.h"
#include "common/job/answer.h"

namespace alt::cli {

// Sets the result; prints it where no JSON is wanted.
void ShowAnswer(Context& context, Session& session, const job::QuerySpec& spec,
                const job::Answer& answer);

}  // namespace alt::cli

#endif  // CLIENT_CLI_ANSWER_H_
