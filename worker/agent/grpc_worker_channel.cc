#include <grpcpp/grpcpp.h>

#include <chrono>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "alt/v1/worker_service.grpc.pb.h"
#include "common/wire/connection_text.h"
#include "worker/agent/worker_channel.h"

namespace alt::agent {
namespace {

grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments args;
  // A server that is being restarted is found again within a second or two.
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  // Cut connections are noticed although nothing is sent on them.
  args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  args.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // No name service, no proxy: the address is what it says.
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  args.SetMaxReceiveMessageSize(16 << 20);
  return args;
}

class GrpcWorkerChannel : public WorkerChannel {
 public:
  explicit GrpcWorkerChannel(const std::string& address)
      : stub_(v1::WorkerService::NewStub(
            grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), Arguments()))) {}

  absl::StatusOr<v1::SynchronizeResponse> Synchronize(const v1::SynchronizeRequest& request,
                                                      absl::Duration timeout) override {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(timeout));
    // Fails as soon as connecting does, with the reason: the agent tries again.
    context.set_wait_for_ready(false);
    SetCurrent(&context);
    v1::SynchronizeResponse response;
    const grpc::Status status = stub_->Synchronize(&context, request, &response);
    SetCurrent(nullptr);
    if (status.ok()) return response;
    // Both have the codes of google.rpc.Code.
    const auto code = static_cast<absl::StatusCode>(status.error_code());
    return absl::Status(code, wire::ConnectionReason(absl::Status(code, status.error_message())));
  }

  void Interrupt() override {
    absl::MutexLock lock(&mutex_);
    if (current_ != nullptr) current_->TryCancel();
  }

 private:
  void SetCurrent(grpc::ClientContext* context) {
    absl::MutexLock lock(&mutex_);
    current_ = context;
  }

  const std::unique_ptr<v1::WorkerService::Stub> stub_;
  absl::Mutex mutex_;
  grpc::ClientContext* current_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace

std::unique_ptr<WorkerChannel> MakeGrpcWorkerChannel(const std::string& address) {
  return std::make_unique<GrpcWorkerChannel>(address);
}

}  // namespace alt::agent
