#ifndef SERVER_SERVICE_JOB_WATCHES_H_
#define SERVER_SERVICE_JOB_WATCHES_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/job/job.h"

namespace alt::service {

// Who follows a job.
class JobWatcher {
 public:
  virtual ~JobWatcher() = default;
  // A new state replaces one that could not be sent yet.
  virtual void OnState(std::shared_ptr<const job::Job> job) = 0;
  // No more states. The status is NotFound for a job that does not exist.
  virtual void OnEnd(const absl::Status& status) = 0;
};

// Who follows which job, and when they hear of it: a changed state soon but not too often, an
// unchanged one now and then, so that silence means a fault. Belongs to one thread. `now` is of a
// clock that is never set.
class JobWatches {
 public:
  using StateFunction =
      absl::AnyInvocable<absl::StatusOr<job::Job>(const std::string& job_id) const>;

  // States of one job are sent at least `least_interval` apart.
  JobWatches(absl::Duration least_interval, StateFunction state);

  // Tells the state at once, and those that follow; or, unless `goes_on`, that none follows.
  void Add(const std::string& job_id, std::shared_ptr<JobWatcher> watcher, bool goes_on);
  void Remove(const std::shared_ptr<JobWatcher>& watcher);

  // The next Flush that may, tells the new state.
  void MarkChanged(const std::string& job_id);
  void Flush(absl::Time now);
  // Tells the last state of a job, and that none follows.
  void End(const std::string& job_id);
  // Tells all that no state follows.
  void EndAll();

  bool empty() const { return watches_.empty(); }
  // When a changed state may be told; InfiniteFuture when none waits.
  absl::Time NextDue() const;

 private:
  struct Watch {
    std::vector<std::shared_ptr<JobWatcher>> watchers;
    absl::Time last_sent = absl::InfinitePast();
    bool changed = false;
  };

  const absl::Duration least_interval_;
  const StateFunction state_;
  std::map<std::string, Watch> watches_;
};

}  // namespace alt::service

#endif  // SERVER_SERVICE_JOB_WATCHES_H_
