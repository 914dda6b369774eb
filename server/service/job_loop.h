// All unfinished jobs, with a thread around them: between clients, the store and the dispatcher.
#ifndef SERVER_SERVICE_JOB_LOOP_H_
#define SERVER_SERVICE_JOB_LOOP_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/thread_pool.h"
#include "common/job/job.h"
#include "server/job/running_job.h"
#include "server/service/dispatch_loop.h"
#include "server/service/event_loop.h"
#include "server/service/job_watches.h"
#include "server/service/server_metrics.h"
#include "server/store/tuning_store.h"

namespace alt::service {

struct JobLoopOptions {
  bool keep_stopped = false;  // jobs of an earlier life stay stopped until somebody resumes them
  int64_t max_unfinished = 1000;
  int64_t max_unfinished_of_client = 250;
  absl::Duration heartbeat = absl::Seconds(1);
  // Until a write that found the disk or the queue full is tried again.
  absl::Duration retry = absl::Seconds(1);
  // States of one job are sent at most so often.
  absl::Duration least_interval = absl::Milliseconds(200);
  // Told, on the loop, when writes begin to find the disk or the queue full, and when they no
  // longer do.
  std::function<void(bool full)> on_store_full = [](bool) {};
};

// Public methods may be called from any thread; callbacks run on the loop, or on a thread of the
// store. What they tell of is durable.
class JobLoop : public DispatchSink {
 public:
  using JobCallback = std::function<void(absl::StatusOr<job::Job>)>;

  JobLoop(JobLoopOptions options, store::TuningStore& store, DispatchLoop& dispatch,
          const base::Clock& clock, ServerMetrics& metrics);
  ~JobLoop() override;

  // Goes on with the jobs of an earlier life.
  void Start();
  // Ends all watches, and those to come: the server stops.
  void EndWatches();
  // Nothing is called back any more. Jobs that run are gone on with in the next life.
  void Stop();

  // `client` is who asks: clients share the workers evenly. Not durable: jobs of an earlier life of
  // the server, and those that are resumed, are one client's.
  void CreateJob(job::JobSpec spec, std::string request_id, std::string client, JobCallback done);
  void CancelJob(std::string id, JobCallback done);
  void ResumeJob(std::string id, JobCallback done);
  void Watch(std::string id, std::shared_ptr<JobWatcher> watcher);
  void Unwatch(std::shared_ptr<JobWatcher> watcher);

  void OnResults(dispatch::Results results) override;
  void OnUnitRefused(dispatch::UnitRefused refused) override;
  void OnWorkerChanged(dispatch::WorkerChanged changed) override;

 private:
  using After = absl::AnyInvocable<void(const absl::Status&)>;
  // What a running job wants stored, and what follows.
  struct Write {
    store::WriteBatch batch;
    int64_t token = 0;
    store::Job job;  // what watchers may see once it is durable
    After after;
  };
  // What is known about a job beside the stored one.
  struct LiveFacts {
    int workers = 0;                       // that hold a lease of it
    std::string activity;                  // what one of them is at, if one says so
    std::optional<std::string> waits_for;  // a running job that nobody can work on: why
    std::optional<measure::Peak> peak;     // of a machine that serves its target
  };
  // An unfinished job; or one that rests, while the write that says so is under way.
  struct Entry {
    store::Job stored;                         // as it is known to be durable
    std::unique_ptr<job::RunningJob> running;  // null while it waits for a worker
    bool starting = false;                     // a worker's facts have been asked for
    int64_t making = 0;                        // number of the attempt to make `running`; 0: none
    std::string client;
    LiveFacts facts;
    // Of `running`, in order: the first one is under way, or is tried again at that steady time.
    std::deque<Write> writes;
    absl::Time retry_at = absl::InfiniteFuture();
    // A job that is not running is being written. What is asked of it until then waits.
    bool changing = false;
    std::vector<std::function<void()>> waiting;
  };

