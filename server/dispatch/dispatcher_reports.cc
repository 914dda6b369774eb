// What workers report.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/plain_text.h"
#include "server/dispatch/dispatcher.h"
#include "server/dispatch/plausible.h"

namespace alt::dispatch {
namespace {

constexpr size_t kMaxLeasesInReport = 64;
constexpr size_t kMaxNameBytes = 256;
constexpr size_t kMaxMessageBytes = 4096;

// A worker that ends before its work says CANCELLED; we did not ask for that, so it is no result.
// Whether workers are lost is ours to say.
bool IsResult(const measure::MeasureResult& result) {
  return result.outcome != measure::Outcome::kCancelled &&
         result.outcome != measure::Outcome::kWorkerLost;
}

bool HasResult(const LeaseReport& report, int64_t position) {
  return std::any_of(report.results.begin(), report.results.end(), [&](const auto& entry) {
    return entry.first == position && IsResult(entry.second);
  });
}

// Parts of a comparison do not compare with what another worker measures of the rest.
bool IsWholeComparison(const LeaseReport& report, const Lease& lease) {
  if (report.state != LeaseReport::State::kFinished) return false;
  for (size_t position = 0; position < lease.name.indices.size(); ++position) {
    if (!HasResult(report, static_cast<int64_t>(position))) return false;
  }
  return true;
}

}  // namespace

absl::Status Dispatcher::CheckReport(const Report& report) const {
  const auto bad = [](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("report of a worker: ", what));
  };
  if (report.worker.empty() || report.worker.size() > kMaxNameBytes) return bad("its name");
  if (report.session.empty() || report.session.size() > kMaxNameBytes) return bad("its session");
  if (report.leases.size() > kMaxLeasesInReport) return bad("too many leases");
  for (const LeaseReport& lease : report.leases) {
    if (static_cast<int64_t>(lease.results.size()) > kMaxLeaseSize) return bad("too many results");
    for (const auto& [position, result] : lease.results) {
      if (result.latency.has_value() != (result.outcome == measure::Outcome::kOk)) {
        return bad("a result without latency, or a failure with one");
      }
    }
  }
  return absl::OkStatus();
}

Worker* Dispatcher::AdmitWorker(const Report& report, absl::Status* refusal) {
  *refusal = CheckReport(report);
  if (!refusal->ok()) return nullptr;
  std::vector<std::string> former;
  switch (workers_.Admit(report)) {
    case WorkerRegistry::Admission::kSame:
      return workers_.Find(report.worker);
    case WorkerRegistry::Admission::kRefused:
      *refusal = absl::FailedPreconditionError(
          absl::StrCat("another process, heard of later, is the worker ", report.worker, " now"));
      return nullptr;
    case WorkerRegistry::Admission::kFull:
      *refusal = absl::ResourceExhaustedError(
          absl::StrCat("there are ", options_.max_workers, " workers, which is the limit"));
      return nullptr;
    case WorkerRegistry::Admission::kReplaces: {
      const Worker& before = *workers_.Find(report.worker);
      former = before.former_sessions;
      former.push_back(before.session);
      DropWorker(report.worker, WorkerChanged::Change::kReplaced);
      break;
    }
    case WorkerRegistry::Admission::kNew:
      break;
  }
  effects_.push_back(
      WorkerChanged{WorkerChanged::Change::kJoined, report.worker, report.facts.target});
  return &workers_.Add(report, time_, std::move(former));
}

void Dispatcher::On(Synchronize& event) {
  absl::Status refusal;
  Worker* worker = AdmitWorker(event.report, &refusal);
  if (!worker) return Refuse(event.call, refusal);
  // The worker has given up on its call before this one.
  if (worker->held) Answer(*worker);
  TakeReport(event.report, *worker);
  worker->held = {event.call, time_ + std::clamp(event.report.max_wait, absl::ZeroDuration(),
                                                 options_.max_wait)};
  calls_.emplace(event.call, worker->name);
  touched_.insert(worker->name);
  while (AssignOne(*worker)) {
  }
}

