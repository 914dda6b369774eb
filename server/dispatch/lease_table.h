#ifndef SERVER_DISPATCH_LEASE_TABLE_H_
#define SERVER_DISPATCH_LEASE_TABLE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "server/dispatch/lease_id.h"
#include "server/dispatch/measure_queue.h"
#include "server/dispatch/protocol.h"

namespace alt::dispatch {

// One candidate on its way, from SubmitUnits to ResultsStored.
struct Item {
  enum class State { kQueued, kLeased, kFinal };
  // Constant.
  std::shared_ptr<const measure::MeasureRequest> request;  // none: the limits of a machine
  int64_t position = 0;                                    // in request->candidates
  target::Target target;
  std::string client;
  int priority = 0;
  int max_losses = 2;
  absl::Duration submitted;  // when
  // Changes.
  State state = State::kQueued;
  std::string last_lease;  // that it was given under, "" for none in this life of the server
  int losses = 0;          // of workers that had or may have had it
  std::set<std::string> lost_with;  // workers that had said that they had it, and vanished
  std::set<std::string> tried_by;   // workers that had it and brought no result
  std::string came_back;            // why, the last time
  bool doubted = false;             // a worker's numbers of it could not be

  // Timed against one another: only together, and only all.
  bool compared() const { return request && request->mode == measure::MeasureMode::kCompare; }
};

// Candidates that a worker holds, or held and whose results are not all stored.
struct Lease {
  std::string id;
  LeaseName name;  // its indices in the order of the worker's results
  std::string worker;
  bool active = true;         // the worker is to work on it
  bool told = false;          // the worker has said that it has it
  absl::Duration time_limit;  // for a result, while it is the worker's first
};

// Candidates and leases by name. A lease that has ended is kept as long as a result of it is final
// and not stored: so long its worker must keep the results.
class LeaseTable {
 public:
  using Place = std::tuple<std::string, int64_t, int64_t>;  // job, batch, index

  // False: it is there already.
  bool AddItem(const Place& place, Item item);
  Item* FindItem(const Place& place);
  Item* FindItem(const LeaseName& name, int64_t index);
  // Queued candidates of a batch.
  int64_t QueuedIn(const std::string& job, int64_t batch) const;
  int64_t items() const { return static_cast<int64_t>(items_.size()); }

  Lease& AddLease(Lease lease);
  Lease* FindLease(const std::string& id);
  const Lease* FindLease(const std::string& id) const;
  // The lease ends; it is forgotten, now or when its results are stored.
  void End(const std::string& id);

  // Forgets stored candidates; returns the leases that end so.
  void Stored(const std::string& job, int64_t batch, const std::vector<int64_t>& indices);
  // Forgets candidates and leases of a job; returns the workers that held active ones.
  std::vector<std::string> RemoveJob(const std::string& job);

  // Indices of a lease whose candidate is in this state and was last given under this lease.
  std::vector<int64_t> IndicesIn(const Lease& lease, Item::State state) const;
  // Whether the result at a position of the lease is final and must be kept by the worker.
  bool MustKeep(const Lease& lease, int64_t position) const;

  const std::map<Place, Item>& all_items() const { return items_; }
  const std::map<std::string, Lease>& leases() const { return leases_; }

 private:
  void Forget(const std::string& id);

  std::map<Place, Item> items_;
  std::map<std::string, Lease> leases_;
};

}  // namespace alt::dispatch

#endif  // SERVER_DISPATCH_LEASE_TABLE_H_
