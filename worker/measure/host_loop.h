// Loops over the host's memory: making operands, packing, comparing.
#ifndef WORKER_MEASURE_HOST_LOOP_H_
#define WORKER_MEASURE_HOST_LOOP_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace alt::worker {

// Shares iterations among threads, until somebody cancels. Used by one thread, for one request.
class HostLoop {
 public:
  // `cancelled` is asked by the thread that calls Run, and lives as long as this.
  HostLoop(int threads, absl::FunctionRef<bool()> cancelled)
      : threads_(threads), cancelled_(cancelled) {}

  // Calls body(begin, end) for ranges that together are [0, n), at once from several threads and in
  // any order. Once cancelled, ranges that have not begun are left out.
  void Run(int64_t n, absl::FunctionRef<void(int64_t begin, int64_t end)> body);

  // Cancelled when something was left out, or would be.
  absl::Status status();

 private:
  bool Cancelled();

  const int threads_;
  const absl::FunctionRef<bool()> cancelled_;
  bool stopped_ = false;
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_HOST_LOOP_H_
