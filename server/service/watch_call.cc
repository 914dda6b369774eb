#include "server/service/watch_call.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/wire/job_wire.h"
#include "server/service/status_mapping.h"

namespace alt::service {
namespace {

class WatchCall;

// What the job loop knows of a call; outlives it.
class Watcher : public JobWatcher {
 public:
  explicit Watcher(WatchCall* call) : call_(call) {}

  void OnState(std::shared_ptr<const job::Job> job) override {
    absl::MutexLock lock(&mutex_);
    next_ = std::move(job);
    Proceed();
  }
  void OnEnd(const absl::Status& status) override {
    absl::MutexLock lock(&mutex_);
    end_ = ToGrpc(status);
    Proceed();
  }
  void OnWritten(bool ok) {
    absl::MutexLock lock(&mutex_);
    writing_ = false;
    if (!ok) end_ = grpc::Status::CANCELLED;  // nobody reads any more
    if (!ok) next_ = nullptr;
    Proceed();
  }
  // The client has gone, or the call is over.
  void OnCancel() {
    absl::MutexLock lock(&mutex_);
    end_ = grpc::Status::CANCELLED;
    next_ = nullptr;
    Proceed();
  }

 private:
  // One write at a time, then the end; both once.
  void Proceed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  WatchCall* call_ ABSL_GUARDED_BY(mutex_);  // null once it was told to finish
  std::shared_ptr<const job::Job> next_ ABSL_GUARDED_BY(mutex_);
  std::optional<grpc::Status> end_ ABSL_GUARDED_BY(mutex_);
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
};

class WatchCall : public grpc::ServerWriteReactor<v1::WatchJobResponse> {
 public:
  WatchCall(JobLoop& jobs, const std::string& job_id)
      : jobs_(jobs), watcher_(std::make_shared<Watcher>(this)) {
    jobs_.Watch(job_id, watcher_);
  }

  void Write(const job::Job& job) {
    *response_.mutable_job() = wire::ToProto(job);
    StartWrite(&response_);
  }

  void OnWriteDone(bool ok) override { watcher_->OnWritten(ok); }
  void OnCancel() override { watcher_->OnCancel(); }
  void OnDone() override {
    jobs_.Unwatch(watcher_);
    delete this;
  }

 private:
  JobLoop& jobs_;
  const std::shared_ptr<Watcher> watcher_;
  v1::WatchJobResponse response_;
};

void Watcher::Proceed() {
  if (call_ == nullptr || writing_) return;
  if (next_) {
    writing_ = true;
    call_->Write(*std::exchange(next_, nullptr));
  } else if (end_) {
    std::exchange(call_, nullptr)->Finish(*end_);
  }
}

}  // namespace

grpc::ServerWriteReactor<v1::WatchJobResponse>* StartWatchCall(JobLoop& jobs,
                                                               const std::string& job_id) {
  return new WatchCall(jobs, job_id);
}

}  // namespace alt::service
