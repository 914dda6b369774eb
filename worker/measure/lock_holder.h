#ifndef WORKER_MEASURE_LOCK_HOLDER_H_
#define WORKER_MEASURE_LOCK_HOLDER_H_

#include <sys/types.h>

#include <optional>
#include <string>

namespace alt::worker {

// A process that holds a lock.
struct LockHolder {
  pid_t pid = 0;
  std::string program;   // as the system calls it; may be empty
  bool stopped = false;  // by a signal or a debugger

  // "pid 812 (alt-worker, stopped)"
  std::string ToString() const;
};

// Who holds a flock of this open file, by what the system knows; of several, one. None when nobody
// does, or when it is a process that we cannot see (of another container).
std::optional<LockHolder> FindLockHolder(int fd);

}  // namespace alt::worker

#endif  // WORKER_MEASURE_LOCK_HOLDER_H_
