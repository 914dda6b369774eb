#include "common/base/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace alt::base {
namespace {

TEST(BoundedQueueTest, FirstInIsFirstOut) {
  BoundedQueue<int> queue(3);
  EXPECT_TRUE(queue.Push(1));
  EXPECT_TRUE(queue.Push(2));
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), 2);
  EXPECT_EQ(queue.TryPop(), std::nullopt);
}

TEST(BoundedQueueTest, AFullQueueRefusesAndLeavesTheItem) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  EXPECT_TRUE(queue.TryPush(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);
  EXPECT_FALSE(queue.TryPush(std::move(second)));
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(*second, 2);
}

TEST(BoundedQueueTest, PushWaitsForRoom) {
  BoundedQueue<int> queue(1);
  EXPECT_TRUE(queue.Push(1));
  std::thread pusher([&] { EXPECT_TRUE(queue.Push(2)); });
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), 2);
  pusher.join();
}

TEST(BoundedQueueTest, CloseDrainsAndThenEnds) {
  BoundedQueue<int> queue(2);
  EXPECT_TRUE(queue.Push(1));
  queue.Close();
  EXPECT_FALSE(queue.Push(2));
  EXPECT_FALSE(queue.TryPush(2));
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), std::nullopt);
}

TEST(BoundedQueueTest, CloseWakesThoseWhoWait) {
  BoundedQueue<int> empty(1), full(1);
  EXPECT_TRUE(full.Push(1));
  std::thread popper([&] { EXPECT_EQ(empty.Pop(), std::nullopt); });
  std::thread pusher([&] { EXPECT_FALSE(full.Push(2)); });
  empty.Close();
  full.Close();
  popper.join();
  pusher.join();
}

TEST(BoundedQueueTest, PopForGivesUp) {
  BoundedQueue<int> queue(1);
  EXPECT_EQ(queue.PopFor(absl::Milliseconds(1)), std::nullopt);
}

TEST(BoundedQueueTest, NothingIsLostBetweenManyThreads) {
  BoundedQueue<int> queue(4);
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (std::optional<int> item = queue.Pop()) sum += *item;
    });
  }
  for (int i = 1; i <= 1000; ++i) EXPECT_TRUE(queue.Push(i));
  queue.Close();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, 500500);
}

}  // namespace
}  // namespace alt::base
