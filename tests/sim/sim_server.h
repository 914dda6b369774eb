#ifndef TESTS_SIM_SIM_SERVER_H_
#define TESTS_SIM_SIM_SERVER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/dispatch/dispatcher.h"
#include "server/job/tuning_job.h"
#include "tests/sim/event_queue.h"
#include "tests/sim/sim_disk.h"

namespace alt::sim {

// The shell around dispatcher, jobs and store, as the gRPC server is one.
class SimServer {
 public:
  using Answer = std::function<void(dispatch::Orders)>;

  SimServer(EventQueue* loop, SimDisk* disk) : loop_(loop), disk_(disk) {}

  // Starts on what the disk has.
  void Boot();
  // Everything but the disk is gone.
  void Crash();
  // Stands still until then; what comes in the meantime waits.
  void Pause(absl::Duration duration);
  bool up() const { return dispatcher_ != nullptr; }
  // Steps the wall clock.
  void JumpClock(absl::Duration step) {
    wall_offset_ += step;
    for (auto& [id, running] : jobs_) running.job->OnClockStep(step);
  }

  void OnCall(dispatch::Report report, Answer answer);

  bool AllJobsRest() const { return up() && recovered_ && jobs_.empty(); }
  dispatch::Dispatcher& dispatcher() { return *dispatcher_; }
  int64_t boots() const { return epoch_; }

 private:
  // A job, and its writes: one at a time, so that a failed one can be tried again in its turn.
  struct Running {
    std::unique_ptr<job::TuningJob> job;
    struct Write {
      store::WriteBatch batch;
      int64_t token = 0;
    };
    std::deque<Write> writes;
    bool writing = false;
    // Results by the token of the write that makes them durable.
    std::map<int64_t, dispatch::ResultsStored> results;
  };

  void Recover(std::deque<store::Job> jobs);
  void Begin(const store::Job& stored);
  // Runs the action now, or when a pause is over; never after a crash.
  void WhenAwake(std::function<void()> action);
  void Handle(dispatch::Event event);
  void OnResults(dispatch::Results results);
  void Run(const std::string& id, job::Step step);
  void WriteNext(const std::string& id);
  void OnWritten(const std::string& id, const absl::Status& status);
  void ScheduleTick();
  absl::Time Wall() const {
    return absl::FromUnixSeconds(1767225600) + loop_->now() + wall_offset_;
  }

  EventQueue* const loop_;
  SimDisk* const disk_;
  int64_t epoch_ = 0;
  bool recovered_ = false;  // in this life
  absl::Duration wall_offset_;
  absl::Duration awake_at_;
  std::unique_ptr<dispatch::Dispatcher> dispatcher_;
  std::map<std::string, Running> jobs_;
  std::map<dispatch::CallId, Answer> calls_;
  dispatch::CallId last_call_ = 0;
  absl::Duration next_tick_ = absl::InfiniteDuration();
  std::set<dispatch::LeaseTable::Place> results_;  // in this life
};

}  // namespace alt::sim

#endif  // TESTS_SIM_SIM_SERVER_H_
