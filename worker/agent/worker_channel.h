// The one rpc between a worker and its server, as an interface: gRPC in the program, a fake in
// tests.
#ifndef WORKER_AGENT_WORKER_CHANNEL_H_
#define WORKER_AGENT_WORKER_CHANNEL_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "alt/v1/worker_service.pb.h"

namespace alt::agent {

// One call at a time; Interrupt may come from any thread.
class WorkerChannel {
 public:
  virtual ~WorkerChannel() = default;

  // Errors have the codes of worker_service.proto, Unavailable also when the server cannot be
  // reached (at once when the connection is refused); DeadlineExceeded after `timeout`, Cancelled
  // when interrupted. Messages are for people.
  virtual absl::StatusOr<v1::SynchronizeResponse> Synchronize(const v1::SynchronizeRequest& request,
                                                              absl::Duration timeout) = 0;
  // Ends the call that is under way, if any. Losing it is harmless.
  virtual void Interrupt() = 0;
};

// address: HOST:PORT or unix:PATH. Connects on first use, and again whenever needed.
std::unique_ptr<WorkerChannel> MakeGrpcWorkerChannel(const std::string& address);

}  // namespace alt::agent

#endif  // WORKER_AGENT_WORKER_CHANNEL_H_
