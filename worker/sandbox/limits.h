// What a runner may use. Set in the child between fork and exec, so it holds from the runner's
// first instruction on.
#ifndef WORKER_SANDBOX_LIMITS_H_
#define WORKER_SANDBOX_LIMITS_H_

#include <cstdint>

namespace alt::sandbox {

struct ProcessLimits {
  int64_t address_space_bytes = int64_t{4} << 30;
  int64_t stack_bytes = int64_t{8} << 20;
  int64_t file_size_bytes = int64_t{1} << 20;  // of files that it writes; mapped memory is free
  int64_t open_files = 256;
};

// Limits this process and all that it will ever start: the resources above, no core dumps, no new
// privileges by exec, and the first to go when the host runs out of memory. Only async-signal-safe
// calls. Returns 0 or an errno.
//
// The time on the CPU is not limited here: a runner serves many candidates, and each request gives
// it some more (Request::cpu_seconds). The address space is not limited under a sanitizer, which
// reserves terabytes.
int ApplyLimits(const ProcessLimits& limits);

}  // namespace alt::sandbox

#endif  // WORKER_SANDBOX_LIMITS_H_
