// How the job loop starts jobs, writes what comes of them, and hands results to them.
#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/log.h"
#include "server/service/job_fit.h"
#include "server/service/job_loop.h"

namespace alt::service {

// ---- Starting. ----------------------------------------------------------------------------------

void JobLoop::Commit(store::WriteBatch write, After after) {
  {
    absl::MutexLock lock(&mutex_);
    ++commits_;
  }
  const absl::Duration start = clock_.SteadyNow();
  store_.Commit(std::move(write),
                [this, start, after = std::move(after)](const absl::Status& status) mutable {
                  metrics_.ObserveCommit(clock_.SteadyNow() - start);
                  loop_.Post([this, status, after = std::move(after)]() mutable {
                    NoteRoom(status);
                    after(status);
                  });
                  absl::MutexLock lock(&mutex_);
                  --commits_;
                });
}

void JobLoop::NoteRoom(const absl::Status& status) {
  const std::string why = absl::IsResourceExhausted(status) ? std::string(status.message()) : "";
  const std::string before = std::exchange(store_full_, why);
  if (before.empty() == why.empty()) return;
  if (!why.empty()) ALT_LOG(ERROR) << "the database takes no more: " << why;
  metrics_.SetStoreFull(!why.empty());
  options_.on_store_full(!why.empty());
}

void JobLoop::Change(store::Mutation write, store::Job job, After after) {
  const auto [it, fresh] = entries_.try_emplace(job.id);
  if (fresh) it->second.stored = store_.GetJob(job.id).value_or(job);
  it->second.changing = true;
  store::WriteBatch batch;
  batch.push_back(std::move(write));
  Commit(std::move(batch), [this, job = std::move(job), fresh = fresh,
                            after = std::move(after)](const absl::Status& status) mutable {
    const auto it = entries_.find(job.id);
    const std::vector<std::function<void()>> waiting = std::exchange(it->second.waiting, {});
    it->second.changing = false;
    if (status.ok()) {
      metrics_.CountJob(job.state);
      it->second.stored = job;
    }
    if (status.ok() ? job::Rests(job.state) : fresh) {
      entries_.erase(it);
    } else {
      TryStart(job.id);
    }
    after(status);
    Publish(job.id);
    for (const auto& call : waiting) call();
  });
}

void JobLoop::TryStart(const std::string& id) {
  const auto entry = entries_.find(id);
  if (entry == entries_.end() || entry->second.running) return;
  if (entry->second.starting || entry->second.making > 0) return;
  if (entry->second.changing) return;  // it is tried when that is over
  const target::Target target = job::TargetOf(entry->second.stored.spec);
  entry->second.starting = true;
  dispatch_.Inspect([this, id, target](const dispatch::Dispatcher& dispatcher) {
    loop_.Post([this, id, facts = WorkerFor(target, dispatcher),
                reason = dispatcher.WhyUnserved(target)] { StartWith(id, facts, reason); });
  });
}

void JobLoop::StartWith(const std::string& id, const std::optional<measure::WorkerFacts>& facts,
                        const std::string& waits_for) {
  const auto it = entries_.find(id);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  entry.starting = false;
  if (entry.running || entry.changing) return;
  if (!facts) {
    entry.stored.reason = waits_for;  // not worth a write
    return Publish(id);
  }
  // The job was made before its worker was known.
  if (const absl::Status fits = CheckFits(entry.stored.spec, facts); !fits.ok()) {
    return FailToStart(id, fits);
  }
  entry.facts.peak = facts->peak;
  store::Job job = entry.stored;
  if (!job.start) {
    job.start = store::JobStart{.sequence = store_.LastSequence(),
                                .l1_bytes = facts->l1_bytes,
                                .l2_bytes = facts->l2_bytes,
                                .time = Now(),
                                .validators = facts->validators};
  }
  Begin(id, std::move(job));
}

void JobLoop::FailToStart(const std::string& id, const absl::Status& why) {
  ALT_LOG(ERROR) << "job " << id << " cannot start: " << why.ToString();
  store::Job job = entries_.at(id).stored;
  job.state = job::JobState::kFailed;
  job.reason = std::string(why.message());
  entries_.erase(id);
  Change(store::UpdateJob{job}, job, [](const absl::Status&) {});
}

absl::StatusOr<std::unique_ptr<job::RunningJob>> JobLoop::MakeRunning(store::Job job) const {
  job.state = job::JobState::kQueued;
  return job::MakeRunningJob(job, store_);
}

void JobLoop::Begin(const std::string& id, store::Job job) {
  const int64_t number = entries_.at(id).making = ++last_making_;
  const bool accepted = makers_.TrySchedule([this, id, number, job = std::move(job)] {
    auto running = MakeRunning(job);
    loop_.Post([this, id, number, running = std::move(running)]() mutable {
      Begun(id, number, std::move(running));
    });
  });
  ALT_CHECK(accepted) << "one for each unfinished job has room";
}

void JobLoop::Begun(const std::string& id, int64_t number,
                    absl::StatusOr<std::unique_ptr<job::RunningJob>> running) {
  const auto it = entries_.find(id);
  // Cancelled meanwhile, and perhaps begun anew.
  if (it == entries_.end() || it->second.making != number) return;
  Entry& entry = it->second;
  entry.making = 0;
  if (entry.changing) return;  // it is tried when that is over
  if (!running.ok()) return FailToStart(id, running.status());
  entry.running = *std::move(running);
  // Counted from its log, which may be ahead of what was written of the job itself.
  if (std::holds_alternative<job::TuneProgress>(entry.stored.progress)) {
    entry.stored.progress = entry.running->job().progress;
  }
  const absl::Time now = Now();
  Apply(id, Timed(*entry.running, [now](job::RunningJob& j) { return j.Start(now); }));
}

// ---- Running. -----------------------------------------------------------------------------------

job::Step JobLoop::Timed(job::RunningJob& job,
                         absl::AnyInvocable<job::Step(job::RunningJob&)> call) {
  const absl::Duration start = clock_.SteadyNow();
  job::Step step = call(job);
  const absl::Duration took = clock_.SteadyNow() - start;
  job.AddProposeSeconds(absl::ToDoubleSeconds(took));
  metrics_.ObservePropose(took);
  return step;
}

void JobLoop::Apply(const std::string& id, job::Step step, After after) {
  const auto entry = entries_.find(id);
  if (entry != entries_.end()) {
    for (dispatch::WorkUnit& unit : step.submit) unit.client = entry->second.client;
  }
  if (!step.submit.empty()) dispatch_.Send(dispatch::SubmitUnits{std::move(step.submit)});
  if (entry == entries_.end() || step.write.empty()) {
    if (after) after(absl::OkStatus());
    return;
  }
  std::deque<Write>& writes = entry->second.writes;
  writes.push_back({.batch = std::move(step.write),
                    .token = step.token,
                    .job = entry->second.running->job(),
                    .after = std::move(after)});
  if (writes.size() == 1) WriteNext(id);
}

void JobLoop::WriteNext(const std::string& id) {
  Entry& entry = entries_.at(id);
  entry.retry_at = absl::InfiniteFuture();
  store::WriteBatch batch = entry.writes.front().batch;  // kept, to be tried again
  Commit(std::move(batch), [this, id](const absl::Status& status) { Written(id, status); });
}

void JobLoop::Written(const std::string& id, const absl::Status& status) {
  Entry& entry = entries_.at(id);  // which stays while a write is under way
  if (absl::IsResourceExhausted(status)) {
    entry.retry_at = SteadyNow() + options_.retry;
    return Publish(id);
  }
  if (!status.ok()) return Abandon(id, status);
  Write write = std::move(entry.writes.front());
  entry.writes.pop_front();
  entry.stored = write.job;
  std::vector<std::function<void()>> waiting;
  if (job::Rests(write.job.state)) {
    ALT_LOG(INFO) << "job " << id << " " << job::JobStateName(write.job.state)
                  << (write.job.reason.empty() ? "" : ": ") << write.job.reason;
    metrics_.CountJob(write.job.state);
    dispatch_.Send(dispatch::CancelJob{id});  // what is still under way is of no use
    waiting = std::move(entry.waiting);
    entries_.erase(id);
  } else {
    if (!entry.writes.empty()) WriteNext(id);
    const absl::Time now = Now();
    Apply(id,
          Timed(*entry.running, [&](job::RunningJob& j) { return j.OnWritten(write.token, now); }));
  }
  if (write.after) write.after(status);
  Publish(id);
  for (const auto& call : waiting) call();
}

void JobLoop::Abandon(const std::string& id, const absl::Status& status) {
  ALT_LOG(ERROR) << "job " << id << " cannot be written: " << status.ToString();
  dispatch_.Send(dispatch::CancelJob{id});
  Entry& entry = entries_.at(id);
  entry.running->Fail(std::string(status.message()), Now());
  entry.stored = entry.running->job();
  watches_.End(id);
  Entry ended = std::move(entry);
  entries_.erase(id);
  for (Write& write : ended.writes) {
    if (write.after) write.after(status);
  }
  for (const auto& call : ended.waiting) call();
}

void JobLoop::OnResults(dispatch::Results results) {
  loop_.Post([this, results = std::move(results)] {
    dispatch::ResultsStored stored{.job = results.job, .batch = results.batch};
    for (const auto& [index, result] : results.results) stored.indices.push_back(index);
    if (results.peak) stored.indices.push_back(0);
    const auto acknowledge = [this, stored](const absl::Status& status) {
      // Otherwise the job has been given up, with everything that is under way for it.
      if (status.ok()) dispatch_.Send(stored);
    };
    const auto entry = entries_.find(results.job);
    if (entry == entries_.end() || !entry->second.running) {
      return acknowledge(absl::OkStatus());
    }
    Apply(results.job, entry->second.running->OnResults(results, Now()), acknowledge);
  });
}

void JobLoop::OnUnitRefused(dispatch::UnitRefused refused) {
  loop_.Post([this, refused = std::move(refused)] {
    const auto entry = entries_.find(refused.job);
    if (entry == entries_.end() || !entry->second.running) return;
    Apply(refused.job, entry->second.running->Fail(refused.reason, Now()));
  });
}

void JobLoop::OnWorkerChanged(dispatch::WorkerChanged changed) {
  loop_.Post([this, joined = changed.change == dispatch::WorkerChanged::Change::kJoined] {
    if (joined) {
      std::vector<std::string> waiting;
      for (const auto& [id, entry] : entries_) {
        if (!entry.running) waiting.push_back(id);
      }
      for (const std::string& id : waiting) TryStart(id);
    }
    Heartbeat();
  });
}

}  // namespace alt::service
