// Events and time.
#include "server/dispatch/dispatcher.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/measure/preparation.h"

namespace alt::dispatch {
namespace {

constexpr absl::Duration kSweepEvery = absl::Seconds(1);
constexpr size_t kMostNamed = 3;  // workers in one sentence

}  // namespace

Dispatcher::Dispatcher(DispatcherOptions options)
    : options_(std::move(options)),
      workers_(options_.max_workers),
      conduct_(options_.max_workers) {}

std::vector<Effect> Dispatcher::Handle(Event event, absl::Duration now) {
  Advance(now);
  std::visit([this](auto& e) { On(e); }, event);
  Sweep();
  Settle();
  return std::exchange(effects_, {});
}

// Small steps only: while we stood still nobody could call, so nobody is late.
void Dispatcher::Advance(absl::Duration now) {
  if (last_now_) {
    time_ += std::clamp(now - *last_now_, absl::ZeroDuration(), options_.max_step);
  }
  last_now_ = now;
}

absl::Duration Dispatcher::NextWake() const {
  const absl::Duration now = last_now_.value_or(absl::ZeroDuration());
  if (workers_.workers().empty() && restored_.empty() && !recovering_) {
    return absl::InfiniteDuration();
  }
  absl::Duration wake = std::min(last_sweep_ + kSweepEvery, restore_at_);
  for (const auto& [call, name] : calls_) {
    wake = std::min(wake, workers_.workers().at(name).held->until);
  }
  return now + std::max(wake - time_, absl::ZeroDuration());
}

void Dispatcher::On(SubmitUnits& event) {
  for (WorkUnit& unit : event.units) {
    ALT_CHECK(!unit.indices.empty());
    ALT_CHECK_LE(static_cast<int64_t>(unit.indices.size()), kMaxLeaseSize);
    ALT_CHECK_EQ(unit.indices.size(), unit.request ? unit.request->candidates.size() : 1u);
    if (leases_.items() + static_cast<int64_t>(unit.indices.size()) > options_.max_candidates) {
      effects_.push_back(UnitRefused{
          unit.job, unit.batch,
          absl::StrCat("more than ", options_.max_candidates, " candidates wait for workers")});
      continue;
    }
    Chunk chunk{.client = unit.client,
                .job = unit.job,
                .batch = unit.batch,
                .target = unit.target,
                .priority = unit.priority};
    for (size_t i = 0; i < unit.indices.size(); ++i) {
      Item item{.request = unit.request,
                .position = static_cast<int64_t>(i),
                .target = unit.target,
                .client = unit.client,
                .priority = unit.priority,
                .max_losses = unit.max_losses,
                .submitted = time_};
      if (leases_.AddItem({unit.job, unit.batch, unit.indices[i]}, std::move(item))) {
        chunk.indices.push_back(unit.indices[i]);
      }
    }
    if (chunk.indices.empty()) continue;
    if (recovering_) {
      restored_.push_back(std::move(chunk));
    } else {
      queue_.PushBack(std::move(chunk));
      queue_grew_ = true;
    }
  }
}

void Dispatcher::On(CancelJob& event) {
  queue_.RemoveJob(event.job);
  restored_.erase(std::remove_if(restored_.begin(), restored_.end(),
                                 [&](const Chunk& chunk) { return chunk.job == event.job; }),
                  restored_.end());
  for (const std::string& name : leases_.RemoveJob(event.job)) {
    Worker* worker = workers_.Find(name);
    if (!worker) continue;
    auto& held = worker->leases;
    held.erase(std::remove_if(held.begin(), held.end(),
                              [&](const auto& id) { return !leases_.FindLease(id); }),
               held.end());
    worker->front_since = time_;
    touched_.insert(name);
    queue_grew_ = true;  // for this worker, who has room now
  }
}

void Dispatcher::On(ResultsStored& event) {
  for (const int64_t index : event.indices) {
    const Item* item = leases_.FindItem({event.job, event.batch, index});
    const Lease* lease = item ? leases_.FindLease(item->last_lease) : nullptr;
    if (lease) touched_.insert(lease->worker);
  }
  leases_.Stored(event.job, event.batch, event.indices);
}

void Dispatcher::On(CallEnded& event) {
  const auto it = calls_.find(event.call);
  if (it == calls_.end()) return;
  workers_.Find(it->second)->held.reset();
  calls_.erase(it);
}

void Dispatcher::On(RecoveryDone&) {
  if (recovering_) EndRecovery();
}

void Dispatcher::EndRecovery() {
  // Who called before a job was there keeps what it has once more, and calls again at once: that
  // call claims what jobs have asked for, and is told to forget the rest.
  while (!calls_.empty()) {
    Answer(*workers_.Find(calls_.begin()->second));
    std::get<Reply>(effects_.back()).orders.next_call_in = absl::ZeroDuration();
  }
  recovering_ = false;
  restore_at_ = time_ + options_.reconnect;
  if (restored_.empty()) restore_at_ = time_;
}

void Dispatcher::ReleaseRestored() {
  for (Chunk& chunk : restored_) queue_.PushBack(std::move(chunk));
  restored_.clear();
  restore_at_ = absl::InfiniteDuration();
  queue_grew_ = true;
}

void Dispatcher::On(Drain&) {
  draining_ = true;
  while (!calls_.empty()) Answer(*workers_.Find(calls_.begin()->second));
}

void Dispatcher::Sweep() {
  if (recovering_ && time_ >= options_.recovery) EndRecovery();
  if (time_ >= restore_at_) ReleaseRestored();
  for (auto it = calls_.begin(); it != calls_.end();) {
    Worker& worker = *workers_.Find((it++)->second);  // Answer erases the call
    if (time_ >= worker.held->until) Answer(worker);
  }
  if (time_ < last_sweep_ + kSweepEvery) return;
  last_sweep_ = time_;
  if (conduct_.Sweep(time_)) queue_grew_ = true;  // for those who may take leases again
  std::vector<std::string> silent, mute;
  for (const auto& [name, worker] : workers_.workers()) {
    // While we hold a worker's call it is not the worker that is silent.
    if (!worker.held && time_ >= worker.last_call + options_.lease + options_.grace) {
      silent.push_back(name);
    } else if (!WhyMute(worker).empty()) {
      mute.push_back(name);
    }
  }
  for (const std::string& name : silent) {
    const Worker& worker = *workers_.Find(name);
    const bool left = worker.draining && worker.leases.empty();
    DropWorker(name, left ? WorkerChanged::Change::kLeft : WorkerChanged::Change::kLost);
  }
  for (const std::string& name : mute) SuspendMute(*workers_.Find(name));
}

std::string Dispatcher::WhyMute(const Worker& worker) const {
  if (worker.leases.empty()) return "";
  absl::Duration limit = leases_.FindLease(worker.leases[0])->time_limit;
  if (worker.waiting) limit += options_.longest_wait;
  const auto text = [](absl::Duration duration) {
    return absl::FormatDuration(absl::Trunc(duration, absl::Seconds(1)));
  };
  if (time_ >= worker.front_since + limit) return absl::StrCat("no result within ", text(limit));
  const bool goes_on = worker.waiting || worker.steps == 0 || worker.executing.empty() ||
                       worker.executing[0] != worker.leases[0];
  if (goes_on || time_ < worker.steps_since + options_.standstill) return "";
  return absl::StrCat("no step within ", text(options_.standstill));
}

void Dispatcher::SuspendMute(Worker& worker) {
  const std::string activity = worker.activity.empty() ? "" : absl::StrCat(", ", worker.activity);
  const std::string why = absl::StrCat(WhyMute(worker), activity);
  // Who waits for others has not begun.
  if (!worker.waiting) Requeue(worker.leases[0], End::kStuck, why);
  Suspend(worker, Fault::kMute, why);
}

absl::Duration Dispatcher::TimeLimit(const LeaseName& name) const {
  absl::Duration limit = options_.slack, preparation;
  const measure::MeasureRequest* prepared = nullptr;
  for (const int64_t index : name.indices) {
    const auto it = leases_.all_items().find({name.job, name.batch, index});
    if (it == leases_.all_items().end() || !it->second.request) continue;
    const measure::MeasureLimits& limits = it->second.request->limits;
    limit += limits.compile + limits.run * (it->second.compared() ? 3 : 1);
    // The first lease of a workload pays for its operands and its reference.
    if (std::exchange(prepared, it->second.request.get()) == it->second.request.get()) continue;
    preparation = std::max(preparation, measure::PreparationLimit(it->second.request->workload));
  }
  return limit + preparation;
}

std::vector<WorkerView> Dispatcher::Workers() const {
  std::vector<WorkerView> views;
  for (const auto& [name, worker] : workers_.workers()) {
    WorkerView view{
        .name = name,
        .facts = worker.facts,
        .since_last_call = worker.held ? absl::ZeroDuration() : time_ - worker.last_call,
        .leases = static_cast<int64_t>(worker.leases.size()),
        .draining = worker.draining,
        .takes_no_work = WhyNoLease(worker),
        .activity = worker.activity,
        .waiting = worker.waiting,
        .measured = worker.measured};
    if (!worker.leases.empty()) view.job = leases_.FindLease(worker.leases[0])->name.job;
    views.push_back(std::move(view));
  }
  return views;
}

JobView Dispatcher::JobStatus(const std::string& job) const {
  JobView view;
  std::string came_back;
  for (auto it = leases_.all_items().lower_bound({job, INT64_MIN, INT64_MIN});
       it != leases_.all_items().end() && std::get<0>(it->first) == job; ++it) {
    view.queued += it->second.state == Item::State::kQueued;
    view.leased += it->second.state == Item::State::kLeased;
    if (it->second.state == Item::State::kQueued && !it->second.came_back.empty()) {
      came_back = it->second.came_back;
    }
  }
  std::set<std::string> workers;
  bool goes_on = false;
  for (const auto& [id, lease] : leases_.leases()) {
    if (!lease.active || lease.name.job != job || !workers.insert(lease.worker).second) continue;
    const Worker& worker = workers_.workers().at(lease.worker);
    if (worker.waiting) {
      view.waits_for = absl::StrCat(worker.name, " is ", worker.activity);
    } else {
      goes_on = true;
      // Of its front lease, which may be another job's.
      if (worker.leases[0] == id && !worker.activity.empty()) view.activity = worker.activity;
    }
  }
  view.workers = static_cast<int64_t>(workers.size());
  if (goes_on) view.waits_for.clear();
  if (workers.empty()) view.waits_for = came_back;
  return view;
}

bool Dispatcher::Serves(const target::Target& target) const {
  return std::any_of(workers_.workers().begin(), workers_.workers().end(), [&](const auto& entry) {
    return target::Serves(entry.second.facts.target, target);
  });
}

std::string Dispatcher::WhyUnserved(const target::Target& target) const {
  std::vector<std::string> whys;
  for (const auto& [name, worker] : workers_.workers()) {
    if (!target::Serves(worker.facts.target, target)) continue;
    const std::string why = worker.draining ? "leaving" : WhyNoLease(worker);
    if (why.empty()) return "";
    if (whys.size() < kMostNamed) whys.push_back(absl::StrCat(name, " is ", why));
  }
  if (!whys.empty()) return absl::StrCat("no worker takes work: ", absl::StrJoin(whys, "; "));
  const size_t others = workers_.workers().size();
  return absl::StrCat("no worker for ", target::PrintTarget(target),
                      others == 0 ? "" : absl::StrCat("; ", others, " of other kinds"));
}

}  // namespace alt::dispatch
