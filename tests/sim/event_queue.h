// Virtual time: what is scheduled runs in order of time, then of scheduling. One thread.
#ifndef TESTS_SIM_EVENT_QUEUE_H_
#define TESTS_SIM_EVENT_QUEUE_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "absl/time/time.h"

namespace alt::sim {

class EventQueue {
 public:
  absl::Duration now() const { return now_; }

  void At(absl::Duration time, std::function<void()> action) {
    events_.emplace(std::pair(std::max(time, now_), next_++), std::move(action));
  }
  void After(absl::Duration delay, std::function<void()> action) {
    At(now_ + delay, std::move(action));
  }

  // Runs the next event; false when there is none.
  bool Step() {
    if (events_.empty()) return false;
    auto node = events_.extract(events_.begin());
    now_ = node.key().first;
    node.mapped()();
    return true;
  }

 private:
  absl::Duration now_;
  int64_t next_ = 0;
  std::map<std::pair<absl::Duration, int64_t>, std::function<void()>> events_;
};

}  // namespace alt::sim

#endif  // TESTS_SIM_EVENT_QUEUE_H_
