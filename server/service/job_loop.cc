#include "server/service/job_loop.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "server/job/task_text.h"
#include "server/search/tuner.h"

namespace alt::service {
namespace {

// Two clocks that are read one after the other differ by less, unless one was set.
constexpr absl::Duration kLeastClockStep = absl::Milliseconds(100);

// A job with what the first start needs.
store::Job Started(store::Job job, const measure::WorkerFacts& facts, int64_t sequence,
                   absl::Time now) {
  if (!job.start) {
    job.start = store::JobStart{
        .sequence = sequence, .l1_bytes = facts.l1_bytes, .l2_bytes = facts.l2_bytes, .time = now};
  }
  return job;
}

// Whether a tuner takes the job at all: an unknown policy or a layout that does not apply is an
// answer to CreateJob, not the end of a job.
absl::Status CheckTune(const store::JobSpec& spec, absl::Time now) {
  const store::Job trial = Started({.id = "new", .spec = spec}, {}, 0, now);
  ALT_ASSIGN_OR_RETURN(search::TuningTask task, job::MakeTask(trial, {}));
  return search::Tuner::Create(std::move(task)).status();
}

std::string WaitsFor(const store::JobSpec& spec, const dispatch::Dispatcher& dispatcher) {
  const size_t workers = dispatcher.Workers().size();
  return absl::StrCat("no worker for ", spec.target,
                      workers == 0 ? "" : absl::StrCat("; ", workers, " of other kinds"));
}

}  // namespace

JobLoop::JobLoop(JobLoopOptions options, store::TuningStore& store, DispatchLoop& dispatch,
                 const base::Clock& clock, ServerMetrics& metrics)
    : options_(options),
      store_(store),
      dispatch_(dispatch),
      clock_(clock),
      metrics_(metrics),
      watches_(options.least_interval, [this](const std::string& id) { return StateOf(id); }),
      loop_([this] { return NextWake(); }, [this] { Wake(); }) {}

JobLoop::~JobLoop() { Stop(); }

void JobLoop::Start() {
  steady_origin_ = clock_.Now() - clock_.SteadyNow();
  loop_.Start();
  loop_.Post([this] { Recover(); });
}

void JobLoop::EndWatches() {
  loop_.Post([this] {
    draining_ = true;
    watches_.EndAll();
  });
}

void JobLoop::Stop() {
  loop_.Stop();
  // The store, which goes on, calls into this object.
  const auto none = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return commits_ == 0; };
  absl::MutexLock lock(&mutex_, absl::Condition(&none));
}

void JobLoop::Recover() {
  for (const store::Job& job : store_.UnfinishedJobs()) {
    if (!options_.keep_stopped) {
      ALT_LOG(INFO) << "going on with job " << job.id;
      entries_[job.id].stored = job;
      // Workers may have candidates of a job that has run: it asks for them at once. Another needs
      // the facts of a worker, and nobody can have anything of it.
      if (job.start) {
        Begin(job.id, job);
      } else {
        TryStart(job.id);
      }
      continue;
    }
    store::Job stopped = job;
    stopped.state = measure::JobState::kStopped;
    stopped.reason = "its server ended";
    Change(store::UpdateJob{stopped}, stopped, [](const absl::Status&) {});
  }
  // Everything that had begun is submitted again by now: leases of it that workers report are
  // taken, and others are dropped.
  dispatch_.Send(dispatch::RecoveryDone{});
}

// ---- What clients ask for. ----------------------------------------------------------------------

void JobLoop::CreateJob(store::JobSpec spec, std::string request_id, JobCallback done) {
  loop_.Post([this, spec = std::move(spec), request_id = std::move(request_id),
              done = std::move(done)]() mutable {
    Create(std::move(spec), std::move(request_id), std::move(done));
  });
}

