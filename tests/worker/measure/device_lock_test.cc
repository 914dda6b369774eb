#include "worker/measure/device_lock.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "absl/synchronization/notification.h"
#include "tests/testing/paths.h"

namespace alt::worker {
namespace {

using alt::testing::IsOk;
using alt::testing::TempDir;
using Mode = DeviceLock::Mode;

bool Never() { return false; }

class DeviceLockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<DeviceLock>> lock = DeviceLock::Create(dir_.File("lock"));
    ALT_ASSERT_OK(lock);
    lock_ = *std::move(lock);
  }
  // Whether it could be had at once.
  bool Free(Mode mode) {
    return lock_->Take(mode, [] { return true; }).has_value();
  }

  TempDir dir_;
  std::unique_ptr<DeviceLock> lock_;
};

TEST_F(DeviceLockTest, BuildersShareIt) {
  const auto one = lock_->Take(Mode::kShared, Never);
  ASSERT_TRUE(one.has_value());
  EXPECT_TRUE(Free(Mode::kShared));
}

TEST_F(DeviceLockTest, ATimerWantsItAlone) {
  {
    const auto builder = lock_->Take(Mode::kShared, Never);
    EXPECT_FALSE(Free(Mode::kExclusive));
  }
  const auto timer = lock_->Take(Mode::kExclusive, Never);
  ASSERT_TRUE(timer.has_value());
  EXPECT_FALSE(Free(Mode::kShared));
  EXPECT_FALSE(Free(Mode::kExclusive));
}

TEST_F(DeviceLockTest, ItIsFreeAgainAfterTheHold) {
  lock_->Take(Mode::kExclusive, Never);
  EXPECT_TRUE(Free(Mode::kExclusive));
  EXPECT_TRUE(Free(Mode::kShared));
}

TEST_F(DeviceLockTest, AWaitingTimerKeepsNewBuildersOut) {
  auto builder = lock_->Take(Mode::kShared, Never);
  absl::Notification waiting;
  std::thread timer([&] {
    const auto hold = lock_->Take(Mode::kExclusive, [&] {
      if (!waiting.HasBeenNotified()) waiting.Notify();
      return false;
    });
    EXPECT_TRUE(hold.has_value());
  });
  // It polls: so it has passed the gate and looks at the lock.
  waiting.WaitForNotification();
  EXPECT_FALSE(Free(Mode::kShared));
  builder.reset();
  timer.join();
  EXPECT_TRUE(Free(Mode::kShared));
}

TEST_F(DeviceLockTest, TwoLocksOfOneFileAreOne) {
  absl::StatusOr<std::unique_ptr<DeviceLock>> other = DeviceLock::Create(dir_.File("lock"));
  ALT_ASSERT_OK(other);
  const auto hold = (*other)->Take(Mode::kExclusive, Never);
  EXPECT_FALSE(Free(Mode::kShared));
}

TEST_F(DeviceLockTest, TheDeathOfItsHolderFreesIt) {
  const pid_t pid = fork();
  if (pid == 0) {
    const auto hold = lock_->Take(Mode::kExclusive, Never);
    kill(getpid(), SIGKILL);
  }
  waitpid(pid, nullptr, 0);
  EXPECT_TRUE(Free(Mode::kExclusive));
}

TEST_F(DeviceLockTest, OthersMayUseTheFilesToo) {
  struct stat info;
  ASSERT_EQ(stat(dir_.File("lock").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644U) << "reading is enough to lock";
}

TEST(DeviceLockCreateTest, AFolderThatIsNotThere) {
  EXPECT_FALSE(IsOk(DeviceLock::Create("/nowhere/at/all")));
}

TEST(DeviceLockCreateTest, ASymbolicLinkIsNotFollowed) {
  // The lock stands in /tmp, where somebody may have put a link to a file of ours.
  TempDir dir;
  ASSERT_EQ(symlink("/dev/null", dir.File("lock").c_str()), 0);
  EXPECT_FALSE(IsOk(DeviceLock::Create(dir.File("lock"))));
}

TEST_F(DeviceLockTest, AnotherUsersFileWillDo) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  ASSERT_EQ(chmod(dir_.path().c_str(), 01777), 0);
  const pid_t child = fork();
  if (child == 0) {
    const bool good = setuid(65534) == 0 && DeviceLock::Create(dir_.File("lock")).ok() &&
                      (*DeviceLock::Create(dir_.File("lock")))->Take(Mode::kExclusive, Never);
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace alt::worker
