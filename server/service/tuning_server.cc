#include "server/service/tuning_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <chrono>
#include <initializer_list>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "common/base/thread_pool.h"
#include "server/service/dispatch_loop.h"
#include "server/service/job_loop.h"
#include "server/service/listen_address.h"
#include "server/service/tuning_service.h"
#include "server/service/worker_service.h"

namespace alt::service {
namespace {

constexpr int kMaxMessageBytes = 4 << 20;
constexpr int kMaxMetadataBytes = 16 << 10;
constexpr int kMaxStreams = 100;  // of one connection
constexpr int kSlowCalls = 2;     // at once
// Names in the health service.
constexpr char kTuningService[] = "alt.v1.TuningService";
constexpr char kWorkerService[] = "alt.v1.WorkerService";

void Configure(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreams);
  // Two servers on one port would each get a part of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Clients and workers ping every 20 s, also while nothing is under way.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
}

class GrpcTuningServer : public TuningServer {
 public:
  GrpcTuningServer(const ServerOptions& options, store::TuningStore& store,
                   metrics::Registry& registry, const base::Clock& clock)
      : metrics_(registry),
        background_(kSlowCalls, 16),
        backups_(store, background_, clock),
        dispatch_({.realm = store.Id(), .epoch = store.Epoch()}, clock, metrics_),
        jobs_({.keep_stopped = options.keep_stopped,
               .on_store_full = [this](bool full) { SayServing({kTuningService}, !full); }},
              store, dispatch_, clock, metrics_),
        tuning_service_(MakeTuningService({.store = store,
                                           .dispatch = dispatch_,
                                           .jobs = jobs_,
                                           .metrics = metrics_,
                                           .background = background_,
                                           .backups = backups_})),
        worker_service_(MakeWorkerService(dispatch_)) {}

  ~GrpcTuningServer() override {
    Drain(absl::Seconds(5));
    // Nobody calls any more; what the loops still do reaches the store or nobody.
    jobs_.Stop();
    dispatch_.Stop();
  }

  absl::Status Listen(const std::string& listen) {
    ALT_RETURN_IF_ERROR(CheckListenAddress(listen));
    grpc::ServerBuilder builder;
    Configure(builder);
    int port = 0;
    builder.AddListeningPort(listen, grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(tuning_service_.get());
    builder.RegisterService(worker_service_.get());
    dispatch_.Start(jobs_);
    jobs_.Start();
    server_ = builder.BuildAndStart();
    if (server_ != nullptr) {
      absl::MutexLock lock(&health_mutex_);
      health_ = server_->GetHealthCheckService();
    }
    if (server_ == nullptr) {
      return absl::UnavailableError(
          absl::StrCat("cannot listen on ", listen, ": is another server there?"));
    }
    SayServing({"", kTuningService, kWorkerService}, true);
    address_ = listen;
    if (!absl::StartsWith(listen, "unix:")) {
      std::string host = listen.substr(0, listen.rfind(':'));
      // Every address is none that could be called.
      if (host == "0.0.0.0" || host.empty()) host = "127.0.0.1";
      if (host == "[::]") host = "[::1]";
      address_ = absl::StrCat(host, ":", port);
    }
    return absl::OkStatus();
  }

  const std::string& address() const override { return address_; }

  void Drain(absl::Duration patience) override {
    if (server_ == nullptr) return;
    SayServing({"", kTuningService, kWorkerService}, false);
    {
      absl::MutexLock lock(&health_mutex_);
      health_ = nullptr;
    }
    dispatch_.Send(dispatch::Drain{});
    jobs_.EndWatches();
    backups_.CancelAll();
    server_->Shutdown(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(patience));
    server_.reset();
  }

 private:
  // "" is the server as a whole: it answers queries, whatever becomes of its disk.
  void SayServing(std::initializer_list<const char*> services, bool serving) {
    absl::MutexLock lock(&health_mutex_);
    if (health_ == nullptr) return;
    for (const char* service : services) health_->SetServingStatus(service, serving);
  }

  absl::Mutex health_mutex_;
  // Of server_; null while there is none.
  grpc::HealthCheckServiceInterface* health_ ABSL_GUARDED_BY(health_mutex_) = nullptr;
  // In the order of dependence.
  ServerMetrics metrics_;
  base::ThreadPool background_;
  BackupCalls backups_;
  DispatchLoop dispatch_;
  JobLoop jobs_;
  const std::unique_ptr<grpc::Service> tuning_service_;
  const std::unique_ptr<grpc::Service> worker_service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace

absl::Status CheckPlaintext(absl::string_view flag, absl::string_view listen, bool insecure) {
  if (insecure || IsLoopback(std::string(listen))) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(flag, "=", listen,
                   ": plaintext would leave this machine; add --insecure if the network is yours "
                   "alone"));
}

absl::StatusOr<std::unique_ptr<TuningServer>> TuningServer::Start(ServerOptions options,
                                                                  store::TuningStore& store,
                                                                  metrics::Registry& registry,
                                                                  const base::Clock& clock) {
  if (!absl::StrContains(options.listen, ':')) {
    return absl::InvalidArgumentError(
        absl::StrCat("--listen=", options.listen, ": neither HOST:PORT nor unix:PATH"));
  }
  ALT_RETURN_IF_ERROR(CheckPlaintext("--listen", options.listen, options.insecure));
  // Once for the process, before the first server is built.
  grpc::EnableDefaultHealthCheckService(true);
  auto server = std::make_unique<GrpcTuningServer>(options, store, registry, clock);
  ALT_RETURN_IF_ERROR(server->Listen(options.listen));
  return server;
}

}  // namespace alt::service
