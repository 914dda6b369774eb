// Leases given and taken back, and what workers are told.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "server/dispatch/dispatcher.h"

namespace alt::dispatch {
namespace {

// A worker that is still to see that its lease is dropped is asked again after this.
constexpr absl::Duration kDropWait = absl::Milliseconds(100);
// Names kept of workers that failed at one candidate.
constexpr size_t kMaxTriedBy = 64;

template <typename Container, typename Value>
bool Contains(const Container& container, const Value& value) {
  return std::find(container.begin(), container.end(), value) != container.end();
}

}  // namespace

std::string Dispatcher::WhyNoLease(const Worker& worker) const {
  if (!worker.unhealthy.empty()) return absl::StrCat("unhealthy: ", worker.unhealthy);
  const Suspension* suspension = conduct_.Find(worker.name, time_);
  if (!suspension) return "";
  return absl::StrCat("suspended for ",
                      absl::FormatDuration(absl::Ceil(suspension->until - time_, absl::Seconds(1))),
                      ": ", suspension->reason);
}

bool Dispatcher::AnotherMayTake(const Chunk& chunk, const Worker& worker) const {
  const auto item = leases_.all_items().find({chunk.job, chunk.batch, chunk.indices[0]});
  if (item == leases_.all_items().end()) return false;  // claimed, and done
  return std::any_of(workers_.workers().begin(), workers_.workers().end(), [&](const auto& entry) {
    const Worker& other = entry.second;
    return other.name != worker.name && !other.draining && WhyNoLease(other).empty() &&
           !item->second.tried_by.contains(other.name) &&
           target::Serves(other.facts.target, chunk.target);
  });
}

// First what the worker has not failed at yet, then what nobody else is there for.
std::optional<Chunk> Dispatcher::NextChunk(const Worker& worker) {
  std::optional<Chunk> chunk = queue_.Pop([&](const Chunk& waiting) {
    // A candidate that was claimed may have a result by now.
    const Item* item = leases_.FindItem({waiting.job, waiting.batch, waiting.indices[0]});
    return target::Serves(worker.facts.target, waiting.target) &&
           !(item && item->tried_by.contains(worker.name));
  });
  if (chunk) return chunk;
  return queue_.Pop([&](const Chunk& waiting) {
    return target::Serves(worker.facts.target, waiting.target) && !AnotherMayTake(waiting, worker);
  });
}

bool Dispatcher::AssignOne(Worker& worker) {
  if (draining_ || worker.draining || !WhyNoLease(worker).empty()) return false;
  const int64_t room = std::clamp<int64_t>(worker.capacity, 0, options_.max_leases_of_worker) -
                       std::count_if(worker.executing.begin(), worker.executing.end(),
                                     [&](const auto& id) { return IsKeptForRecovery(id); });
  if (static_cast<int64_t>(worker.leases.size()) >= room) return false;
  LeaseName name{.realm = options_.realm, .epoch = options_.epoch, .serial = last_serial_ + 1};
  while (name.indices.empty()) {
    std::optional<Chunk> chunk = NextChunk(worker);
    if (!chunk) return false;
    name.job = chunk->job;
    name.batch = chunk->batch;
    // Some may have been claimed, and have results by now, since they were queued.
    for (const int64_t index : chunk->indices) {
      const Item* item = leases_.FindItem(name, index);
      if (item && item->state == Item::State::kQueued) name.indices.push_back(index);
    }
  }
  ++last_serial_;
  const std::string id = PrintLeaseName(name);
  const Item& first = *leases_.FindItem(name, name.indices[0]);
  if (first.last_lease.empty() && first.tried_by.empty()) {
    effects_.push_back(LeaseGiven{time_ - first.submitted});
  }
  for (const int64_t index : name.indices) {
    Item& item = *leases_.FindItem(name, index);
    item.state = Item::State::kLeased;
    item.last_lease = id;
  }
  const absl::Duration limit = TimeLimit(name);
  leases_.AddLease({.id = id, .name = std::move(name), .worker = worker.name, .time_limit = limit});
  if (worker.leases.empty()) worker.front_since = time_;
  worker.leases.push_back(id);
  touched_.insert(worker.name);
  return true;
}

void Dispatcher::Requeue(std::string lease_id, End end, const std::string& why) {
  const Lease lease = *leases_.FindLease(lease_id);
  // A worker that never said that it has the lease has hardly died of it.
  const bool blamed = (end == End::kLost || end == End::kStuck) && lease.told;
  std::vector<int64_t> given_up;
  std::vector<Chunk> chunks;
  const measure::MeasureRequest* request_of_last = nullptr;
  for (const int64_t index : leases_.IndicesIn(lease, Item::State::kLeased)) {
    Item& item = *leases_.FindItem(lease.name, index);
    // Only a worker that was lost goes on where it was when it comes back.
    if (end != End::kLost) item.last_lease.clear();
    if (end != End::kLeft) {
      item.came_back = absl::StrCat(lease.worker, ": ", why);
      if (item.tried_by.size() >= kMaxTriedBy) item.tried_by.clear();
      item.tried_by.insert(lease.worker);
    }
    item.losses += end == End::kLost || end == End::kStuck;
    if (blamed) item.lost_with.insert(lease.worker);
    if (static_cast<int>(item.lost_with.size()) >= item.max_losses ||
        item.losses >= kMaxLossesOfAll) {
      given_up.push_back(index);
      continue;
    }
    item.state = Item::State::kQueued;
    // Each candidate of a lost lease alone, so that the next loss tells which one it is.
    const bool alone = blamed && !item.compared();
    if (chunks.empty() || alone || item.request.get() != request_of_last) {
      chunks.push_back({.client = item.client,
                        .job = lease.name.job,
                        .batch = lease.name.batch,
                        .target = item.target,
                        .priority = item.priority});
    }
    request_of_last = item.request.get();
    chunks.back().indices.push_back(index);
  }
  if (!given_up.empty()) GiveUp(lease, given_up, why);
  queue_grew_ = true;  // also because the worker has room now
  for (auto it = chunks.rbegin(); it != chunks.rend(); ++it) queue_.PushFront(std::move(*it));
  if (Worker* worker = workers_.Find(lease.worker)) {
    auto& held = worker->leases;
    if (!held.empty() && held.front() == lease_id) worker->front_since = time_;
    held.erase(std::remove(held.begin(), held.end(), lease_id), held.end());
    touched_.insert(worker->name);
  }
  leases_.End(lease_id);
}

void Dispatcher::GiveUp(const Lease& lease, const std::vector<int64_t>& indices,
                        const std::string& why) {
  Results results{.job = lease.name.job, .batch = lease.name.batch, .worker = lease.worker};
  for (const int64_t index : indices) {
    Item& item = *leases_.FindItem(lease.name, index);
    item.state = Item::State::kFinal;
    measure::MeasureResult result;
    result.outcome = measure::Outcome::kWorkerLost;
    result.message =
        absl::StrCat("given up after ", item.losses, " losses of workers that had it; last: ", why);
    results.results.emplace_back(index, std::move(result));
  }
  effects_.push_back(std::move(results));
}

// A lease that was claimed may hold candidates of several requests, which cannot be described in
// one. That matters only when its worker has forgotten it.
void Dispatcher::DropMixedLeases(Worker& worker) {
  const std::vector<std::string> ids = worker.leases;
  for (const std::string& id : ids) {
    if (Contains(worker.executing, id)) continue;
    const Lease& lease = *leases_.FindLease(id);
    const std::vector<int64_t> open = leases_.IndicesIn(lease, Item::State::kLeased);
    const bool mixed = std::any_of(open.begin(), open.end(), [&](int64_t index) {
      return leases_.FindItem(lease.name, index)->request !=
             leases_.FindItem(lease.name, open[0])->request;
    });
    if (mixed || open.size() != lease.name.indices.size())
      Requeue(id, End::kLeft, "forgotten by its worker");
  }
}

void Dispatcher::Suspend(Worker& worker, Fault fault, std::string why) {
  conduct_.Note(worker.name, fault, why, time_);
  // Last first: what comes back goes to the front of the queue.
  while (!worker.leases.empty()) {
    Requeue(worker.leases.back(), End::kLeft, "its worker is suspended");
  }
}

// A lease of an earlier life whose job may still submit it anew.
bool Dispatcher::IsKeptForRecovery(const std::string& lease_id) const {
  if (!recovering_ || leases_.FindLease(lease_id)) return false;
  const std::optional<LeaseName> name = ParseLeaseName(lease_id);
  return name && name->realm == options_.realm && name->epoch < options_.epoch;
}

// Nothing of an ended lease is needed again.
bool Dispatcher::MayForget(const std::string& lease_id) const {
  return !leases_.FindLease(lease_id) && !IsKeptForRecovery(lease_id);
}

bool Dispatcher::HasNews(const Worker& worker) const {
  const auto may_forget = [&](const std::string& id) { return MayForget(id); };
  // There will be no work, but a result that is about to be stored is worth waiting for.
  if (draining_ && std::all_of(worker.ended.begin(), worker.ended.end(), may_forget)) return true;
  const auto not_told = [&](const std::string& id) { return !Contains(worker.executing, id); };
  const auto to_drop = [&](const std::string& id) {
    return !Contains(worker.leases, id) && !IsKeptForRecovery(id);
  };
  return std::any_of(worker.ended.begin(), worker.ended.end(), may_forget) ||
         std::any_of(worker.leases.begin(), worker.leases.end(), not_told) ||
         std::any_of(worker.executing.begin(), worker.executing.end(), to_drop);
}

LeaseOrder Dispatcher::Describe(const Lease& lease, bool described) const {
  LeaseOrder order{.lease_id = lease.id, .described = described, .duration = options_.lease};
  if (!described) return order;
  for (const int64_t index : lease.name.indices) {
    const Item& item = leases_.all_items().at({lease.name.job, lease.name.batch, index});
    order.request = item.request;
    if (!item.request) order.peak_threads = item.target.threads;
    order.candidates.push_back(item.position);
  }
  return order;
}

Orders Dispatcher::MakeOrders(const Worker& worker) const {
  Orders orders;
  for (const std::string& id : worker.ended) {
    if (MayForget(id)) orders.acknowledged.push_back(id);
  }
  for (const auto& [id, position] : worker.with_results) {
    const Lease* lease = leases_.FindLease(id);
    if (!lease || !Contains(worker.executing, id) || position < 0 ||
        position >= static_cast<int64_t>(lease->name.indices.size())) {
      continue;
    }
    const int64_t index = lease->name.indices[static_cast<size_t>(position)];
    const auto item = leases_.all_items().find({lease->name.job, lease->name.batch, index});
    const bool stored = item == leases_.all_items().end() || item->second.last_lease != id;
    if (stored) orders.acknowledged_results.emplace_back(id, position);
  }
  for (const std::string& id : worker.leases) {
    orders.execute.push_back(Describe(*leases_.FindLease(id), !Contains(worker.executing, id)));
  }
  for (const std::string& id : worker.executing) {
    if (!IsKeptForRecovery(id)) continue;
    orders.execute.push_back({.lease_id = id, .described = false, .duration = options_.lease});
  }
  // An idle worker's call is held here; one at work is to renew its leases well before they end.
  if (!orders.execute.empty()) orders.next_call_in = options_.lease / 4;
  if (orders.execute.empty() && (draining_ || !worker.unhealthy.empty())) {
    orders.next_call_in = options_.max_wait;
  } else if (orders.execute.empty() && !worker.executing.empty()) {
    orders.next_call_in = kDropWait;
  }
  return orders;
}

void Dispatcher::Refuse(CallId call, absl::Status status) {
  effects_.push_back(
      Reply{call, Orders{.status = std::move(status), .next_call_in = options_.max_wait}});
}

void Dispatcher::Answer(Worker& worker) {
  DropMixedLeases(worker);
  effects_.push_back(Reply{worker.held->call, MakeOrders(worker)});
  calls_.erase(worker.held->call);
  worker.held.reset();
}

// After every event: gives what waits to workers that wait, first to those that hold least, and
// answers those for whom there is news.
void Dispatcher::Settle() {
  do {
    if (std::exchange(queue_grew_, false)) GiveOut();
    for (const std::string& name : std::exchange(touched_, {})) {
      Worker* worker = workers_.Find(name);
      if (worker && worker->held && HasNews(*worker)) Answer(*worker);
    }
  } while (queue_grew_);
}

void Dispatcher::GiveOut() {
  for (int64_t holding = 0; holding < options_.max_leases_of_worker; ++holding) {
    for (const auto& [call, name] : calls_) {
      if (queue_.empty()) return;
      Worker& worker = *workers_.Find(name);
      if (static_cast<int64_t>(worker.leases.size()) == holding) AssignOne(worker);
    }
  }
}

}  // namespace alt::dispatch
