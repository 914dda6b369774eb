#include "worker/measure/host_loop.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace alt::worker {
namespace {

// So many ranges for each thread: little is left to wait for at the end, and cancelling is quick.
constexpr int64_t kRangesEach = 16;

}  // namespace

bool HostLoop::Cancelled() { return stopped_ = stopped_ || cancelled_(); }

absl::Status HostLoop::status() {
  return Cancelled() ? absl::CancelledError("cancelled") : absl::OkStatus();
}

void HostLoop::Run(int64_t n, absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  if (Cancelled()) return;
  const int64_t ranges = std::min(n, threads_ * kRangesEach);
  std::atomic<int64_t> next = 0;
  // False when there is nothing left.
  const auto run_one = [&] {
    const int64_t range = next++;
    if (range >= ranges) return false;
    body(n * range / ranges, n * (range + 1) / ranges);
    return true;
  };
  std::vector<std::thread> others;
  for (int64_t t = 1; t < std::min<int64_t>(threads_, ranges); ++t) {
    try {
      others.emplace_back([&run_one] {
        while (run_one()) {
        }
      });
    } catch (const std::system_error&) {
      break;  // the system has no thread left: fewer do
    }
  }
  while (!Cancelled() && run_one()) {
  }
  if (stopped_) next = ranges;
  for (std::thread& other : others) other.join();
}

}  // namespace alt::worker
