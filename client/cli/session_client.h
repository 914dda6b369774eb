// The client of a session: a call whose private server is lost is made again, at another one.
#ifndef CLIENT_CLI_SESSION_CLIENT_H_
#define CLIENT_CLI_SESSION_CLIENT_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "client/include/alt/tuning_client.h"

namespace alt::cli {

// current: the client as it is now. reopen: after a call was Unavailable; OK when there is another
// client to ask. Every call may be made twice (tuning_service.proto); WatchJob is not, since its
// job has to be resumed first.
std::unique_ptr<client::TuningClient> MakeSessionClient(
    std::function<client::TuningClient&()> current,
    std::function<absl::Status(const absl::Status&)> reopen);

}  // namespace alt::cli

#endif  // CLIENT_CLI_SESSION_CLIENT_H_
