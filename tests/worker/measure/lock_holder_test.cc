#include "worker/measure/lock_holder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/base/unique_fd.h"
#include "tests/testing/paths.h"

namespace alt::worker {
namespace {

using alt::testing::TempDir;

base::UniqueFd Open(const TempDir& dir) {
  return base::UniqueFd(open(dir.File("lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
}

TEST(LockHolderTest, TheHolderIsFoundByTheFileAndNamed) {
  const TempDir dir, other;
  const base::UniqueFd ours = Open(dir), theirs = Open(dir), elsewhere = Open(other);
  EXPECT_FALSE(FindLockHolder(ours.get()).has_value());
  for (const int mode : {LOCK_SH, LOCK_EX}) {
    ASSERT_EQ(flock(theirs.get(), mode), 0);
    const std::optional<LockHolder> holder = FindLockHolder(ours.get());
    ASSERT_TRUE(holder.has_value());
    EXPECT_EQ(holder->pid, getpid());
    EXPECT_EQ(holder->program, "worker_measure_");  // what the system keeps of the name
    EXPECT_FALSE(holder->stopped);
    EXPECT_FALSE(FindLockHolder(elsewhere.get()).has_value());
  }
}

TEST(LockHolderTest, Words) {
  EXPECT_EQ((LockHolder{.pid = 812, .program = "alt-worker"}).ToString(), "pid 812 (alt-worker)");
  EXPECT_EQ((LockHolder{.pid = 812, .program = "alt-worker", .stopped = true}).ToString(),
            "pid 812 (alt-worker, stopped)");
  EXPECT_EQ((LockHolder{.pid = 812, .stopped = true}).ToString(), "pid 812 (stopped)");
  EXPECT_EQ((LockHolder{.pid = 812}).ToString(), "pid 812");
}

}  // namespace
}  // namespace alt::worker
