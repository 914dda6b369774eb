#include "tests/sim/sim_server.h"

#include <gtest/gtest.h>

#include "common/base/check.h"
#include "tests/testing/status_matchers.h"

namespace alt::sim {
namespace {

constexpr absl::Duration kReplayTime = absl::Milliseconds(50);  // of one job's log

}  // namespace

void SimServer::Boot() {
  ++epoch_;
  dispatcher_ = std::make_unique<dispatch::Dispatcher>(
      dispatch::DispatcherOptions{.realm = disk_->store().Id(), .epoch = epoch_});
  recovered_ = false;
  const std::vector<store::Job> jobs = disk_->store().UnfinishedJobs();
  Recover({jobs.begin(), jobs.end()});
}

// Calls of workers come in between.
void SimServer::Recover(std::deque<store::Job> jobs) {
  loop_->After(kReplayTime, [this, jobs = std::move(jobs), epoch = epoch_]() mutable {
    if (!up() || epoch != epoch_) return;
    WhenAwake([this, jobs = std::move(jobs)]() mutable {
      if (jobs.empty()) {
        recovered_ = true;
        return Handle(dispatch::RecoveryDone{});
      }
      Begin(jobs.front());
      jobs.pop_front();
      Recover(std::move(jobs));
    });
  });
}

void SimServer::Begin(const store::Job& stored) {
  const auto log = disk_->store().ReadLog(stored.id);
  ASSERT_TRUE(testing::IsOk(log));
  auto job = job::TuningJob::Create(stored, job::ReadSnapshot(disk_->store(), stored), *log);
  ASSERT_TRUE(testing::IsOk(job));
  jobs_[stored.id].job = *std::move(job);
  Run(stored.id, jobs_[stored.id].job->Start(Wall()));
}

void SimServer::Crash() {
  disk_->Crash();
  dispatcher_.reset();
  jobs_.clear();
  calls_.clear();
  results_.clear();
  next_tick_ = absl::InfiniteDuration();
  awake_at_ = loop_->now();
}

void SimServer::Pause(absl::Duration duration) { awake_at_ = loop_->now() + duration; }

void SimServer::WhenAwake(std::function<void()> action) {
  loop_->At(awake_at_, [this, epoch = epoch_, action = std::move(action)] {
    if (!up() || epoch != epoch_) return;
    if (awake_at_ > loop_->now()) return WhenAwake(action);
    action();
  });
}

void SimServer::OnCall(dispatch::Report report, Answer answer) {
  WhenAwake([this, report = std::move(report), answer = std::move(answer)] {
    const dispatch::CallId call = ++last_call_;
    calls_[call] = answer;
    Handle(dispatch::Synchronize{call, report});
  });
}

void SimServer::Handle(dispatch::Event event) {
  for (dispatch::Effect& effect : dispatcher_->Handle(std::move(event), loop_->now())) {
    if (auto* reply = std::get_if<dispatch::Reply>(&effect)) {
      const auto call = calls_.extract(reply->call);
      ASSERT_FALSE(call.empty()) << "a call was answered twice";
      call.mapped()(std::move(reply->orders));
    } else if (auto* results = std::get_if<dispatch::Results>(&effect)) {
      // Not within Handle: the dispatcher takes one event at a time.
      WhenAwake([this, results = std::move(*results)] { OnResults(results); });
    } else if (std::holds_alternative<dispatch::UnitRefused>(effect)) {
      ADD_FAILURE() << "a unit was refused";
    }
  }
  ScheduleTick();
}

void SimServer::OnResults(dispatch::Results results) {
  dispatch::ResultsStored stored{.job = results.job, .batch = results.batch};
  for (const auto& [index, result] : results.results) {
    EXPECT_TRUE(results_.emplace(results.job, results.batch, index).second)
        << results.job << "/" << results.batch << "/" << index << " has two results";
    stored.indices.push_back(index);
  }
  const auto it = jobs_.find(results.job);
  if (it == jobs_.end()) return;
  job::Step step = it->second.job->OnResults(results, Wall());
  if (step.token == 0) return Handle(std::move(stored));  // it knows better: of no use
  it->second.results[step.token] = std::move(stored);
  Run(results.job, std::move(step));
}

void SimServer::Run(const std::string& id, job::Step step) {
  for (const dispatch::WorkUnit& unit : step.submit) {
    for (const int64_t index : unit.indices) results_.erase({id, unit.batch, index});
  }
  if (!step.submit.empty()) Handle(dispatch::SubmitUnits{std::move(step.submit)});
  if (step.write.empty()) return;
  jobs_.at(id).writes.push_back({std::move(step.write), step.token});
  WriteNext(id);
}

void SimServer::WriteNext(const std::string& id) {
  const auto it = jobs_.find(id);
  if (it == jobs_.end()) return;
  Running& running = it->second;
  if (running.writing || running.writes.empty()) return;
  running.writing = true;
  disk_->Commit(running.writes.front().batch, [this, id](const absl::Status& status) {
    WhenAwake([this, id, status] { OnWritten(id, status); });
  });
}

void SimServer::OnWritten(const std::string& id, const absl::Status& status) {
  Running& running = jobs_.at(id);
  running.writing = false;
  if (absl::IsResourceExhausted(status)) {
    loop_->After(absl::Seconds(1), [this, id, epoch = epoch_] {
      if (up() && epoch == epoch_) WhenAwake([this, id] { WriteNext(id); });
    });
    return;
  }
  ASSERT_TRUE(testing::IsOk(status));
  const int64_t token = running.writes.front().token;
  running.writes.pop_front();
  job::Step step = running.job->OnWritten(token, Wall());
  auto stored = running.results.extract(token);
  if (!stored.empty()) Handle(std::move(stored.mapped()));
  Run(id, std::move(step));
  WriteNext(id);
  if (running.job->rests() && running.writes.empty()) {
    jobs_.erase(id);
    Handle(dispatch::CancelJob{id});
  }
}

void SimServer::ScheduleTick() {
  const absl::Duration wake = dispatcher_->NextWake();
  if (wake >= next_tick_ || wake == absl::InfiniteDuration()) return;
  next_tick_ = wake;
  loop_->At(wake, [this, epoch = epoch_, wake] {
    if (epoch != epoch_ || next_tick_ != wake) return;
    next_tick_ = absl::InfiniteDuration();
    WhenAwake([this] { Handle(dispatch::Tick{}); });
  });
}

}  // namespace alt::sim
