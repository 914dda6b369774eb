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
#include "server/dispatch/worker_conduct.h"
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
  // A worker that says how many steps it has done is stuck when it does none for so long.
  absl::Duration standstill = absl::Seconds(60);
  // A worker that says that it waits for others of its host may do so for so long.
  absl::Duration longest_wait = absl::Minutes(10);
  // A time step larger than this is a pause of ours (a stopped process, a stepped clock), in which
  // no worker could call; it does not count against them.
  absl::Duration max_step = absl::Seconds(2);

  int64_t max_workers = 4096;
  int64_t max_candidates = 1 << 17;  // queued or leased
  int64_t max_leases_of_worker = 4;
};

struct WorkerView {
  std::string name;
  measure::WorkerFacts facts;
  absl::Duration since_last_call;
  std::string job;  // of the lease that it works on; "" when idle
  int64_t leases = 0;
  bool draining = false;
  std::string takes_no_work;  // why; "" when it does, or is draining
  std::string activity;       // what it is at, if it says so
  bool waiting = false;       // for others of its host
  int64_t measured = 0;
};

struct JobView {
  int64_t queued = 0;    // candidates
  int64_t leased = 0;    // candidates
  int64_t workers = 0;   // that hold a lease
  std::string activity;  // what one of them is at, if one says so that does not wait
  // Why nobody gets on with it, for people: what its workers wait for, or why what is queued came
  // back. "" when somebody does, or nothing is known.
  std::string waits_for;
};

// Hands candidates to workers and brings each back one final result, whatever becomes of messages,
// workers and the server: a state machine (event, time) -> effects, without threads, clock or I/O.
//
// A candidate is queued, leased, final (its job has the result) and then forgotten when its job
// says that the result is stored:
//
//   SubmitUnits ─► queued ──────► leased ── result ──► final ── ResultsStored ─► gone
//                    ▲               │
//                    └─ worker lost, ┘  lost with several: final as WORKER_LOST
//                       handed back
//
// What a worker could not do goes to another one, where there is one; the worker takes nothing for
// a pause that grows until it brings a result. A candidate that is only ever handed back waits, and
// its job can say why: a fault of hosts is no outcome of a candidate.
//
// Every message may be lost, repeated, late or reordered. A worker repeats everything that was not
// acknowledged; what it holds is told to it again in every answer. A lease is the worker's while
// its session calls; a new session of the same name takes over; a worker that is silent for lease
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
  // Why no worker takes work for the target now, for people; "" when one does.
  std::string WhyUnserved(const target::Target& target) const;

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
  absl::Duration TimeLimit(const LeaseName& name) const;
  // Why a worker that calls is taken to be stuck; "" when it is not.
  std::string WhyMute(const Worker& worker) const;
  void SuspendMute(Worker& worker);

  // A worker's call (dispatcher_reports.cc).
  absl::Status CheckReport(const Report& report) const;
  Worker* AdmitWorker(const Report& report, absl::Status* refusal);
  void TakeReport(Report& report, Worker& worker);
  Lease* FindOrClaim(const LeaseReport& report, Worker& worker);
  std::vector<int64_t> Claimable(const LeaseReport& report, const LeaseName& name);
  // False: it brought nothing.
  bool TakeResults(LeaseReport& report, Lease& lease, Worker& worker);
  bool TakePeak(LeaseReport& report, Lease& lease, Worker& worker);
  // Sees to results that cannot be; says why they cannot, "" when all can.
  std::string Doubt(LeaseReport& report, const Lease& lease, const Worker& worker);
  // What the lease awaits a result of at this position; null when nothing.
  Item* OpenItem(const Lease& lease, int64_t position);
  void DropWorker(const std::string& name, WorkerChanged::Change change);

  // Leases (dispatcher_orders.cc).
  // Why the worker gets no lease now; "" when it may.
  std::string WhyNoLease(const Worker& worker) const;
  // Gives the worker the next chunk that it serves; false: it has no room, or there is none.
  bool AssignOne(Worker& worker);
  std::optional<Chunk> NextChunk(const Worker& worker);
  // Whether somebody else may take what this worker could not do.
  bool AnotherMayTake(const Chunk& chunk, const Worker& worker) const;
  void DropMixedLeases(Worker& worker);
  enum class End {
    kLeft,        // all done, or its worker leaves or is suspended
    kHandedBack,  // its worker cannot do it
    kStuck,       // taken from a worker that is there
    kLost,        // its worker is gone, and may come back and go on
  };
  // The lease ends and what is open of it goes back to the queue, or is given up. By value: the
  // name may be that in the worker, which is removed.
  void Requeue(std::string lease_id, End end, const std::string& why);
  // Gives what the worker holds to others, for a pause.
  void Suspend(Worker& worker, Fault fault, std::string why);
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
  WorkerConduct conduct_;
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
