#include "common/base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "absl/synchronization/notification.h"

namespace alt::base {
namespace {

TEST(ThreadPoolTest, WaitIdleWaitsForAllTasks) {
  ThreadPool pool(3);
  std::vector<int> done(100);  // not atomic: WaitIdle has to make the writes visible
  for (int& flag : done) pool.Schedule([&flag] { flag = 1; });
  pool.WaitIdle();
  for (int flag : done) EXPECT_EQ(flag, 1);
}

TEST(ThreadPoolTest, TheDestructorFinishesWhatWasAccepted) {
  std::atomic<int> done{0};
  {
    ThreadPool pool(1);
    for (int i = 0; i < 10; ++i) pool.Schedule([&] { ++done; });
  }
  EXPECT_EQ(done, 10);
}

TEST(ThreadPoolTest, ATaskMayOwnWhatCannotBeCopied) {
  ThreadPool pool(1);
  auto value = std::make_unique<int>(7);
  int seen = 0;
  pool.Schedule([&seen, value = std::move(value)] { seen = *value; });
  pool.WaitIdle();
  EXPECT_EQ(seen, 7);
}

TEST(ThreadPoolTest, AFullQueueRefuses) {
  ThreadPool pool(1, 1);
  absl::Notification started, release;
  pool.Schedule([&] {
    started.Notify();
    release.WaitForNotification();
  });
  started.WaitForNotification();
  EXPECT_TRUE(pool.TrySchedule([] {}));
  EXPECT_FALSE(pool.TrySchedule([] {}));
  release.Notify();
  pool.WaitIdle();
  EXPECT_TRUE(pool.TrySchedule([] {}));
}

TEST(ThreadPoolTest, ParallelForCallsEachIndexOnce) {
  ThreadPool pool(2);
  std::vector<int> calls(257);
  pool.ParallelFor(257, [&](int i) { ++calls[static_cast<size_t>(i)]; });
  for (int count : calls) EXPECT_EQ(count, 1);
  pool.ParallelFor(0, [](int) { FAIL(); });
}

}  // namespace
}  // namespace alt::base