  void Recover();
  // Of a spec that a tuner takes. Any thread.
  void CreateChecked(job::JobSpec spec, std::string request_id, std::string client,
                     JobCallback done);
  // `worker`: one that serves its target, if any does.
  void Create(job::JobSpec spec, const std::optional<measure::WorkerFacts>& worker,
              std::string request_id, std::string client, JobCallback done);
  // Why there is no room for another job; OK when there is.
  absl::Status CheckRoom(const std::string& client) const;
  void Cancel(const std::string& id, JobCallback done);
  void Resume(const std::string& id, JobCallback done);

  // Writes, and calls `after` on the loop once it is known whether that is durable.
  void Commit(store::WriteBatch write, After after);
  // Notes whether a write found room.
  void NoteRoom(const absl::Status& status);
  // Writes the new state of a job that is not running, which then waits for a worker or rests. When
  // that fails everything is as before.
  void Change(store::Mutation write, store::Job job, After after);
  // Whether the job is between two states: then the call comes again when that is over.
  bool Defer(const std::string& id, std::function<void()> call);
  // Looks for a worker, then starts what waits.
  void TryStart(const std::string& id);
  void StartWith(const std::string& id, const std::optional<measure::WorkerFacts>& facts,
                 const std::string& waits_for);
  // For good: another try would fail as well.
  void FailToStart(const std::string& id, const absl::Status& why);
  // Lowers, and pushes a log through a fresh tuner, which takes its time.
  absl::StatusOr<std::unique_ptr<job::RunningJob>> MakeRunning(store::Job job) const;
  // Runs a job whose start is set: its state machine is made off the loop, which serves others.
  void Begin(const std::string& id, store::Job job);
  void Begun(const std::string& id, int64_t number,
             absl::StatusOr<std::unique_ptr<job::RunningJob>> running);

  void Apply(const std::string& id, job::Step step, After after = nullptr);
  // One at a time: what is tried again must not come after what builds on it.
  void WriteNext(const std::string& id);
  void Written(const std::string& id, const absl::Status& status);
  // No write of the job will succeed. Not even its failure can be stored: it is gone on with in the
  // next life, or when resumed.
  void Abandon(const std::string& id, const absl::Status& status);
  // Runs a call of the job's state machine and notes the time that it took.
  job::Step Timed(job::RunningJob& job, absl::AnyInvocable<job::Step(job::RunningJob&)> call);

  // Wall-clock time, as jobs know it: a clock that was set is told to them first.
  absl::Time Now();
  // What watches and heartbeats go by.
  absl::Time SteadyNow() const { return absl::UnixEpoch() + clock_.SteadyNow(); }
  void Wake();
  absl::Duration NextWake();
  void Heartbeat();
  // The job's state has changed, or it has come to rest.
  void Publish(const std::string& id);
  absl::StatusOr<job::Job> StateOf(const std::string& id) const;
  void Answer(const std::string& id, const absl::Status& status, const JobCallback& done);

  const JobLoopOptions options_;
  store::TuningStore& store_;
  DispatchLoop& dispatch_;
  const base::Clock& clock_;
  ServerMetrics& metrics_;
  // Of the loop.
  std::map<std::string, Entry> entries_;
  JobWatches watches_;
  absl::Time next_heartbeat_ = absl::InfinitePast();
  absl::Time steady_origin_;  // what the wall clock shows at steady time zero
  bool draining_ = false;
  std::string store_full_;  // why the last write found no room; "" when it did
  absl::Mutex mutex_;
  int64_t commits_ ABSL_GUARDED_BY(mutex_) = 0;  // that the store has and will call back for
  int64_t last_making_ = 0;                      // of the loop
  EventLoop loop_;                               // its thread uses the others
  // They post to the loop: last. What a client asks for delays no job that starts.
  base::ThreadPool checks_;
  base::ThreadPool makers_;
};

}  // namespace alt::service

#endif  // SERVER_SERVICE_JOB_LOOP_H_
