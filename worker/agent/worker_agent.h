// The worker's side of Synchronize: tells the server what this worker does and does what it is
// told.
#ifndef WORKER_AGENT_WORKER_AGENT_H_
#define WORKER_AGENT_WORKER_AGENT_H_

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/base/random.h"
#include "common/measure/environment.h"
#include "common/measure/measurer.h"
#include "worker/agent/worker_channel.h"
#include "worker/measure/activity.h"

namespace alt::agent {

struct AgentOptions {
  std::string name;
  std::string server;  // its address, for people
  std::string session_id;
  // Without a peak, that is measured before the first lease is worked on.
  measure::WorkerFacts facts;
  // Of the measurer, told with the lease that it works on; outlives the agent. Null: nothing.
  const worker::Activity* activity = nullptr;
  // How long a lease may go on after Drain before it is handed back.
  absl::Duration drain_grace = absl::Seconds(15);
  // With the server away there is nobody to hand a lease back to: Drain waits for it so long.
  absl::Duration drain_alone = absl::Seconds(3);
  // Waits between attempts to reach the server: from the first to the last, doubling.
  absl::Duration first_backoff = absl::Milliseconds(100);
  absl::Duration last_backoff = absl::Seconds(2);
  // While the server cannot be reached, it is said at once and then so often.
  absl::Duration say_every = absl::Seconds(30);
  // After a fault of its own, such as a missing alt-runner or a full disk, a worker takes no lease
  // for a while: others may do better.
  absl::Duration first_rest = absl::Seconds(1);
  absl::Duration last_rest = absl::Minutes(1);
};

// Measures the limits of the machine.
using PeakFunction =
    std::function<absl::StatusOr<measure::Peak>(int threads, absl::FunctionRef<bool()> cancelled)>;

// Two threads: the one that called Run talks, another one measures.
//
//            lease                     results, kept until acknowledged
//   server -------> Run ---> measuring thread ---> Run -------> server
//
// Run belongs to one thread; Drain may come from any.
class WorkerAgent {
 public:
  // measurer must outlive the agent and is used by one thread at a time.
  WorkerAgent(AgentOptions options, std::unique_ptr<WorkerChannel> channel,
              measure::Measurer& measurer, PeakFunction measure_peak);

  // Ends with OK once drained; with the server's reason when it refuses this worker for good.
  // A server that is away is waited for, and the log says so.
  absl::Status Run();

  // No new leases; Run ends when the current one is finished, or handed back after the grace, and
  // the server has heard of it.
  void Drain();

 private:
  // A lease as the measuring thread sees it.
  struct Task {
    std::string lease_id;
    std::optional<measure::MeasureRequest> measure;  // else peak
    int peak_threads = 0;
    std::atomic<bool> cancelled{false};
    // Grows whenever the measurer asks whether it is cancelled, which it does several times a
    // second whatever it is at: a measuring thread that is stuck shows.
    std::atomic<int64_t> steps{1};
  };

  v1::SynchronizeRequest MakeRequest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Follow(const v1::SynchronizeResponse& response) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Accept(const v1::Lease& lease) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckPeakThreads(int threads) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CancelCurrent() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Drained() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Something to say before the next regular call.
  bool HasNews() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Until there is news, or else (the server is away) until Drain.
  void Wait(absl::Duration most, bool for_news) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // OK: try again after the backoff.
  absl::Status HandleFailure(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Talk();

  void SayAway(const absl::Status& why);

  void MeasureLoop();
  // The limits of the machine, once.
  absl::Status Calibrate(absl::FunctionRef<bool()> cancelled);
  v1::LeaseReport Execute(Task& task);
  // Notes whether a lease showed a fault of this worker's own.
  void JudgeHealth(const Task& task, const v1::LeaseReport& ended)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const AgentOptions options_;
  const std::unique_ptr<WorkerChannel> channel_;
  measure::Measurer& measurer_;
  const PeakFunction measure_peak_;

  absl::Mutex mutex_;
  measure::WorkerFacts facts_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<Task> task_ ABSL_GUARDED_BY(mutex_);  // null when idle
  bool task_started_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<v1::LeaseReport> ended_ ABSL_GUARDED_BY(mutex_);  // until acknowledged
  bool ended_is_new_ ABSL_GUARDED_BY(mutex_) = false;
  // Why it takes no lease until then; each time in succession it rests for longer.
  std::string unhealthy_ ABSL_GUARDED_BY(mutex_);
  absl::Time unhealthy_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Duration next_rest_ ABSL_GUARDED_BY(mutex_);
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  bool told_draining_ ABSL_GUARDED_BY(mutex_) =
      false;  // the server knows, and gives us nothing more
  absl::Time drain_deadline_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;  // the measuring thread is to end

  // Of the talking thread.
  absl::Duration backoff_;
  bool connected_ = false;
  absl::Duration away_since_, away_said_;  // steady; while not connected
  absl::Duration next_call_in_;
  base::Random random_;
};

}  // namespace alt::agent

#endif  // WORKER_AGENT_WORKER_AGENT_H_
