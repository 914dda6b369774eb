#include "tests/server/dispatch/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"

namespace alt::dispatch {

WorkUnit Unit(const std::string& job, int64_t batch, int64_t first, int64_t count,
              measure::MeasureMode mode) {
  auto request = std::make_shared<measure::MeasureRequest>();
  request->mode = mode;
  request->target = CpuTarget();
  request->candidates.resize(static_cast<size_t>(count));
  WorkUnit unit{.job = job, .batch = batch, .target = CpuTarget(), .request = request};
  unit.indices.resize(static_cast<size_t>(count));
  std::iota(unit.indices.begin(), unit.indices.end(), first);
  return unit;
}

WorkUnit PeakUnit(const std::string& job) {
  return {.job = job, .indices = {0}, .target = CpuTarget()};
}

measure::MeasureResult Ok(double median_ns) {
  measure::MeasureResult result;
  result.outcome = measure::Outcome::kOk;
  result.latency = measure::Latency{.min_ns = median_ns, .median_ns = median_ns, .n = 1};
  return result;
}

measure::MeasureResult Failed(measure::Outcome outcome) {
  measure::MeasureResult result;
  result.outcome = outcome;
  result.message = "failed";
  return result;
}

FakeWorker::FakeWorker(std::string name, int64_t start, int threads) {
  base.worker = std::move(name);
  base.session = absl::StrCat("session-", start);
  base.facts.target = CpuTarget(threads);
  base.facts.validators = {{"llvm", "19"}};
  base.max_wait = absl::Seconds(5);
}

Report FakeWorker::MakeReport() const {
  Report report = base;
  report.leases = leases;
  return report;
}

void FakeWorker::Take(const Orders& orders) {
  if (!orders.status.ok()) return;
  const auto acknowledged = [&](const LeaseReport& lease) {
    return std::find(orders.acknowledged.begin(), orders.acknowledged.end(), lease.lease_id) !=
           orders.acknowledged.end();
  };
  const auto dropped = [&](const LeaseReport& lease) {
    return lease.state == LeaseReport::State::kExecuting &&
           std::none_of(orders.execute.begin(), orders.execute.end(),
                        [&](const LeaseOrder& o) { return o.lease_id == lease.lease_id; });
  };
  std::erase_if(leases, [&](const auto& lease) { return acknowledged(lease) || dropped(lease); });
  for (const auto& [id, position] : orders.acknowledged_results) {
    for (LeaseReport& lease : leases) {
      if (lease.lease_id != id) continue;
      std::erase_if(lease.results, [&](const auto& entry) { return entry.first == position; });
    }
  }
  for (const LeaseOrder& order : orders.execute) {
    if (!order.described) continue;
    work[order.lease_id] = order;
    const bool known = std::any_of(leases.begin(), leases.end(), [&](const auto& lease) {
      return lease.lease_id == order.lease_id;
    });
    if (!known) leases.push_back({.lease_id = order.lease_id});
  }
}

void FakeWorker::Finish(const std::string& lease_id) {
  const size_t count = work.at(lease_id).candidates.size();
  Finish(lease_id, std::vector<measure::MeasureResult>(count, Ok()));
}

void FakeWorker::Finish(const std::string& lease_id, std::vector<measure::MeasureResult> results) {
  for (LeaseReport& lease : leases) {
    if (lease.lease_id != lease_id) continue;
    lease.state = LeaseReport::State::kFinished;
    lease.results.clear();
    for (size_t i = 0; i < results.size(); ++i) {
      lease.results.emplace_back(static_cast<int64_t>(i), std::move(results[i]));
    }
    return;
  }
  ADD_FAILURE() << base.worker << " does not hold " << lease_id;
}

void FakeWorker::HandBack(const std::string& lease_id, const std::string& reason) {
  for (LeaseReport& lease : leases) {
    if (lease.lease_id != lease_id) continue;
    lease.state = LeaseReport::State::kHandedBack;
    lease.reason = reason;
  }
}

void FakeWorker::AddResult(const std::string& lease_id, int64_t position,
                           measure::MeasureResult result) {
  for (LeaseReport& lease : leases) {
    if (lease.lease_id == lease_id) lease.results.emplace_back(position, std::move(result));
  }
}

std::string FakeWorker::Lease() const {
  for (const LeaseReport& lease : leases) {
    if (lease.state == LeaseReport::State::kExecuting) return lease.lease_id;
  }
  ADD_FAILURE() << base.worker << " has no lease";
  return "";
}

Harness::Harness(DispatcherOptions options, bool recovered)
    : dispatcher_([&] {
        if (options.realm.empty()) options.realm = "db";
        return options;
      }()) {
  if (recovered) {
    Handle(RecoveryDone{});
    Handle(Tick{});
  }
}

void Harness::Handle(Event event) {
  for (Effect& effect : dispatcher_.Handle(std::move(event), now_)) {
    if (auto* reply = std::get_if<Reply>(&effect)) {
      EXPECT_TRUE(answers_.emplace(reply->call, std::move(reply->orders)).second)
          << "call " << reply->call << " is answered twice";
    } else if (auto* results = std::get_if<Results>(&effect)) {
      result_effects_.push_back(*results);
      std::vector<int64_t> indices =
          results->peak ? std::vector<int64_t>{0} : std::vector<int64_t>();
      for (auto& [index, result] : results->results) {
        auto& all = results_[{results->job, results->batch, index}];
        all.push_back(std::move(result));
        EXPECT_EQ(all.size(), 1u) << results->job << " " << index << " has two results";
        indices.push_back(index);
      }
      if (auto_store_) Store(results->job, results->batch, std::move(indices));
    } else if (auto* change = std::get_if<WorkerChanged>(&effect)) {
      changes_.push_back(*change);
    } else if (auto* refused = std::get_if<UnitRefused>(&effect)) {
      refused_.push_back(*refused);
    }
  }
}

void Harness::Advance(absl::Duration duration) {
  const absl::Duration end = now_ + duration;
  while (now_ < end) {
    now_ = std::min(end, std::max(dispatcher_.NextWake(), now_));
    Handle(Tick{});
    if (dispatcher_.NextWake() <= now_) now_ += absl::Milliseconds(1);
  }
}

void Harness::Submit(WorkUnit unit) {
  SubmitUnits event;
  event.units.push_back(std::move(unit));
  Handle(std::move(event));
}

CallId Harness::Call(FakeWorker& worker) {
  const CallId call = ++last_call_;
  Handle(Synchronize{call, worker.MakeReport()});
  Deliver(call, worker);
  return call;
}

const Orders* Harness::AnswerTo(CallId call) const {
  const auto it = answers_.find(call);
  return it == answers_.end() ? nullptr : &it->second;
}

Orders Harness::CallNow(FakeWorker& worker) {
  const Orders* orders = AnswerTo(Call(worker));
  EXPECT_NE(orders, nullptr) << "the call of " << worker.base.worker << " is held";
  return orders ? *orders : Orders();
}

bool Harness::Deliver(CallId call, FakeWorker& worker) {
  const Orders* orders = AnswerTo(call);
  if (orders) worker.Take(*orders);
  return orders != nullptr;
}

measure::Outcome Harness::OutcomeOf(const std::string& job, int64_t batch, int64_t index) const {
  const auto it = results_.find({job, batch, index});
  if (it != results_.end()) return it->second[0].outcome;
  ADD_FAILURE() << "no result of " << job << "/" << batch << "/" << index;
  return measure::Outcome::kCancelled;
}

bool Harness::HasResult(const std::string& job, int64_t batch, int64_t index) const {
  return results_.contains({job, batch, index});
}

void Harness::Store(const std::string& job, int64_t batch, std::vector<int64_t> indices) {
  Handle(ResultsStored{job, batch, std::move(indices)});
}

}  // namespace alt::dispatch
