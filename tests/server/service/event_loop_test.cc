#include "server/service/event_loop.h"

#include <gtest/gtest.h>

#include <atomic>

#include "absl/synchronization/notification.h"

namespace alt::service {
namespace {

TEST(EventLoopTest, RunsTasksInOrderOnOneThread) {
  EventLoop loop;
  loop.Start();
  std::vector<int> seen;
  for (int i = 0; i < 100; ++i) loop.Post([&seen, i] { seen.push_back(i); });
  loop.Stop();
  ASSERT_EQ(seen.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[i], i);
}

TEST(EventLoopTest, ATaskMayPost) {
  EventLoop loop;
  absl::Notification done;
  loop.Post([&] { loop.Post([&] { done.Notify(); }); });
  loop.Start();
  done.WaitForNotification();
}

TEST(EventLoopTest, WakesWhenTimeHasCome) {
  absl::Notification woken;
  std::atomic<int> wakes{0};
  EventLoop loop([&] { return wakes < 3 ? absl::Milliseconds(1) : absl::InfiniteDuration(); },
                 [&] {
                   if (++wakes == 3) woken.Notify();
                 });
  loop.Start();
  woken.WaitForNotification();
}

TEST(EventLoopTest, DropsWhatIsPostedAfterItsEnd) {
  EventLoop loop;
  loop.Start();
  loop.Stop();
  loop.Post([] { ADD_FAILURE(); });
}

}  // namespace
}  // namespace alt::service
