// A service in one thread: takes a job from the store to its end against a measurer, one event at a
// time, so that a test can stop it anywhere.
#ifndef TESTS_TESTING_JOB_DRIVER_H_
#define TESTS_TESTING_JOB_DRIVER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/base/random.h"
#include "common/measure/measurer.h"
#include "server/job/tuning_job.h"
#include "server/store/tuning_store.h"
#include "tests/testing/fake_clock.h"

namespace alt::testing {

class JobDriver {
 public:
  struct Options {
    // Delivers results and acknowledgements in an order drawn by this seed, some results twice.
    std::optional<uint64_t> shuffle;
    absl::Duration step = absl::Milliseconds(10);  // time that an event takes
  };
  // Everything outlives the driver.
  JobDriver(store::TuningStore& store, measure::Measurer& measurer, FakeClock& clock)
      : JobDriver(store, measurer, clock, Options{}) {}
  JobDriver(store::TuningStore& store, measure::Measurer& measurer, FakeClock& clock,
          Options options);

  // Queues a job like `spec` and gives its id.
  std::string Create(const job::TuneSpec& spec);

  // Makes the job from what the store holds, as after a restart, and starts it.
  absl::Status Begin(const std::string& id);
  // One event: a unit is measured, a result arrives, a write becomes durable, the time limit acts.
  // False when there is nothing left to do.
  bool Step();
  // Until the job rests, all is written and nothing is under way. False after too many steps.
  bool Finish();
  // Stops the job and writes that down; what is under way is lost.
  void Stop();
  // The server dies: what is under way and not written is lost.
  void Crash();

  job::TuningJob& tuning_job() { return *job_; }
  // What was submitted since the last Begin.
  const std::vector<dispatch::WorkUnit>& units() const { return units_; }
  // Candidates measured by all lives of the job, as (batch, index), in order.
  const std::vector<std::pair<int64_t, int64_t>>& measured() const { return measured_; }
  // Broken rules: an observation written before the results it is of, a result measured again after
  // it was durable, a batch in flight too many.
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct Result {
    int64_t batch, index;
    measure::MeasureResult result;
  };
  struct Write {
    int64_t token;
    store::WriteBatch batch;
  };

  void Take(job::Step step);
  void CheckWrite(const store::WriteBatch& batch);
  void CheckUnit(const dispatch::WorkUnit& unit);
  void MeasureOne();
  void DeliverOne();
  void WriteOne();
  // The next of a queue: the first, or any when shuffled.
  template <typename Queue>
  typename Queue::value_type Pop(Queue& queue);

  store::TuningStore& store_;
  measure::Measurer& measurer_;
  FakeClock& clock_;
  const Options options_;
  base::Random random_;
  std::string id_;
  std::unique_ptr<job::TuningJob> job_;
  std::deque<dispatch::WorkUnit> waiting_;  // units not measured yet
  std::deque<Result> results_;         // measured, not delivered yet
  std::deque<Write> writes_;           // not durable yet
  std::vector<dispatch::WorkUnit> units_;
  std::vector<std::pair<int64_t, int64_t>> measured_;
  std::vector<std::string> violations_;
};

}  // namespace alt::testing

#endif  // TESTS_TESTING_JOB_DRIVER_H_