void Dispatcher::TakeReport(Report& report, Worker& worker) {
  worker.last_call = time_;
  worker.facts = std::move(report.facts);
  worker.capacity = report.capacity;
  // For good: else who hands back could call it leaving each time.
  worker.draining = worker.draining || report.draining;
  worker.unhealthy = base::PlainText(report.unhealthy, kMaxMessageBytes);
  const std::string front = worker.executing.empty() ? "" : worker.executing.front();
  const int64_t steps = worker.steps;
  worker.executing.clear();
  worker.activity.clear();
  worker.waiting = false;
  worker.steps = 0;
  worker.ended.clear();
  worker.with_results.clear();
  bool brought = false;
  std::optional<std::string> failed;
  for (LeaseReport& lease_report : report.leases) {
    const std::string& id = lease_report.lease_id;
    const bool executing = lease_report.state == LeaseReport::State::kExecuting;
    if (executing && worker.executing.empty()) {
      worker.activity = base::PlainText(lease_report.activity, kMaxMessageBytes);
      worker.waiting = lease_report.waiting;
      worker.steps = lease_report.steps;
      if (id != front || worker.steps != steps) worker.steps_since = time_;
    }
    (executing ? worker.executing : worker.ended).push_back(id);
    for (const auto& [position, result] : lease_report.results) {
      worker.with_results.emplace_back(id, position);
    }
    Lease* lease = FindOrClaim(lease_report, worker);
    if (!lease) continue;
    lease->told = true;
    brought = TakeResults(lease_report, *lease, worker) || brought;
    // A worker that said what cannot be has lost all its leases.
    if (executing || !leases_.FindLease(id) || !leases_.FindLease(id)->active) continue;
    const bool leaves = worker.draining && lease_report.state == LeaseReport::State::kHandedBack;
    const bool open = !leases_.IndicesIn(*lease, Item::State::kLeased).empty();
    const std::string why = lease_report.reason.empty()
                                ? "finished without a result"
                                : base::PlainText(lease_report.reason, kMaxMessageBytes);
    if (open && !leaves) failed = why;
    Requeue(id, leaves ? End::kLeft : End::kHandedBack, why);
  }
  if (brought) {
    conduct_.MakeGood(worker.name, time_);
  } else if (failed) {
    conduct_.Note(worker.name, Fault::kHandedBack, absl::StrCat("handed back: ", *failed), time_);
  }
}

// The lease of a report when this worker is to work on it. What it had before a restart of ours, or
// before it was lost, becomes its lease again unless somebody else has got the candidates since.
Lease* Dispatcher::FindOrClaim(const LeaseReport& report, Worker& worker) {
  const std::string& id = report.lease_id;
  if (Lease* lease = leases_.FindLease(id)) {
    return lease->active && lease->worker == worker.name ? lease : nullptr;
  }
  const std::optional<LeaseName> name = ParseLeaseName(id);
  if (!name || name->realm != options_.realm) return nullptr;
  const std::vector<int64_t> indices = Claimable(report, *name);
  if (indices.empty()) return nullptr;
  for (const int64_t index : indices) {
    Item& item = *leases_.FindItem(*name, index);
    if (item.last_lease == id) {
      item.losses = std::max(0, item.losses - 1);
      item.lost_with.erase(worker.name);
    }
    item.state = Item::State::kLeased;
    item.last_lease = id;
  }
  if (worker.leases.empty()) worker.front_since = time_;
  worker.leases.push_back(id);
  return &leases_.AddLease(
      {.id = id, .name = *name, .worker = worker.name, .time_limit = TimeLimit(*name)});
}

std::vector<int64_t> Dispatcher::Claimable(const LeaseReport& report, const LeaseName& name) {
  std::vector<int64_t> indices;
  bool compared = false;
  // The end of a lease is repeated until it is acknowledged; only results are a reason to look at
  // it again.
  bool useful = report.state == LeaseReport::State::kExecuting || report.peak.has_value();
  for (size_t position = 0; position < name.indices.size(); ++position) {
    const Item* item = leases_.FindItem(name, name.indices[position]);
    if (!item || item->state != Item::State::kQueued) continue;
    const bool earlier_life = name.epoch < options_.epoch && item->last_lease.empty();
    if (!earlier_life && item->last_lease != report.lease_id) continue;
    compared = compared || item->compared();
    useful = useful || HasResult(report, static_cast<int64_t>(position));
    indices.push_back(name.indices[position]);
  }
  // A comparison is of no use in parts.
  const bool part =
      compared && static_cast<int64_t>(indices.size()) != leases_.QueuedIn(name.job, name.batch);
  if (!useful || part) return {};
  return indices;
}

