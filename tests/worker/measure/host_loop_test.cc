#include "worker/measure/host_loop.h"

#include <atomic>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace alt::worker {
namespace {

TEST(HostLoopTest, EveryIterationIsRunOnce) {
  for (const int threads : {1, 3}) {
    for (const int64_t n : {0, 1, 2, 47, 48, 49, 1000}) {
      const auto never = [] { return false; };
      HostLoop loop(threads, never);
      std::vector<std::atomic<int>> runs(static_cast<size_t>(n));
      loop.Run(n, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++runs[static_cast<size_t>(i)];
      });
      for (const std::atomic<int>& count : runs) EXPECT_EQ(count, 1);
      ALT_EXPECT_OK(loop.status());
    }
  }
}

TEST(HostLoopTest, OnceCancelledLittleMoreIsRunAndTheStatusSaysSo) {
  std::atomic<int64_t> runs = 0;
  bool cancelled = false;
  const auto is_cancelled = [&] { return cancelled; };
  HostLoop loop(1, is_cancelled);
  loop.Run(1'000'000, [&](int64_t begin, int64_t end) {
    runs += end - begin;
    cancelled = true;
  });
  EXPECT_LT(runs, 100'000);
  EXPECT_EQ(loop.status().code(), absl::StatusCode::kCancelled);
  const auto always = [] { return true; };
  HostLoop several(4, always);
  several.Run(1000, [&](int64_t, int64_t) { ADD_FAILURE() << "cancelled from the start"; });
  cancelled = false;  // for whoever was cancelled it stays so
  const int64_t before = runs;
  loop.Run(10, [&](int64_t begin, int64_t end) { runs += end - begin; });
  EXPECT_EQ(runs, before);
  EXPECT_EQ(loop.status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace alt::worker
