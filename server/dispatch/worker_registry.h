#ifndef SERVER_DISPATCH_WORKER_REGISTRY_H_
#define SERVER_DISPATCH_WORKER_REGISTRY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/dispatch/protocol.h"

namespace alt::dispatch {

// A registered worker: one session of one name.
struct Worker {
  // Constant for the session.
  std::string name;
  std::string session;
  std::vector<std::string> former_sessions;  // that had the name before, the last few

  // From its last report.
  measure::WorkerFacts facts;
  int64_t capacity = 1;
  bool draining = false;
  std::string unhealthy;
  std::vector<std::string> executing;  // leases
  std::string activity;            // of the lease that it works on: what it is at, if it says so
  bool waiting = false;            // for others of its host
  int64_t steps = 0;               // grows while it goes on; 0: it does not tell
  absl::Duration steps_since;      // that number, of that lease
  std::vector<std::string> ended;  // leases, until acknowledged
  std::vector<std::pair<std::string, int64_t>> with_results;  // (lease, position)
  absl::Duration last_call;

  // What we have given it, in the order of work.
  std::vector<std::string> leases;
  // Since when the first of them is the first, or since its last result.
  absl::Duration front_since;

  // Its call that waits for news.
  struct HeldCall {
    CallId call = 0;
    absl::Duration until;
  };
  std::optional<HeldCall> held;

  int64_t measured = 0;  // candidates, in this session
};

// Sessions by name. A name belongs to the process that was heard of last for the first time: what
// an earlier one sends, paused or cut off in the meantime, is refused. When a process says that it
// started is of no use: who says tomorrow would keep a name from its owner until then.
class WorkerRegistry {
 public:
  explicit WorkerRegistry(int64_t max_workers) : max_workers_(max_workers) {}

  enum class Admission {
    kNew,       // no such name yet
    kSame,      // the session that has the name
    kReplaces,  // new, while another session has the name, which must be removed first
    kRefused,   // it had the name, and another one has it now
    kFull,
  };
  Admission Admit(const Report& report) const;

  // A name that Admit calls new; `former` are sessions that had it.
  Worker& Add(const Report& report, absl::Duration now, std::vector<std::string> former = {});
  void Remove(const std::string& name) { workers_.erase(name); }

  Worker* Find(const std::string& name);
  std::map<std::string, Worker>& workers() { return workers_; }
  const std::map<std::string, Worker>& workers() const { return workers_; }

 private:
  const int64_t max_workers_;
  std::map<std::string, Worker> workers_;
};

}  // namespace alt::dispatch

#endif  // SERVER_DISPATCH_WORKER_REGISTRY_H_
