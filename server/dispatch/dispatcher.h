#ifndef SERVER_DISPATCH_DISPATCHER_H_
#define SERVER_DISPATCH_DISPATCHER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/dispatch/lease_table.h"
#include "server/dispatch/measure_queue.h"
#include "server/dispatch/protocol.h"
#include "server/dispatch/worker_registry.h"

namespace alt::dispatch {

struct DispatcherOptions {
  std::string realm;  // of the database: letters and digits
  int64_t epoch = 1;  // its opening

  absl::Duration lease = absl::Seconds(10);  // lasts so long without a call
  absl::Duration grace = absl::Seconds(10);  // then so long until its worker counts as lost
  absl::Duration max_wait = absl::Seconds(5);
  // Leases of an earlier life are kept for their jobs at most so long (RecoveryDone).
  absl::Duration recovery = absl::Seconds(60);
  // After that, so long until what nobody has claimed is given away.
  absl::Duration reconnect = absl::Seconds(3);
  // On top of the limits of a lease's candidates, before its worker is taken to be stuck.
  absl::Duration slack = absl::Seconds(60);
  // A time step larger than this is a pause of ours (a stopped process, a stepped clock), in which
  // no worker could call; it does not count against them.
  absl::Duration max_step = absl::Seconds(2);

  int64_t max_workers = 4096;
  int64_t max_candidates = 1 << 17;  // queued or leased
  int64_t max_leases_of_worker = 4;
  // How often one candidate may come back without a result and without blame for its worker's end
  // (handed back, or lost before the worker had heard of it) before it is given up as WORKER_LOST.
  int64_t max_hand_backs = 10;
};

struct WorkerView {
  std::string name;
  measure::WorkerFacts facts;
  absl::Duration since_last_call;
  std::string job;  // of the lease that it works on; "" when idle
  int64_t leases = 0;
  bool draining = false;
  std::string unhealthy;
  std::string activity;  // what it is at, if it says so
  bool waiting = false;  // for others of its host
  int64_t measured = 0;
};

struct JobView {
  int64_t queued = 0;   // candidates
  int64_t leased = 0;   // candidates
  int64_t workers = 0;  // that hold a lease
};

// Hands candidates to workers and brings each back one final result, whatever becomes of messages,
// workers and the server: a state machine (event, time) -> effects, without threads, clock or I/O.
//
// A candidate is queued, leased, final (its job has the result) and then forgotten when its job
// says that the result is stored:
//
//   SubmitUnits ─► queued ──────► leased ── result ──► final ── ResultsStored ─► gone
//                    ▲               │
//                    └─ worker lost, ┘  too often: final as WORKER_LOST
//                       handed back
//
// Every message may be lost, repeated, late or reordered. A worker repeats everything that was not
// acknowledged; what it holds is told to it again in every answer. A lease is the worker's while
// its session calls; a newer session of the same name takes over; a worker that is silent for lease
// + grace is lost and its candidates are queued again. Results count only from the session that
// holds the lease. After a restart of the server, or when a lost worker comes back before its
// candidates were given to another, it goes on with what it has (the name of the lease says what
// that is).
//
// `now` is a steady time; the same origin for all calls.
class Dispatcher {
 public:
  explicit Dispatcher(DispatcherOptions options);

  std::vector<Effect> Handle(Event event, absl::Duration now);

  // When a Tick is due; at most a second away while anything can run out.
  absl::Duration NextWake() const;

  // By name.
  std::vector<WorkerView> Workers() const;
  JobView JobStatus(const std::string& job) const;
  // Whether a registered worker serves the target.
  bool Serves(const target::Target& target) const;

 private:
  void On(SubmitUnits& event);
  void On(CancelJob& event);
  void On(ResultsStored& event);
  void On(Synchronize& event);
  void On(CallEnded& event);
  void On(RecoveryDone& event);
  void On(Drain& event);
  void On(Tick&) {}  // what time does happens after every event

  // Time.
  void Advance(absl::Duration now);
  void Sweep();
  void EndRecovery();
  void ReleaseRestored();
  absl::Duration TimeLimit(const Lease& lease) const;

  // A worker's call (dispatcher_reports.cc).
  absl::Status CheckReport(const Report& report) const;
  Worker* AdmitWorker(const Report& report, absl::Status* refusal);
  void TakeReport(Report& report, Worker& worker);
  Lease* FindOrClaim(const LeaseReport& report, Worker& worker);
  std::vector<int64_t> Claimable(const LeaseReport& report, const LeaseName& name);
  void TakeResults(LeaseReport& report, Lease& lease, Worker& worker);
  void DropWorker(const std::string& name, WorkerChanged::Change change);

  // Leases (dispatcher_orders.cc).
  // Gives the worker the next chunk that it serves; false: it has no room, or there is none.
  bool AssignOne(Worker& worker);
  void DropMixedLeases(Worker& worker);
  enum class End {
    kLeft,        // all done, or its worker leaves
    kHandedBack,  // its worker cannot do it
    kStuck,       // taken from a worker that is there
    kLost,        // its worker is gone, and may come back and go on
  };
  // The lease ends and what is open of it goes back to the queue, or is given up. By value: the
  // name may be that in the worker, which is removed.
  void Requeue(std::string lease_id, End end, const std::string& why);
  void GiveUp(const Lease& lease, const std::vector<int64_t>& indices, const std::string& why);

  // Answers.
  bool IsKeptForRecovery(const std::string& lease_id) const;
  bool MayForget(const std::string& lease_id) const;
  bool HasNews(const Worker& worker) const;
  Orders MakeOrders(const Worker& worker) const;
  LeaseOrder Describe(const Lease& lease, bool described) const;
  void Refuse(CallId call, absl::Status status);
  void Answer(Worker& worker);
  void Settle();
  void GiveOut();

  // Constant.
  const DispatcherOptions options_;
  // Always set. `time_` passes as `now` does, without our own pauses.
  absl::Duration time_;
  std::optional<absl::Duration> last_now_;
  absl::Duration last_sweep_;
  WorkerRegistry workers_;
  MeasureQueue queue_;
  LeaseTable leases_;
  int64_t last_serial_ = 0;
  std::map<CallId, std::string> calls_;  // held, oldest first; the worker's name
  bool draining_ = false;
  // While recovering: what was submitted anew waits until workers had the time to call and say that
  // they have it already.
  bool recovering_ = true;
  std::vector<Chunk> restored_;
  absl::Duration restore_at_ = absl::InfiniteDuration();
  // Set within Handle.
  std::vector<Effect> effects_;
  std::set<std::string> touched_;  // workers that there may be news for
  bool queue_grew_ = false;
};

}  // namespace alt::dispatch

#endif  // SERVER_DISPATCH_DISPATCHER_H_
