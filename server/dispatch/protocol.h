// What goes in and out of the dispatcher. Values only; the gRPC shell turns messages into these and
// back.
//
//   job ── WorkUnit ──► Dispatcher ── Orders ──► worker        a lease: candidates and a deadline
//   job ◄── Results ─── Dispatcher ◄── Report ── worker        what became of them
//   job ── ResultsStored ──► Dispatcher ── Orders.acknowledged ──► worker   they may be forgotten
#ifndef SERVER_DISPATCH_PROTOCOL_H_
#define SERVER_DISPATCH_PROTOCOL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/measure/environment.h"
#include "common/measure/measurer.h"
#include "common/target/target.h"

namespace alt::dispatch {

// ---- Work. --------------------------------------------------------------------------------------

constexpr int kMaxLosses = 2;
// A job has one comparison, of candidates that ran well before: they are hardly what workers die
// of, and without it the job has no verdict.
constexpr int kMaxLossesCompared = 6;
// One worker alone may be what is wrong: it counts once, unless it was lost so often.
constexpr int kMaxLossesOfAll = 10;

// Candidates of one batch that one worker builds together and then times. A candidate is known by
// its place (job, batch, index) in every life of the server; submitted twice it is measured once.
struct WorkUnit {
  std::string client;  // who asked for the job: clients share workers, then the jobs of each
  std::string job;
  int64_t batch = 0;
  std::vector<int64_t> indices;  // in the batch, one for each candidate of the request, growing
  target::Target target;
  // None: the unit has one index, and the worker is to measure the limits of its machine with the
  // threads of the target.
  std::shared_ptr<const measure::MeasureRequest> request;
  int priority = 0;  // larger goes first
  // A candidate that so many different workers may have been running when they vanished is given up
  // as WORKER_LOST. That says nothing of the candidate for sure, and is no trial.
  int max_losses = kMaxLosses;
};

// ---- What a worker tells. -----------------------------------------------------------------------

struct LeaseReport {
  enum class State {
    kExecuting,   // has it and works on it, now or later
    kFinished,    // has a result for every candidate
    kHandedBack,  // will not go on; candidates without a result are measured elsewhere
  };
  std::string lease_id;
  State state = State::kExecuting;
  // Results by position within the lease; each is repeated until acknowledged. May come while the
  // lease is being executed.
  std::vector<std::pair<int64_t, measure::MeasureResult>> results;
  std::optional<measure::Peak> peak;  // of a unit without request
  std::string reason;                 // handed back: why
  // Executing, see ExecutingLease: what its worker is at, for people; whether that is waiting for
  // others of its host; a counter that grows while it goes on, 0 when it does not tell.
  std::string activity;
  bool waiting = false;
  int64_t steps = 0;
};

struct Report {
  std::string worker;   // stable name
  std::string session;  // drawn anew by each process
  measure::WorkerFacts facts;
  int64_t capacity = 1;             // leases that it wants to hold
  bool draining = false;            // takes no new lease
  std::string unhealthy;            // why it takes none, "" when it is well
  std::vector<LeaseReport> leases;  // all that it holds, and those finished and not acknowledged
  absl::Duration max_wait;  // how long the answer may be held back when there is nothing new
};

// ---- What a worker is told. ---------------------------------------------------------------------

struct LeaseOrder {
  std::string lease_id;
  // What to do; absent when the worker has reported that it executes the lease.
  std::shared_ptr<const measure::MeasureRequest> request;
  // Positions of the lease's candidates within request->candidates, in the order of the lease.
  std::vector<int64_t> candidates;
  bool described = true;            // false: go on, nothing is said about the work
  std::optional<int> peak_threads;  // measure the limits of the machine with so many threads
  absl::Duration duration;          // how long it lasts without a call
};

struct Orders {
  // Not OK: nothing else counts.
  //   FailedPrecondition  another process, heard of later, has this name: end
  //   ResourceExhausted   too many workers: come back later
  //   InvalidArgument     the report is out of bounds
  absl::Status status;
  // Leases whose end need not be reported again: all is stored, or of no use any more.
  std::vector<std::string> acknowledged;
  // Results of leases that are executed which need not be sent again: (lease, position).
  std::vector<std::pair<std::string, int64_t>> acknowledged_results;
  // What to work on, the first one first. Any other lease that the worker executes is to be
  // dropped.
  std::vector<LeaseOrder> execute;
  absl::Duration next_call_in;
};

// ---- Events. ------------------------------------------------------------------------------------

using CallId = int64_t;  // of one Synchronize call, chosen by the shell, never reused

struct SubmitUnits {
  std::vector<WorkUnit> units;
};
// Nothing of the job is wanted any more.
struct CancelJob {
  std::string job;
};
// Results are durable, or are of no use to the job: either way nobody needs to send them again.
// Every Results effect is answered so, sooner or later, unless the job is cancelled.
struct ResultsStored {
  std::string job;
  int64_t batch = 0;
  std::vector<int64_t> indices;
};
// A worker calls. The answer is a Reply effect, now or later.
struct Synchronize {
  CallId call = 0;
  Report report;
};
// The call is gone: cancelled by the worker, or its connection broke. No Reply is of use.
struct CallEnded {
  CallId call = 0;
};
// After a restart every unfinished job has submitted its units. Until then leases of an earlier
// life are neither dropped nor acknowledged: their jobs may still come.
struct RecoveryDone {};
// The server stops: no new leases, held calls are answered.
struct Drain {};
// Time passes. To be sent at NextWake() at the latest.
struct Tick {};

using Event = std::variant<SubmitUnits, CancelJob, ResultsStored, Synchronize, CallEnded,
                           RecoveryDone, Drain, Tick>;

// ---- Effects. -----------------------------------------------------------------------------------

struct Reply {
  CallId call = 0;
  Orders orders;
};
// Final results, each index once.
struct Results {
  std::string job;
  int64_t batch = 0;
  std::vector<std::pair<int64_t, measure::MeasureResult>> results;  // (index, result)
  std::optional<measure::Peak> peak;  // of a unit without request; then there are no results
  std::string worker;
  measure::Validators validators;
};
// The queue is full; the unit is forgotten. Never happens while jobs keep two batches in flight and
// their number is bounded.
struct UnitRefused {
  std::string job;
  int64_t batch = 0;
  std::string reason;
};
// For people, metrics, and jobs that wait for a worker.
struct WorkerChanged {
  enum class Change { kJoined, kLeft, kLost, kReplaced };
  Change change = Change::kJoined;
  std::string worker;
  target::Target target;
};
// For metrics: candidates went to a worker for the first time, so long after they were submitted.
struct LeaseGiven {
  absl::Duration waited;
};
using Effect = std::variant<Reply, Results, UnitRefused, WorkerChanged, LeaseGiven>;

}  // namespace alt::dispatch

#endif  // SERVER_DISPATCH_PROTOCOL_H_
