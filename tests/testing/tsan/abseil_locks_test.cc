// That abseil_locks.cc reports nothing where abseil orders, is shown by every test that passes in
// the tsan preset; these cover the calls that few tests make. That ThreadSanitizer still sees races
// is shown by the death test.
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace alt::testing {
namespace {

struct Shared {
  absl::Mutex mutex;
  absl::CondVar changed;
  int value ABSL_GUARDED_BY(mutex) = 0;

  void Set(int to) {
    absl::MutexLock lock(&mutex);
    value = to;
    changed.SignalAll();
  }
};

bool IsOne(int* value) { return *value == 1; }

TEST(AbseilLocksTest, ReadersAndWritersAreOrdered) {
  Shared shared;
  std::thread writer([&] { shared.Set(1); });
  {
    absl::ReaderMutexLock lock(&shared.mutex);
    EXPECT_LE(shared.value, 1);
  }
  writer.join();
  ASSERT_TRUE(shared.mutex.ReaderTryLock());
  EXPECT_EQ(shared.value, 1);
  shared.mutex.ReaderUnlock();
  ASSERT_TRUE(shared.mutex.TryLock());
  std::thread other([&] { EXPECT_FALSE(shared.mutex.TryLock()); });
  other.join();
  shared.mutex.Unlock();
}

TEST(AbseilLocksTest, WaitsOnConditionsAreOrdered) {
  Shared shared;
  std::thread writer([&] { shared.Set(1); });
  shared.mutex.LockWhen(absl::Condition(IsOne, &shared.value));
  EXPECT_EQ(shared.value, 1);
  EXPECT_FALSE(shared.mutex.AwaitWithTimeout(absl::Condition(
                                                 +[](int* v) { return *v == 2; }, &shared.value),
                                             absl::Milliseconds(1)));
  shared.mutex.Unlock();
  writer.join();
  EXPECT_TRUE(shared.mutex.ReaderLockWhenWithDeadline(absl::Condition(IsOne, &shared.value),
                                                      absl::InfiniteFuture()));
  shared.mutex.ReaderUnlock();
}

TEST(AbseilLocksTest, WaitsOnCondVarsAreOrdered) {
  Shared shared;
  std::thread writer([&] { shared.Set(1); });
  shared.mutex.Lock();
  while (shared.value != 1) shared.changed.WaitWithTimeout(&shared.mutex, absl::Seconds(60));
  shared.mutex.Unlock();
  writer.join();
}

TEST(AbseilLocksTest, NotificationsAndCountersAreOrdered) {
  int first = 0;
  std::vector<int> others(4);
  absl::Notification notified;
  absl::BlockingCounter counter(4);
  std::vector<std::thread> threads;
  for (int& other : others) {
    threads.emplace_back([&] {
      notified.WaitForNotification();
      other = first;
      counter.DecrementCount();
    });
  }
  first = 1;
  notified.Notify();
  counter.Wait();
  for (int other : others) EXPECT_EQ(other, 1);
  for (std::thread& thread : threads) thread.join();
}

// Built in every preset, but only ThreadSanitizer has something to say.
TEST(AbseilLocksDeathTest, ARaceBesideALockIsStillSeen) {
#ifndef __SANITIZE_THREAD__
  GTEST_SKIP() << "not the tsan preset";
#else
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto race = [] {
    int value = 0;
    absl::Mutex mutex;
    std::thread other([&] {
      absl::MutexLock lock(&mutex);
      ++value;
    });
    ++value;  // without the lock
    other.join();
    _exit(0);  // the exit code of a process with reports is ThreadSanitizer's, unless halted before
  };
  EXPECT_DEATH(race(), "ThreadSanitizer: data race");
#endif
}

}  // namespace
}  // namespace alt::testing
