#ifndef SERVER_SERVICE_BACKUP_CALLS_H_
#define SERVER_SERVICE_BACKUP_CALLS_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "alt/v1/tuning_service.pb.h"
#include "common/base/clock.h"
#include "common/base/thread_pool.h"
#include "server/service/event_loop.h"
#include "server/store/tuning_store.h"

namespace alt::service {

// Copies of the database on their way to clients. Each holds as much of the disk as the database
// until its call ends; so there are few, and one whose client does not read is cancelled. Safe from
// every thread.
class BackupCalls {
 public:
  using Reactor = grpc::ServerWriteReactor<v1::BackupResponse>;

  // Everything must outlive the object; copies are made in the background.
  BackupCalls(store::TuningStore& store, base::ThreadPool& background, const base::Clock& clock,
              absl::Duration patience = absl::Seconds(30));
  ~BackupCalls() { loop_.Stop(); }

  Reactor* Start(grpc::CallbackServerContext* context);
  // The server stops: clients can ask again.
  void CancelAll();

 private:
  class Call;

  // False: there is no room for it.
  bool Add(Call* call);
  void Remove(Call* call);
  void MadeProgress(Call* call);
  void CancelStalled();
  absl::Duration NextWake();

  store::TuningStore& store_;
  base::ThreadPool& background_;
  const base::Clock& clock_;
  const absl::Duration patience_;
  absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<Call*, absl::Duration> calls_ ABSL_GUARDED_BY(mutex_);  // when it last went on
  EventLoop loop_;                                                 // last: uses the others
};

}  // namespace alt::service

#endif  // SERVER_SERVICE_BACKUP_CALLS_H_
