#include "server/service/worker_service.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <utility>

#include "alt/v1/worker_service.grpc.pb.h"
#include "server/service/report_proto.h"
#include "server/service/status_mapping.h"

namespace alt::service {
namespace {

// One call, held until the dispatcher has something to say or the worker hangs up. Deletes itself.
class SynchronizeCall : public grpc::ServerUnaryReactor {
 public:
  SynchronizeCall(DispatchLoop& dispatch, const v1::SynchronizeRequest& request,
                  v1::SynchronizeResponse& response)
      : dispatch_(dispatch), response_(response) {
    absl::StatusOr<dispatch::Report> report = FromProto(request);
    if (!report.ok()) {
      *finished_ = true;
      Finish(ToGrpc(report.status()));
      return;
    }
    call_ = dispatch_.Synchronize(*std::move(report),
                                  [this, finished = finished_](dispatch::Orders orders) {
                                    // `this` may be gone if somebody else has finished the call.
                                    if (finished->exchange(true)) return;
                                    if (orders.status.ok()) response_ = ToProto(orders);
                                    Finish(ToGrpc(orders.status));
                                  });
  }

  void OnCancel() override {
    dispatch_.CallEnded(call_);
    if (!finished_->exchange(true)) Finish(grpc::Status::CANCELLED);
  }
  void OnDone() override { delete this; }

 private:
  DispatchLoop& dispatch_;
  v1::SynchronizeResponse& response_;
  const std::shared_ptr<std::atomic<bool>> finished_ = std::make_shared<std::atomic<bool>>(false);
  std::atomic<dispatch::CallId> call_{0};
};

class WorkerServiceImpl : public v1::WorkerService::CallbackService {
 public:
  explicit WorkerServiceImpl(DispatchLoop& dispatch) : dispatch_(dispatch) {}

  grpc::ServerUnaryReactor* Synchronize(grpc::CallbackServerContext*,
                                        const v1::SynchronizeRequest* request,
                                        v1::SynchronizeResponse* response) override {
    return new SynchronizeCall(dispatch_, *request, *response);
  }

 private:
  DispatchLoop& dispatch_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeWorkerService(DispatchLoop& dispatch) {
  return std::make_unique<WorkerServiceImpl>(dispatch);
}

}  // namespace alt::service