bool Dispatcher::TakePeak(LeaseReport& report, Lease& lease, Worker& worker) {
  const std::vector<int64_t> open = leases_.IndicesIn(lease, Item::State::kLeased);
  if (!report.peak || open.empty()) return false;
  Item& item = *leases_.FindItem(lease.name, open[0]);
  const std::string implausible = WhyImplausible(*report.peak, item.target);
  if (!implausible.empty()) {
    Suspend(worker, Fault::kImplausible, implausible);
    return false;
  }
  item.state = Item::State::kFinal;
  effects_.push_back(Results{.job = lease.name.job,
                             .batch = lease.name.batch,
                             .peak = report.peak,
                             .worker = worker.name,
                             .validators = worker.facts.validators});
  return true;
}

// Turns what cannot be into IMPLAUSIBLE, or takes it out of the report when nobody else has said so
// of the candidate: the worker is more likely to be wrong than the candidate.
std::string Dispatcher::Doubt(LeaseReport& report, const Lease& lease, const Worker& worker) {
  std::string doubt;
  for (auto& [position, result] : report.results) {
    Item* item = OpenItem(lease, position);
    if (!item) continue;
    const std::string why = WhyImplausible(
        result, *item->request, item->request->candidates[static_cast<size_t>(item->position)]);
    if (why.empty()) continue;
    doubt = why;
    item->tried_by.insert(worker.name);
    item->came_back = absl::StrCat(worker.name, " ", why);
    const bool again = std::exchange(item->doubted, true);
    result = {.outcome = again ? measure::Outcome::kImplausible : measure::Outcome::kCancelled,
              .message = item->came_back};
  }
  return doubt;
}

Item* Dispatcher::OpenItem(const Lease& lease, int64_t position) {
  if (position < 0 || position >= static_cast<int64_t>(lease.name.indices.size())) return nullptr;
  Item* item = leases_.FindItem(lease.name, lease.name.indices[static_cast<size_t>(position)]);
  const bool open = item && item->state == Item::State::kLeased && item->last_lease == lease.id;
  return open ? item : nullptr;
}

bool Dispatcher::TakeResults(LeaseReport& report, Lease& lease, Worker& worker) {
  const std::vector<int64_t> open = leases_.IndicesIn(lease, Item::State::kLeased);
  if (open.empty()) return false;
  const Item& first = *leases_.FindItem(lease.name, open[0]);
  if (!first.request) return TakePeak(report, lease, worker);
  const std::string doubt = Doubt(report, lease, worker);
  Results taken{.job = lease.name.job,
                .batch = lease.name.batch,
                .worker = worker.name,
                .validators = worker.facts.validators};
  if (!first.compared() || IsWholeComparison(report, lease)) {
    for (auto& [position, result] : report.results) {
      Item* item = OpenItem(lease, position);
      if (!item || !IsResult(result)) continue;
      item->state = Item::State::kFinal;
      result.message = base::PlainText(result.message, kMaxMessageBytes);
      taken.results.emplace_back(lease.name.indices[static_cast<size_t>(position)],
                                 std::move(result));
    }
  }
  const bool brought = !taken.results.empty();
  if (brought) {
    worker.measured += static_cast<int64_t>(taken.results.size());
    if (worker.leases.front() == lease.id) worker.front_since = time_;
    effects_.push_back(std::move(taken));
  }
  if (!doubt.empty()) Suspend(worker, Fault::kImplausible, doubt);
  return brought && doubt.empty();
}

void Dispatcher::DropWorker(const std::string& name, WorkerChanged::Change change) {
  Worker& worker = *workers_.Find(name);
  effects_.push_back(WorkerChanged{change, name, worker.facts.target});
  const std::string why = change == WorkerChanged::Change::kReplaced
                              ? absl::StrCat("worker ", name, " was started anew")
                              : absl::StrCat("worker ", name, " was not heard of any more");
  if (worker.held) {
    const CallId call = worker.held->call;
    calls_.erase(call);
    worker.held.reset();
    Refuse(call, absl::FailedPreconditionError(why));
  }
  const bool told = std::any_of(worker.leases.begin(), worker.leases.end(),
                                [&](const auto& id) { return leases_.FindLease(id)->told; });
  if (told && !worker.draining) conduct_.Note(name, Fault::kLost, why, time_);
  // Last first: what comes back goes to the front of the queue.
  while (!worker.leases.empty()) Requeue(worker.leases.back(), End::kLost, why);
  workers_.Remove(name);
}

}  // namespace alt::dispatch
