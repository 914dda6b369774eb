#include "worker/measure/device_lock.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "tests/testing/paths.h"

namespace alt::worker {
namespace {

using alt::testing::IsOk;
using alt::testing::StatusIs;
using alt::testing::TempDir;
using Mode = DeviceLock::Mode;

bool Never() { return false; }

class DeviceLockTest : public ::testing::Test {
 protected:
  void SetUp() override { Open({.path = dir_.File("lock")}); }
  void Open(DeviceLock::Options options) {
    absl::StatusOr<std::unique_ptr<DeviceLock>> lock = DeviceLock::Create(std::move(options));
    ALT_ASSERT_OK(lock);
    lock_ = *std::move(lock);
  }
  // Whether it could be had at once.
  bool Free(Mode mode) {
    return lock_->Take(mode, [] { return true; }).ok();
  }

  TempDir dir_;
  std::unique_ptr<DeviceLock> lock_;
};

TEST_F(DeviceLockTest, BuildersShareIt) {
  const auto one = lock_->Take(Mode::kShared, Never);
  ASSERT_TRUE(one.ok());
  EXPECT_TRUE(Free(Mode::kShared));
}

TEST_F(DeviceLockTest, ATimerWantsItAlone) {
  {
    const auto builder = lock_->Take(Mode::kShared, Never);
    EXPECT_FALSE(Free(Mode::kExclusive));
  }
  const auto timer = lock_->Take(Mode::kExclusive, Never);
  ASSERT_TRUE(timer.ok());
  EXPECT_FALSE(Free(Mode::kShared));
  EXPECT_FALSE(Free(Mode::kExclusive));
}

TEST_F(DeviceLockTest, ItIsFreeAgainAfterTheHold) {
  ALT_EXPECT_OK(lock_->Take(Mode::kExclusive, Never));
  EXPECT_TRUE(Free(Mode::kExclusive));
  EXPECT_TRUE(Free(Mode::kShared));
}

TEST_F(DeviceLockTest, AWaitingTimerKeepsNewBuildersOut) {
  auto builder = std::make_optional(lock_->Take(Mode::kShared, Never));
  absl::Notification waiting;
  std::thread timer([&] {
    const auto hold = lock_->Take(Mode::kExclusive, [&] {
      if (!waiting.HasBeenNotified()) waiting.Notify();
      return false;
    });
    EXPECT_TRUE(hold.ok());
  });
  // It polls: so it has passed the gate and looks at the lock.
  waiting.WaitForNotification();
  EXPECT_FALSE(Free(Mode::kShared));
  builder.reset();
  timer.join();
  EXPECT_TRUE(Free(Mode::kShared));
}

TEST_F(DeviceLockTest, TwoLocksOfOneFileAreOne) {
  absl::StatusOr<std::unique_ptr<DeviceLock>> other =
      DeviceLock::Create({.path = dir_.File("lock")});
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

// A child process that takes the lock and is stopped with it.
class StoppedHolder {
 public:
  explicit StoppedHolder(const DeviceLock& lock) : pid_(fork()) {
    if (pid_ == 0) {
      const auto hold = lock.Take(Mode::kExclusive, Never);
      kill(getpid(), SIGSTOP);
      _exit(0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, WUNTRACED), pid_);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  ~StoppedHolder() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  const pid_t pid_;
};

TEST_F(DeviceLockTest, PatienceWithAHolderThatIsStoppedEnds) {
  Open({.path = dir_.File("lock"), .patience = absl::Milliseconds(30)});
  const StoppedHolder holder(*lock_);
  for (const Mode mode : {Mode::kShared, Mode::kExclusive}) {
    EXPECT_TRUE(StatusIs(lock_->Take(mode, Never), absl::StatusCode::kUnavailable,
                         absl::StrCat("waiting for cpu:0, held by pid ", holder.pid(), " (")));
    EXPECT_TRUE(StatusIs(lock_->Take(mode, Never), absl::StatusCode::kUnavailable, ", stopped)"));
  }
}

TEST_F(DeviceLockTest, WhoIsWaitedForIsTold) {
  Activity activity;
  Open({.path = dir_.File("lock"), .activity = &activity});
  const StoppedHolder holder(*lock_);
  const auto told = [&] {
    const Activity::View view = activity.Get();
    if (view.what.empty()) return false;
    EXPECT_TRUE(view.waiting);
    EXPECT_NE(view.what.find(absl::StrCat("held by pid ", holder.pid())), std::string::npos)
        << view.what;
    return true;
  };
  EXPECT_TRUE(StatusIs(lock_->Take(Mode::kShared, told), absl::StatusCode::kCancelled));
  EXPECT_EQ(activity.Get().what, "") << "nobody waits any more";
}

TEST(DeviceLockPathTest, AnAdministratorsFolderIsTakenAndNothingElse) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make an administrator's folder";
  const TempDir dir;
  const std::string run = dir.File("run");
  EXPECT_EQ(DeviceLockPath("cpu0", run, "/t").value(), "/t/alt-device-cpu0.lock");
  ASSERT_EQ(mkdir(run.c_str(), 0770), 0);
  EXPECT_EQ(DeviceLockPath("cpu0", run, "/t").value(), run + "/alt-device-cpu0.lock");
  ASSERT_EQ(chmod(run.c_str(), 01777), 0);
  EXPECT_TRUE(StatusIs(DeviceLockPath("cpu0", run, "/t"), absl::StatusCode::kFailedPrecondition,
                       "everybody may write"));
  ASSERT_EQ(chown(run.c_str(), 65534, 65534), 0);
  EXPECT_EQ(DeviceLockPath("cpu0", run, "/t").value(), "/t/alt-device-cpu0.lock");
}

TEST_F(DeviceLockTest, OthersMayUseTheFilesToo) {
  struct stat info;
  ASSERT_EQ(stat(dir_.File("lock").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644U) << "reading is enough to lock";
}

TEST(DeviceLockCreateTest, AFolderThatIsNotThere) {
  EXPECT_FALSE(IsOk(DeviceLock::Create({.path = "/nowhere/at/all"})));
}

TEST(DeviceLockCreateTest, ASymbolicLinkIsNotFollowed) {
  // The lock stands in /tmp, where somebody may have put a link to a file of ours.
  TempDir dir;
  ASSERT_EQ(symlink("/dev/null", dir.File("lock").c_str()), 0);
  EXPECT_FALSE(IsOk(DeviceLock::Create({.path = dir.File("lock")})));
}

TEST_F(DeviceLockTest, AnotherUsersFileWillDo) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  ASSERT_EQ(chmod(dir_.path().c_str(), 01777), 0);
  const pid_t child = fork();
  if (child == 0) {
    const bool good =
        setuid(65534) == 0 && DeviceLock::Create({.path = dir_.File("lock")}).ok() &&
        (*DeviceLock::Create({.path = dir_.File("lock")}))->Take(Mode::kExclusive, Never).ok();
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace alt::worker
