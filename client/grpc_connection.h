// One connection to an alt-server: retries, interruption and deadlines of calls.
#ifndef CLIENT_GRPC_CONNECTION_H_
#define CLIENT_GRPC_CONNECTION_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace alt::client {

// Both have the codes of google.rpc.Code.
absl::Status ToStatus(const grpc::Status& status);

// Safe from every thread.
class GrpcConnection {
 public:
  explicit GrpcConnection(const std::string& address);

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

  void SetPatience(absl::Duration patience);
  void Interrupt();
  void ClearInterrupt();

  // One attempt; the context is cancelled by Interrupt. A timeout of zero is none.
  using Attempt = absl::FunctionRef<grpc::Status(grpc::ClientContext&)>;
  absl::Status CallOnce(absl::Duration timeout, Attempt attempt);

  // Attempts until one gets an answer from the server, whatever it is, or the server was away for
  // longer than the patience. A server that was never reached and refuses is given up at once.
  // `progressed` is asked after each failure: true starts patience anew.
  absl::Status Call(
      absl::Duration timeout, Attempt attempt,
      absl::FunctionRef<bool()> progressed = [] { return false; });

 private:
  // False: interrupted.
  bool Register(grpc::ClientContext& context);
  // True: interrupted.
  bool Unregister(grpc::ClientContext& context);
  // How long the server may be away now.
  absl::Duration Patience(const absl::Status& failure);
  // Waits for a connection, at most so long. False: interrupted.
  bool Pause(absl::Duration duration);

  const std::string address_;
  const std::shared_ptr<grpc::Channel> channel_;
  absl::Mutex mutex_;
  absl::Duration patience_ ABSL_GUARDED_BY(mutex_) = absl::Seconds(60);
  bool interrupted_ ABSL_GUARDED_BY(mutex_) = false;
  bool reached_ ABSL_GUARDED_BY(mutex_) = false;  // the server has answered once
  absl::flat_hash_set<grpc::ClientContext*> contexts_ ABSL_GUARDED_BY(mutex_);
};

// The standard health service, for the server as a whole. FailedPrecondition when it is there and
// does not serve yet; Unavailable says why it cannot be reached.
absl::Status CheckHealth(GrpcConnection& connection, absl::Duration timeout);

}  // namespace alt::client

#endif  // CLIENT_GRPC_CONNECTION_H_