void JobLoop::Create(store::JobSpec spec, std::string request_id, JobCallback done) {
  if (const auto known = store_.FindJobByRequest(request_id)) {
    if (known->spec != spec) {
      return done(
          absl::InvalidArgumentError(absl::StrCat("request id ", request_id, " stands for job ",
                                                  known->id, ", which asks for something else")));
    }
    return Answer(known->id, absl::OkStatus(), done);
  }
  if (static_cast<int64_t>(entries_.size()) >= options_.max_unfinished) {
    return done(absl::ResourceExhaustedError(
        absl::StrCat(entries_.size(), " jobs are unfinished; wait for some, or cancel them")));
  }
  if (spec.kind == store::JobKind::kTune) {
    if (const absl::Status status = CheckTune(spec, Now()); !status.ok()) {
      return done(status);
    }
  }
  store::Job job{.id = absl::StrCat("j", store_.NextJobNumber()),
                 .request_id = request_id,
                 .spec = std::move(spec),
                 .created = Now()};
  Change(store::CreateJob{job}, job, [this, job, request_id, done](const absl::Status& status) {
    if (absl::IsAlreadyExists(status)) {  // the same request, twice at once
      const auto known = store_.FindJobByRequest(request_id);
      return Answer(known ? known->id : job.id, absl::OkStatus(), done);
    }
    Answer(job.id, status, done);
  });
}

void JobLoop::CancelJob(std::string id, JobCallback done) {
  loop_.Post([this, id = std::move(id), done = std::move(done)]() mutable {
    Cancel(id, std::move(done));
  });
}

// What is worked on is in entries_. What the store says lags behind that, and may call a job
// running that was given up because it could not be written.
void JobLoop::Cancel(const std::string& id, JobCallback done) {
  if (Defer(id, [this, id, done] { Cancel(id, done); })) return;
  const auto answer = [this, id, done](const absl::Status& status) { Answer(id, status, done); };
  const auto entry = entries_.find(id);
  if (entry != entries_.end() && entry->second.running) {
    dispatch_.Send(dispatch::CancelJob{id});
    return Apply(id, entry->second.running->Stop("cancelled", Now()), answer);
  }
  absl::StatusOr<store::Job> job = store_.GetJob(id);
  if (!job.ok() || measure::Rests(job->state)) return answer(absl::OkStatus());
  job->state = measure::JobState::kStopped;
  job->reason = "cancelled";
  Change(store::UpdateJob{*job}, *job, answer);
}

void JobLoop::ResumeJob(std::string id, JobCallback done) {
  loop_.Post([this, id = std::move(id), done = std::move(done)]() mutable {
    Resume(id, std::move(done));
  });
}

void JobLoop::Resume(const std::string& id, JobCallback done) {
  if (Defer(id, [this, id, done] { Resume(id, done); })) return;
  absl::StatusOr<store::Job> job = store_.GetJob(id);
  if (!job.ok() || entries_.contains(id) || job->state == measure::JobState::kSucceeded) {
    return Answer(id, absl::OkStatus(), done);
  }
  job->state = measure::JobState::kQueued;
  job->reason.clear();
  job->finished.reset();
  Change(store::UpdateJob{*job}, *job,
         [this, id, done](const absl::Status& status) { Answer(id, status, done); });
}

