// A dispatcher with its shell played by a test: time by hand, answers and results collected.
#ifndef TESTS_SERVER_DISPATCH_HARNESS_H_
#define TESTS_SERVER_DISPATCH_HARNESS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/dispatch/dispatcher.h"

namespace alt::dispatch {

inline target::Target CpuTarget(int threads = 1) {
  return {.mcpu = "znver4", .vec_bits = 512, .threads = threads};
}

// Candidates first .. first + count - 1 of a batch, all of one kind.
WorkUnit Unit(const std::string& job, int64_t batch, int64_t first, int64_t count,
              measure::MeasureMode mode = measure::MeasureMode::kSearch);
// Measures the limits of a machine.
WorkUnit PeakUnit(const std::string& job);

measure::MeasureResult Ok(double median_ns = 100);
measure::MeasureResult Failed(measure::Outcome outcome);

// A worker process: one session, the leases that it was told to execute.
struct FakeWorker {
  explicit FakeWorker(std::string name, int64_t start = 1, int threads = 2);

  // What it holds, as it would say now.
  Report MakeReport() const;
  // Takes orders as a worker does; results that were acknowledged are forgotten.
  void Take(const Orders& orders);
  // Ends the lease with these results, or as many OK ones as it has candidates.
  void Finish(const std::string& lease_id);
  void Finish(const std::string& lease_id, std::vector<measure::MeasureResult> results);
  void HandBack(const std::string& lease_id, const std::string& reason = "draining");
  // Results of a lease that goes on.
  void AddResult(const std::string& lease_id, int64_t position, measure::MeasureResult result);
  // The lease that it works on; fails the test when there is none.
  std::string Lease() const;

  Report base;                             // without leases
  std::vector<LeaseReport> leases;         // oldest first
  std::map<std::string, LeaseOrder> work;  // as described
};

class Harness {
 public:
  // `recovered`: RecoveryDone right away.
  explicit Harness(DispatcherOptions options = {}, bool recovered = true);

  void Handle(Event event);
  // Time passes as a shell lets it: with a Tick whenever one is due.
  void Advance(absl::Duration duration);
  // The clock moves and nobody notices.
  void Jump(absl::Duration duration) { now_ += duration; }

  void Submit(WorkUnit unit);
  // A call; its answer, if it has come, is taken by the worker.
  CallId Call(FakeWorker& worker);
  // The answer, if it has come.
  const Orders* AnswerTo(CallId call) const;
  // A call that must be answered at once.
  Orders CallNow(FakeWorker& worker);
  // Lets a held call's answer reach its worker; false when there is none.
  bool Deliver(CallId call, FakeWorker& worker);

  // Results of candidates so far: (job, batch, index) -> results, which must be one each.
  using Place = LeaseTable::Place;
  const std::map<Place, std::vector<measure::MeasureResult>>& results() const { return results_; }
  measure::Outcome OutcomeOf(const std::string& job, int64_t batch, int64_t index) const;
  bool HasResult(const std::string& job, int64_t batch, int64_t index) const;
  const std::vector<Results>& result_effects() const { return result_effects_; }
  const std::vector<WorkerChanged>& changes() const { return changes_; }
  const std::vector<UnitRefused>& refused() const { return refused_; }
  // Results are stored as soon as they come, unless this is off.
  void set_auto_store(bool on) { auto_store_ = on; }
  void Store(const std::string& job, int64_t batch, std::vector<int64_t> indices);

  Dispatcher& dispatcher() { return dispatcher_; }
  absl::Duration now() const { return now_; }

 private:
  Dispatcher dispatcher_;
  absl::Duration now_ = absl::Seconds(1000);
  CallId last_call_ = 0;
  bool auto_store_ = true;
  std::map<CallId, Orders> answers_;
  std::map<Place, std::vector<measure::MeasureResult>> results_;
  std::vector<Results> result_effects_;
  std::vector<WorkerChanged> changes_;
  std::vector<UnitRefused> refused_;
};

}  // namespace alt::dispatch

#endif  // TESTS_SERVER_DISPATCH_HARNESS_H_
