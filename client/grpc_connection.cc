#include "client/grpc_connection.h"

#include <grpcpp/generic/generic_stub.h>

#include <algorithm>
#include <chrono>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/wire/connection_text.h"

namespace alt::client {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(50);
constexpr absl::Duration kLastPause = absl::Seconds(1);

grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 50);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  args.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // The address is what it says: no proxy, no lookup of service configurations.
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  args.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  // Two clients of one process must not share a connection that one of them gave up.
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetMaxReceiveMessageSize(64 << 20);
  return args;
}

bool MayRetry(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

}  // namespace

absl::Status ToStatus(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

GrpcConnection::GrpcConnection(const std::string& address)
    : address_(address),
      channel_(
          grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), Arguments())) {}

void GrpcConnection::SetPatience(absl::Duration patience) {
  absl::MutexLock lock(&mutex_);
  patience_ = patience;
}

void GrpcConnection::Interrupt() {
  absl::MutexLock lock(&mutex_);
  interrupted_ = true;
  for (grpc::ClientContext* context : contexts_) context->TryCancel();
}

void GrpcConnection::ClearInterrupt() {
  absl::MutexLock lock(&mutex_);
  interrupted_ = false;
}

bool GrpcConnection::Register(grpc::ClientContext& context) {
  absl::MutexLock lock(&mutex_);
  if (interrupted_) return false;
  contexts_.insert(&context);
  return true;
}

bool GrpcConnection::Unregister(grpc::ClientContext& context) {
  absl::MutexLock lock(&mutex_);
  contexts_.erase(&context);
  return interrupted_;
}

bool GrpcConnection::Pause(absl::Duration duration) {
  const absl::Time end = absl::Now() + duration;
  // A channel connects only while somebody waits for it. A server that is there and says that it is
  // not available is not asked again at once.
  channel_->WaitForConnected(std::chrono::system_clock::now() +
                             absl::ToChronoMilliseconds(duration));
  absl::MutexLock lock(&mutex_);
  return !mutex_.AwaitWithTimeout(absl::Condition(&interrupted_),
                                  std::min(end - absl::Now(), kFirstPause));
}

absl::Status GrpcConnection::CallOnce(absl::Duration timeout, Attempt attempt) {
  grpc::ClientContext context;
  if (timeout > absl::ZeroDuration()) {
    context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(timeout));
  }
  if (!Register(context)) return absl::CancelledError("interrupted");
  const absl::Status status = ToStatus(attempt(context));
  const bool interrupted = Unregister(context);
  if (!MayRetry(status)) {
    absl::MutexLock lock(&mutex_);
    reached_ = reached_ || !interrupted;
  }
  // Not by us: a server that stops cancels the calls that it still has.
  if (!interrupted && absl::IsCancelled(status)) {
    return absl::UnavailableError("the server has ended the call");
  }
  return status;
}

absl::Duration GrpcConnection::Patience(const absl::Status& failure) {
  absl::MutexLock lock(&mutex_);
  return reached_ || !absl::IsUnavailable(failure) ? patience_ : absl::ZeroDuration();
}

absl::Status GrpcConnection::Call(absl::Duration timeout, Attempt attempt,
                                  absl::FunctionRef<bool()> progressed) {
  absl::Time away_since = absl::Now();
  absl::Duration pause = kFirstPause;
  while (true) {
    const absl::Status status = CallOnce(timeout, attempt);
    if (!MayRetry(status)) return status;
    if (progressed()) {
      away_since = absl::Now();
      pause = kFirstPause;
    }
    if (absl::Now() - away_since >= Patience(status)) {
      return absl::UnavailableError(
          absl::StrCat("no alt-server at ", address_, ": ", wire::ConnectionReason(status)));
    }
    if (!Pause(pause)) return absl::CancelledError("interrupted");
    pause = std::min(pause * 2, kLastPause);
  }
}

absl::Status CheckHealth(GrpcConnection& connection, absl::Duration timeout) {
  // Neither gRPC nor Debian ship the stub. The request is an empty message (the whole server); the
  // response's only field, number 1, is an enum whose value 1 is SERVING.
  static constexpr absl::string_view kServing("\x08\x01", 2);
  return connection.CallOnce(timeout, [&](grpc::ClientContext& context) {
    grpc::GenericStub stub(connection.channel());
    grpc::CompletionQueue queue;
    const grpc::Slice empty;
    const grpc::ByteBuffer request(&empty, 1);
    const auto call =
        stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request, &queue);
    call->StartCall();
    grpc::ByteBuffer response;
    grpc::Status status;
    call->Finish(&response, &status, nullptr);
    void* tag;
    bool ok;
    queue.Next(&tag, &ok);
    grpc::Slice bytes;
    if (!status.ok()) return status;
    if (!response.DumpToSingleSlice(&bytes).ok() ||
        absl::string_view(reinterpret_cast<const char*>(bytes.begin()), bytes.size()) != kServing) {
      return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "it does not serve yet");
    }
    return grpc::Status::OK;
  });
}

}  // namespace alt::client
