#include "server/dispatch/lease_table.h"

#include <algorithm>
#include <set>

#include "common/base/check.h"

namespace alt::dispatch {

bool LeaseTable::AddItem(const Place& place, Item item) {
  return items_.try_emplace(place, std::move(item)).second;
}

Item* LeaseTable::FindItem(const Place& place) {
  const auto it = items_.find(place);
  return it == items_.end() ? nullptr : &it->second;
}

Item* LeaseTable::FindItem(const LeaseName& name, int64_t index) {
  return FindItem({name.job, name.batch, index});
}

int64_t LeaseTable::QueuedIn(const std::string& job, int64_t batch) const {
  const auto first = items_.lower_bound({job, batch, INT64_MIN});
  const auto last = items_.lower_bound({job, batch + 1, INT64_MIN});
  return std::count_if(
      first, last, [](const auto& entry) { return entry.second.state == Item::State::kQueued; });
}

Lease& LeaseTable::AddLease(Lease lease) {
  std::string id = lease.id;
  const auto [it, added] = leases_.insert_or_assign(std::move(id), std::move(lease));
  return it->second;
}

Lease* LeaseTable::FindLease(const std::string& id) {
  const auto it = leases_.find(id);
  return it == leases_.end() ? nullptr : &it->second;
}

const Lease* LeaseTable::FindLease(const std::string& id) const {
  const auto it = leases_.find(id);
  return it == leases_.end() ? nullptr : &it->second;
}

void LeaseTable::End(const std::string& id) {
  Lease* lease = FindLease(id);
  ALT_CHECK(lease != nullptr) << id;
  lease->active = false;
  Forget(id);
}

void LeaseTable::Forget(const std::string& id) {
  const Lease* lease = FindLease(id);
  if (lease && !lease->active && IndicesIn(*lease, Item::State::kFinal).empty()) leases_.erase(id);
}

void LeaseTable::Stored(const std::string& job, int64_t batch,
                        const std::vector<int64_t>& indices) {
  std::set<std::string> leases;
  for (const int64_t index : indices) {
    const auto it = items_.find({job, batch, index});
    // What is not final has been submitted anew since.
    if (it == items_.end() || it->second.state != Item::State::kFinal) continue;
    leases.insert(it->second.last_lease);
    items_.erase(it);
  }
  for (const std::string& id : leases) Forget(id);
}

std::vector<std::string> LeaseTable::RemoveJob(const std::string& job) {
  std::vector<std::string> workers;
  const auto first = items_.lower_bound({job, INT64_MIN, INT64_MIN});
  auto last = first;
  while (last != items_.end() && std::get<0>(last->first) == job) ++last;
  items_.erase(first, last);
  for (auto it = leases_.begin(); it != leases_.end();) {
    if (it->second.name.job != job) {
      ++it;
      continue;
    }
    workers.push_back(it->second.worker);
    it = leases_.erase(it);
  }
  return workers;
}

std::vector<int64_t> LeaseTable::IndicesIn(const Lease& lease, Item::State state) const {
  std::vector<int64_t> indices;
  for (const int64_t index : lease.name.indices) {
    const auto it = items_.find({lease.name.job, lease.name.batch, index});
    if (it == items_.end() || it->second.state != state) continue;
    if (it->second.last_lease == lease.id) indices.push_back(index);
  }
  return indices;
}

bool LeaseTable::MustKeep(const Lease& lease, int64_t position) const {
  if (position < 0 || position >= static_cast<int64_t>(lease.name.indices.size())) return false;
  const int64_t index = lease.name.indices[static_cast<size_t>(position)];
  const auto it = items_.find({lease.name.job, lease.name.batch, index});
  return it != items_.end() && it->second.last_lease == lease.id &&
         it->second.state == Item::State::kFinal;
}

}  // namespace alt::dispatch
