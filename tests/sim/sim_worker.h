#ifndef TESTS_SIM_SIM_WORKER_H_
#define TESTS_SIM_SIM_WORKER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "server/dispatch/protocol.h"
#include "tests/sim/event_queue.h"
#include "tests/testing/fake_measurer.h"

namespace alt::sim {

// Processes of one name.
struct SimName {
  int64_t starts = 0;
  int64_t up = 0;
};

// A worker process and who starts it: it crashes and is started anew under its name, stands still,
// drains, and ends when another process has its name, to be started anew when that is gone. What it
// measures depends on the candidate alone, unless it lies.
class SimWorker {
 public:
  // Sends a report; `answer` is called with the orders, or never.
  using Send =
      std::function<void(dispatch::Report report, std::function<void(dispatch::Orders)> answer)>;

  SimWorker(std::string name, SimName* processes, EventQueue* loop, base::Random random,
            testing::FakeMeasurer* measurer, Send send)
      : name_(std::move(name)),
        processes_(processes),
        loop_(loop),
        random_(random),
        measurer_(measurer),
        send_(std::move(send)) {}

  void Boot();
  // Gone, with everything that it held.
  void Crash();
  // Stands still until then.
  void Pause(absl::Duration duration) { awake_at_ = loop_->now() + duration; }
  enum class Mood {
    kWell,
    kBroken,  // hands everything back
    kMute,    // works without an end
    kLies,    // says that nothing takes any time
  };
  // Until then, whatever is started anew in between.
  void SetMood(Mood mood, absl::Duration duration) {
    mood_ = mood;
    mood_until_ = loop_->now() + duration;
  }
  // Hands back what it has not begun and starts anew when all is acknowledged.
  void Restart() { draining_ = true; }

  int64_t measured() const { return measured_; }

 private:
  void StartUnlessAnotherIs();
  void WhenAwake(absl::Duration delay, std::function<void()> action);
  void Call();
  void OnOrders(int64_t call, const dispatch::Orders& orders);
  void Take(const dispatch::Orders& orders);
  void Work();
  void MeasureNext();
  dispatch::LeaseReport* Front();
  Mood mood() const { return loop_->now() < mood_until_ ? mood_ : Mood::kWell; }

  const std::string name_;
  SimName* const processes_;
  EventQueue* const loop_;
  base::Random random_;
  testing::FakeMeasurer* const measurer_;
  const Send send_;
  int64_t measured_ = 0;
  absl::Duration awake_at_;
  Mood mood_ = Mood::kWell;
  absl::Duration mood_until_;

  // Of the process.
  int64_t session_ = 0;  // the start that it is
  bool up_ = false;
  bool draining_ = false;
  bool working_ = false;
  bool streams_ = false;  // reports results before the lease is done
  int64_t call_ = 0;      // the last one; an answer to another is of no use
  bool called_ = false;   // waits for its answer
  std::vector<dispatch::LeaseReport> leases_;
  std::map<std::string, dispatch::LeaseOrder> work_;
  std::map<std::string, std::vector<measure::MeasureResult>> done_;  // by position
};

}  // namespace alt::sim

#endif  // TESTS_SIM_SIM_WORKER_H_
