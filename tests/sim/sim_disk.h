#ifndef TESTS_SIM_SIM_DISK_H_
#define TESTS_SIM_SIM_DISK_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "common/base/random.h"
#include "server/store/memory_tuning_store.h"
#include "tests/sim/event_queue.h"

namespace alt::sim {

// A store whose writes take time, in order, and may be under way when the power goes: then some of
// them, from the oldest on, have reached the disk and nobody was told.
class SimDisk {
 public:
  SimDisk(EventQueue* loop, base::Random random) : loop_(loop), random_(random) {}

  void set_most_commit(absl::Duration most) { most_commit_ = most; }
  void set_full(bool full) { full_ = full; }
  store::TuningStore& store() { return *store_; }

  void Commit(store::WriteBatch batch, std::function<void(const absl::Status&)> done);
  // The process is gone: nobody waits for what is under way.
  void Crash();

  // Results that were acknowledged: (job, batch, index).
  const std::set<std::tuple<std::string, int64_t, int64_t>>& acknowledged() const {
    return acknowledged_;
  }

 private:
  struct Write {
    store::WriteBatch batch;
    std::function<void(const absl::Status&)> done;
  };
  void Complete(int64_t life);

  EventQueue* const loop_;
  base::Random random_;
  std::unique_ptr<store::TuningStore> store_ = store::MakeMemoryTuningStore();
  absl::Duration most_commit_ = absl::Milliseconds(5);
  bool full_ = false;
  int64_t life_ = 0;
  absl::Duration last_end_;
  std::deque<Write> under_way_;
  std::set<std::tuple<std::string, int64_t, int64_t>> acknowledged_;
};

}  // namespace alt::sim

#endif  // TESTS_SIM_SIM_DISK_H_
