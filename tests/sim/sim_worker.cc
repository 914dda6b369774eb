#include "tests/sim/sim_worker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace alt::sim {

void SimWorker::WhenAwake(absl::Duration delay, std::function<void()> action) {
  loop_->At(std::max(loop_->now() + delay, awake_at_),
            [this, session = session_, action = std::move(action)] {
              if (!up_ || session != session_) return;
              if (awake_at_ > loop_->now()) return WhenAwake(absl::ZeroDuration(), action);
              action();
            });
}

void SimWorker::Boot() {
  if (!up_) ++processes_->up;
  session_ = ++processes_->starts;
  up_ = true;
  draining_ = working_ = called_ = false;
  streams_ = random_.Bernoulli(0.5);
  leases_.clear();
  work_.clear();
  done_.clear();
  WhenAwake(absl::ZeroDuration(), [this] { Call(); });
}

void SimWorker::Crash() {
  if (std::exchange(up_, false)) --processes_->up;
}

void SimWorker::StartUnlessAnotherIs() {
  loop_->After(absl::Milliseconds(random_.UniformInt(5000, 30000)), [this] {
    if (up_) return;
    if (processes_->up == 0) return Boot();
    StartUnlessAnotherIs();
  });
}

void SimWorker::Call() {
  dispatch::Report report;
  report.worker = name_;
  report.session = absl::StrCat(name_, "-", session_);
  report.capacity = 1 + random_.UniformInt(0, 1);
  report.draining = draining_;
  report.leases = leases_;
  report.max_wait = absl::Seconds(5);
  report.facts.target = {.mcpu = "znver4", .vec_bits = 512, .threads = 2};
  // With work at hand it wants to speak again when something is done.
  if (Front()) report.max_wait = absl::ZeroDuration();
  const int64_t call = ++call_;
  called_ = true;
  send_(std::move(report), [this, session = session_, call](dispatch::Orders orders) {
    if (!up_ || session != session_) return;
    WhenAwake(absl::ZeroDuration(),
              [this, call, orders = std::move(orders)] { OnOrders(call, orders); });
  });
  // Without an answer it gives up and calls again.
  WhenAwake(absl::Seconds(8), [this, call] {
    if (call == call_ && called_) Call();
  });
}

void SimWorker::OnOrders(int64_t call, const dispatch::Orders& orders) {
  if (call != call_ || !called_) return;
  called_ = false;
  if (!orders.status.ok()) {
    // Another process has the name.
    Crash();
    return StartUnlessAnotherIs();
  }
  Take(orders);
  if (draining_ && leases_.empty()) {
    Crash();
    loop_->After(absl::Seconds(1), [this] {
      if (!up_) Boot();
    });
    return;
  }
  Work();
  WhenAwake(std::max(orders.next_call_in, absl::Milliseconds(10)), [this, call] {
    if (call == call_ && !called_) Call();
  });
}

void SimWorker::Take(const dispatch::Orders& orders) {
  std::erase_if(leases_, [&](const dispatch::LeaseReport& lease) {
    if (lease.state != dispatch::LeaseReport::State::kExecuting) {
      return std::count(orders.acknowledged.begin(), orders.acknowledged.end(), lease.lease_id) > 0;
    }
    return std::none_of(orders.execute.begin(), orders.execute.end(),
                        [&](const auto& order) { return order.lease_id == lease.lease_id; });
  });
  for (const auto& [id, position] : orders.acknowledged_results) {
    for (dispatch::LeaseReport& lease : leases_) {
      if (lease.lease_id != id) continue;
      std::erase_if(lease.results, [&](const auto& entry) { return entry.first == position; });
    }
  }
  for (const dispatch::LeaseOrder& order : orders.execute) {
    const bool known = std::any_of(leases_.begin(), leases_.end(), [&](const auto& lease) {
      return lease.lease_id == order.lease_id;
    });
    if (known || !order.described) continue;
    leases_.push_back({.lease_id = order.lease_id});
    work_[order.lease_id] = order;
    done_[order.lease_id].clear();
  }
  if (!draining_) return;
  for (dispatch::LeaseReport& lease : leases_) {
    if (lease.state != dispatch::LeaseReport::State::kExecuting) continue;
    lease.state = dispatch::LeaseReport::State::kHandedBack;
    lease.reason = "draining";
  }
}

dispatch::LeaseReport* SimWorker::Front() {
  for (dispatch::LeaseReport& lease : leases_) {
    if (lease.state == dispatch::LeaseReport::State::kExecuting) return &lease;
  }
  return nullptr;
}

void SimWorker::Work() {
  if (working_ || !Front()) return;
  working_ = true;
  WhenAwake(absl::Milliseconds(random_.UniformInt(20, 6000)), [this] {
    working_ = false;
    MeasureNext();
    Work();
  });
}

// Ends one measurement of the first lease, which need not be the one that was first when it began.
void SimWorker::MeasureNext() {
  dispatch::LeaseReport* lease = Front();
  if (!lease || mood() == Mood::kMute) return;
  if (mood() == Mood::kBroken) {
    lease->state = dispatch::LeaseReport::State::kHandedBack;
    lease->reason = "no room on the device";
    if (!called_) Call();
    return;
  }
  const dispatch::LeaseOrder& order = work_.at(lease->lease_id);
  std::vector<measure::MeasureResult>& done = done_[lease->lease_id];
  measure::MeasureRequest one = *order.request;
  one.candidates = {order.request->candidates[order.candidates[done.size()]]};
  done.push_back(measurer_->Measure(one, [] { return false; })[0]);
  if (mood() == Mood::kLies && done.back().latency) {
    done.back().latency = measure::Latency{.min_ns = 1e-300, .median_ns = 1e-300, .n = 1};
  }
  ++measured_;
  const bool finished = done.size() == order.candidates.size();
  if (finished) {
    lease->state = dispatch::LeaseReport::State::kFinished;
    lease->results.clear();
    for (size_t i = 0; i < done.size(); ++i) {
      lease->results.emplace_back(static_cast<int64_t>(i), done[i]);
    }
  } else if (streams_) {
    lease->results.emplace_back(static_cast<int64_t>(done.size()) - 1, done.back());
  }
  if ((finished || streams_) && !called_) Call();
}

}  // namespace alt::sim
