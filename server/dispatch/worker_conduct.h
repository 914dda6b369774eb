#ifndef SERVER_DISPATCH_WORKER_CONDUCT_H_
#define SERVER_DISPATCH_WORKER_CONDUCT_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/time/time.h"

namespace alt::dispatch {

// How a worker can fail those whose work it takes.
enum class Fault {
  kHandedBack,   // gave a lease back, without a result
  kLost,         // vanished with a lease
  kMute,         // called, but brought nothing within the time of its lease
  kImplausible,  // reported what no machine of its kind can do
};

struct Suspension {
  absl::Duration until;  // no lease before
  int faults = 0;        // in a row
  std::string reason;    // of the last one
};

// What the server holds against workers. Each fault in a row costs a worker's name, which outlives
// its processes, a pause twice as long as the last one, up to 64 times the first; a result makes it
// good. The first loss costs nothing: workers are started anew. Nobody's faults are remembered for
// ever, nor those of more than `most` names.
class WorkerConduct {
 public:
  explicit WorkerConduct(int64_t most) : most_(most) {}

  // Faults that come while it is suspended are those of what it had before: one and the same.
  void Note(const std::string& worker, Fault fault, std::string reason, absl::Duration now);
  // It has brought results. They do not end a suspension.
  void MakeGood(const std::string& worker, absl::Duration now);
  // Null when it may take leases.
  const Suspension* Find(const std::string& worker, absl::Duration now) const;
  // Forgets what is old. True: since the last call a suspension has ended.
  bool Sweep(absl::Duration now);

 private:
  const int64_t most_;
  std::map<std::string, Suspension> suspensions_;
  absl::Duration last_sweep_;
};

}  // namespace alt::dispatch

#endif  // SERVER_DISPATCH_WORKER_CONDUCT_H_