bool JobLoop::Defer(const std::string& id, std::function<void()> call) {
  const auto it = entries_.find(id);
  if (it == entries_.end()) return false;
  Entry& entry = it->second;
  const bool ends = entry.running && measure::Rests(entry.running->job().state);
  if (!entry.changing && !ends) return false;
  entry.waiting.push_back(std::move(call));
  return true;
}

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
                  loop_.Post([status, after = std::move(after)]() mutable { after(status); });
                  absl::MutexLock lock(&mutex_);
                  --commits_;
                });
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
    if (status.ok() ? measure::Rests(job.state) : fresh) {
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
  if (entry == entries_.end() || entry->second.running || entry->second.starting) return;
  if (entry->second.changing) return;  // it is tried when that is over
  const absl::StatusOr<target::Target> target =
      target::ParseTarget(entry->second.stored.spec.target);
  entry->second.starting = true;
  dispatch_.Inspect(
      [this, id, target, spec = entry->second.stored.spec](const dispatch::Dispatcher& dispatcher) {
        std::optional<measure::WorkerFacts> facts;
        for (const dispatch::WorkerView& worker : dispatcher.Workers()) {
          if (target.ok() && !worker.draining && target::Serves(worker.facts.target, *target)) {
            facts = worker.facts;
            break;
          }
        }
        loop_.Post([this, id, facts, reason = WaitsFor(spec, dispatcher)] {
          StartWith(id, facts, reason);
        });
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
  entry.facts.peak = facts->peak;
  Begin(id, Started(entry.stored, *facts, store_.LastSequence(), Now()));
}

void JobLoop::Begin(const std::string& id, store::Job job) {
  Entry& entry = entries_.at(id);
  job.state = measure::JobState::kQueued;
  absl::StatusOr<std::unique_ptr<RunningJob>> running = MakeRunning(job);
  if (!running.ok()) {
    ALT_LOG(ERROR) << "job " << id << " cannot start: " << running.status().ToString();
    job = entry.stored;
    job.state = measure::JobState::kFailed;
    job.reason = std::string(running.status().message());
    entries_.erase(id);
    return Change(store::UpdateJob{job}, job, [](const absl::Status&) {});
  }
  entry.running = *std::move(running);
  const absl::Time now = Now();
  Apply(id, Timed(*entry.running, [now](RunningJob& j) { return j.Start(now); }));
}

absl::StatusOr<std::unique_ptr<RunningJob>> JobLoop::MakeRunning(const store::Job& job) {
  switch (job.spec.kind) {
    case store::JobKind::kTune:
      return MakeTuneJob(job, store_);
    case store::JobKind::kBench:
      return MakeBenchJob(job, store_);
    case store::JobKind::kPeak:
      return MakePeakJob(job);
  }
  return absl::InternalError("a job of no kind");
}

// ---- Running. -----------------------------------------------------------------------------------

Step JobLoop::Timed(RunningJob& job, absl::AnyInvocable<Step(RunningJob&)> call) {
  const absl::Duration start = clock_.SteadyNow();
  Step step = call(job);
  const absl::Duration took = clock_.SteadyNow() - start;
  job.AddProposeSeconds(absl::ToDoubleSeconds(took));
  metrics_.ObservePropose(took);
  return step;
}

void JobLoop::Apply(const std::string& id, Step step, After after) {
  const auto entry = entries_.find(id);
  if (!step.submit.empty()) dispatch_.Send(dispatch::SubmitUnits{std::move(step.submit)});
  if (entry == entries_.end() || step.write.empty()) {
    if (after) after(absl::OkStatus());
    return;
  }
  std::deque<Write>& writes = entry->second.writes;
  writes.push_back({.batch = std::move(step.write),
                    .tokens = std::move(step.tokens),
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
    return;
  }
  if (!status.ok()) return Abandon(id, status);
  Write write = std::move(entry.writes.front());
  entry.writes.pop_front();
  entry.stored = write.job;
  std::vector<std::function<void()>> waiting;
  if (measure::Rests(write.job.state)) {
    ALT_LOG(INFO) << "job " << id << " " << measure::JobStateName(write.job.state)
                  << (write.job.reason.empty() ? "" : ": ") << write.job.reason;
    metrics_.CountJob(write.job.state);
    dispatch_.Send(dispatch::CancelJob{id});  // what is still under way is of no use
    waiting = std::move(entry.waiting);
    entries_.erase(id);
  } else {
    if (!entry.writes.empty()) WriteNext(id);
    const absl::Time now = Now();
    Apply(id, Timed(*entry.running, [&](RunningJob& j) { return j.OnWritten(write.tokens, now); }));
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

// ---- Watching. ----------------------------------------------------------------------------------

void JobLoop::Watch(std::string id, std::shared_ptr<JobWatcher> watcher) {
  loop_.Post([this, id = std::move(id), watcher = std::move(watcher)]() mutable {
    const bool goes_on = entries_.contains(id);
    const absl::StatusOr<store::Job> job = store_.GetJob(id);
    if (!goes_on && job.ok() && !measure::Rests(job->state)) {
      // Not the end of the watch alone, after which a client would come again.
      return watcher->OnEnd(absl::FailedPreconditionError(absl::StrCat(
          "job ", id, " is unfinished and not worked on: its state could not be written")));
    }
    watches_.Add(id, std::move(watcher), !draining_ && goes_on);
  });
}

void JobLoop::Unwatch(std::shared_ptr<JobWatcher> watcher) {
  loop_.Post([this, watcher = std::move(watcher)] { watches_.Remove(watcher); });
}

absl::StatusOr<v1::Job> JobLoop::StateOf(const std::string& id) const {
  if (const auto entry = entries_.find(id); entry != entries_.end()) {
    return ToProto(entry->second.stored, entry->second.facts, store_);
  }
  ALT_ASSIGN_OR_RETURN(const store::Job job, store_.GetJob(id));
  return ToProto(job, {}, store_);
}

void JobLoop::Answer(const std::string& id, const absl::Status& status, const JobCallback& done) {
  if (status.ok()) {
    done(StateOf(id));
  } else {
    done(status);
  }
}

void JobLoop::Publish(const std::string& id) {
  if (!entries_.contains(id)) return watches_.End(id);
  watches_.MarkChanged(id);
  watches_.Flush(SteadyNow());
}

absl::Time JobLoop::Now() {
  const absl::Time now = clock_.Now();
  const absl::Duration step = now - clock_.SteadyNow() - steady_origin_;
  if (absl::AbsDuration(step) >= kLeastClockStep) {
    steady_origin_ += step;
    for (auto& [id, entry] : entries_) {
      if (entry.running) entry.running->OnClockStep(step);
    }
  }
  return now;
}

absl::Duration JobLoop::NextWake() {
  const absl::Time now = Now();
  const absl::Time steady_now = SteadyNow();
  absl::Duration wake = watches_.NextDue() - steady_now;
  if (!entries_.empty() || !watches_.empty()) wake = std::min(wake, next_heartbeat_ - steady_now);
  for (const auto& [id, entry] : entries_) {
    if (entry.running) wake = std::min(wake, entry.running->NextDeadline() - now);
    wake = std::min(wake, entry.retry_at - steady_now);
  }
  return std::max(wake, absl::ZeroDuration());
}

void JobLoop::Wake() {
  const absl::Time now = Now();
  const absl::Time steady_now = SteadyNow();
  std::vector<std::string> due;
  for (const auto& [id, entry] : entries_) {
    if (entry.retry_at <= steady_now) WriteNext(id);
    if (entry.running && entry.running->NextDeadline() <= now) due.push_back(id);
  }
  for (const std::string& id : due) {
    const auto entry = entries_.find(id);
    if (entry == entries_.end() || !entry->second.running) continue;
    Apply(id, Timed(*entry->second.running, [now](RunningJob& j) { return j.OnTime(now); }));
  }
  if (steady_now >= next_heartbeat_) Heartbeat();
  watches_.Flush(steady_now);
}

// Asks the dispatcher how the jobs fare; what it says is sent with the next state.
void JobLoop::Heartbeat() {
  next_heartbeat_ = SteadyNow() + options_.heartbeat;
  metrics_.SetUnfinishedJobs(static_cast<int64_t>(entries_.size()));
  metrics_.SetRecords(store_.Stats().records);
  std::vector<std::pair<std::string, store::JobSpec>> jobs;
  for (const auto& [id, entry] : entries_) jobs.emplace_back(id, entry.stored.spec);
  dispatch_.Inspect([this, jobs = std::move(jobs)](const dispatch::Dispatcher& dispatcher) {
    const std::vector<dispatch::WorkerView> workers = dispatcher.Workers();
    metrics_.SetWorkers(static_cast<int64_t>(workers.size()));
    std::map<std::string, LiveFacts> facts;
    for (const auto& [id, spec] : jobs) {
      LiveFacts& live = facts[id];
      live.workers = static_cast<int>(dispatcher.JobStatus(id).workers);
      const absl::StatusOr<target::Target> target = target::ParseTarget(spec.target);
      if (target.ok() && !dispatcher.Serves(*target)) live.waits_for = WaitsFor(spec, dispatcher);
      for (const dispatch::WorkerView& worker : workers) {
        if (target.ok() && target::Serves(worker.facts.target, *target)) {
          live.peak = worker.facts.peak;
          break;
        }
      }
    }
    loop_.Post([this, facts = std::move(facts)] {
      for (const auto& [id, live] : facts) {
        const auto entry = entries_.find(id);
        if (entry == entries_.end()) continue;
        const bool changed = live.workers != entry->second.facts.workers ||
                             live.waits_for != entry->second.facts.waits_for;
        entry->second.facts = live;
        if (changed) Publish(id);
      }
    });
  });
}

}  // namespace alt::service
