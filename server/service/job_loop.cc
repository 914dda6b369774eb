#include "server/service/job_loop.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"

namespace alt::service {
namespace {

// Two clocks that are read one after the other differ by less, unless one was set.
constexpr absl::Duration kLeastClockStep = absl::Milliseconds(100);
constexpr size_t kMostChecks = 256;  // of new jobs that wait to be looked at

}  // namespace

JobLoop::JobLoop(JobLoopOptions options, store::TuningStore& store, DispatchLoop& dispatch,
                 const base::Clock& clock, ServerMetrics& metrics)
    : options_(options),
      store_(store),
      dispatch_(dispatch),
      clock_(clock),
      metrics_(metrics),
      watches_(options.least_interval, [this](const std::string& id) { return StateOf(id); }),
      loop_([this] { return NextWake(); }, [this] { Wake(); }),
      checks_(1, kMostChecks),
      makers_(1, static_cast<size_t>(2 * options.max_unfinished)) {}

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
        entries_[job.id].making = ++last_making_;
        Begun(job.id, last_making_, MakeRunning(job));
      } else {
        TryStart(job.id);
      }
      continue;
    }
    store::Job stopped = job;
    // What clients have seen of it is in its log.
    if (job.start) {
      const auto running = job::MakeRunningJob(job, store_);
      if (running.ok()) stopped.progress = (*running)->job().progress;
    }
    stopped.state = job::JobState::kStopped;
    stopped.reason = "its server ended";
    Change(store::UpdateJob{stopped}, stopped, [](const absl::Status&) {});
  }
  // Everything that had begun is submitted again by now: leases of it that workers report are
  // taken, and others are dropped.
  dispatch_.Send(dispatch::RecoveryDone{});
}

// ---- Watching. ----------------------------------------------------------------------------------

void JobLoop::Watch(std::string id, std::shared_ptr<JobWatcher> watcher) {
  loop_.Post([this, id = std::move(id), watcher = std::move(watcher)]() mutable {
    const bool goes_on = entries_.contains(id);
    const absl::StatusOr<store::Job> job = store_.GetJob(id);
    if (!goes_on && job.ok() && !job::Rests(job->state)) {
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

absl::StatusOr<job::Job> JobLoop::StateOf(const std::string& id) const {
  const auto entry = entries_.find(id);
  if (entry == entries_.end()) return store_.GetJob(id);
  job::Job out = entry->second.stored;
  const LiveFacts& facts = entry->second.facts;
  out.workers = facts.workers;
  out.activity = facts.activity;
  if (auto* tune = std::get_if<job::TuneProgress>(&out.progress)) tune->machine_peak = facts.peak;
  std::optional<std::string> waits_for = facts.waits_for;
  if (entry->second.retry_at != absl::InfiniteFuture()) {
    waits_for = absl::StrCat("the database takes no more, it is tried again: ", store_full_);
  }
  if (out.state == job::JobState::kRunning && waits_for) {
    out.state = job::JobState::kQueued;
    out.reason = *waits_for;
  }
  return out;
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
  if (!entries_.empty() || !watches_.empty() || !store_full_.empty())
    wake = std::min(wake, next_heartbeat_ - steady_now);
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
    Apply(id, Timed(*entry->second.running, [now](job::RunningJob& j) { return j.OnTime(now); }));
  }
  if (steady_now >= next_heartbeat_) Heartbeat();
  watches_.Flush(steady_now);
}

// Asks the dispatcher how the jobs fare; what it says is sent with the next state.
void JobLoop::Heartbeat() {
  next_heartbeat_ = SteadyNow() + options_.heartbeat;
  const bool any_waits = std::any_of(entries_.begin(), entries_.end(), [](const auto& entry) {
    return !entry.second.writes.empty() || entry.second.changing;
  });
  if (!any_waits) NoteRoom(absl::OkStatus());  // the next write will tell
  metrics_.SetUnfinishedJobs(static_cast<int64_t>(entries_.size()));
  const job::Stats stats = store_.Stats();
  metrics_.SetRecords(stats.records);
  metrics_.SetDatabaseBytes(stats.bytes);
  std::vector<std::pair<std::string, target::Target>> jobs;
  for (const auto& [id, entry] : entries_) {
    jobs.emplace_back(id, job::TargetOf(entry.stored.spec));
  }
  dispatch_.Inspect([this, jobs = std::move(jobs)](const dispatch::Dispatcher& dispatcher) {
    const std::vector<dispatch::WorkerView> workers = dispatcher.Workers();
    metrics_.SetWorkers(static_cast<int64_t>(workers.size()));
    std::map<std::string, LiveFacts> facts;
    for (const auto& [id, target] : jobs) {
      LiveFacts& live = facts[id];
      const dispatch::JobView view = dispatcher.JobStatus(id);
      live.workers = static_cast<int>(view.workers);
      live.activity = view.activity;
      std::string waits_for = view.waits_for;
      if (waits_for.empty() && view.workers == 0) waits_for = dispatcher.WhyUnserved(target);
      if (!waits_for.empty()) live.waits_for = std::move(waits_for);
      for (const dispatch::WorkerView& worker : workers) {
        if (target::Serves(worker.facts.target, target)) {
          live.peak = worker.facts.peak;
          break;
        }
      }
    }
    loop_.Post([this, facts = std::move(facts)] {
      for (const auto& [id, live] : facts) {
        const auto entry = entries_.find(id);
        if (entry == entries_.end()) continue;
        const LiveFacts& known = entry->second.facts;
        const bool changed = live.workers != known.workers || live.activity != known.activity ||
                             live.waits_for != known.waits_for;
        entry->second.facts = live;
        if (changed) Publish(id);
      }
    });
  });
}

}  // namespace alt::service
