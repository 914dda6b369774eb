#include "common/base/lock_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "common/base/file.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::base {
namespace {

using testing::StatusIs;
using testing::TempDir;

TEST(LockFileTest, SecondTakerIsToldWhoHoldsIt) {
  const TempDir dir;
  ALT_ASSERT_OK_AND_ASSIGN(auto lock, LockFile::Take(dir.File("a.lock")));
  ALT_ASSERT_OK(lock->SetAddress("127.0.0.1:7440"));
  EXPECT_TRUE(StatusIs(LockFile::Take(dir.File("a.lock")), absl::StatusCode::kFailedPrecondition,
                       absl::StrCat("held by pid ", getpid(), " on ")));
  EXPECT_TRUE(StatusIs(LockFile::Take(dir.File("a.lock")), absl::StatusCode::kFailedPrecondition,
                       "at 127.0.0.1:7440"));
}

TEST(LockFileTest, HolderCanBeReadAndHasNoAddressAtFirst) {
  const TempDir dir;
  ALT_ASSERT_OK_AND_ASSIGN(auto lock, LockFile::Take(dir.File("a.lock")));
  ALT_ASSERT_OK_AND_ASSIGN(LockHolder holder, ReadLockHolder(dir.File("a.lock")));
  EXPECT_EQ(holder.pid, getpid());
  EXPECT_FALSE(holder.host.empty());
  EXPECT_EQ(holder.address, "");
  ALT_ASSERT_OK(lock->SetAddress("unix:/a \"b\"\\c"));
  ALT_ASSERT_OK_AND_ASSIGN(holder, ReadLockHolder(dir.File("a.lock")));
  EXPECT_EQ(holder.address, "unix:/a \"b\"\\c");
  ALT_ASSERT_OK(lock->SetAddress("x"));
  ALT_ASSERT_OK_AND_ASSIGN(holder, ReadLockHolder(dir.File("a.lock")));
  EXPECT_EQ(holder.address, "x");
}

TEST(LockFileTest, GoesWithItsObject) {
  const TempDir dir;
  const std::string path = dir.File("a.lock");
  EXPECT_TRUE(StatusIs(ReadLockHolder(path), absl::StatusCode::kNotFound));
  { ALT_ASSERT_OK_AND_ASSIGN(auto lock, LockFile::Take(path)); }
  EXPECT_TRUE(StatusIs(ReadLockHolder(path), absl::StatusCode::kNotFound));
  ALT_ASSERT_OK_AND_ASSIGN(auto lock, LockFile::Take(path));
  ALT_EXPECT_OK(ReadLockHolder(path));
}

TEST(LockFileTest, ReadingDoesNotDisturbTaking) {
  const TempDir dir;
  ALT_ASSERT_OK(WriteFileAtomically(dir.File("a.lock"), "left behind"));
  EXPECT_TRUE(StatusIs(ReadLockHolder(dir.File("a.lock")), absl::StatusCode::kNotFound));
  ALT_EXPECT_OK(LockFile::Take(dir.File("a.lock")));
}

TEST(LockFileTest, KillLeavesNoStaleLock) {
  const TempDir dir;
  const std::string path = dir.File("a.lock");
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto lock = LockFile::Take(path);
    const char byte = lock.ok() ? 'y' : 'n';
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  EXPECT_TRUE(StatusIs(LockFile::Take(path), absl::StatusCode::kFailedPrecondition,
                       absl::StrCat("pid ", child)));
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  ALT_EXPECT_OK(LockFile::Take(path));
  close(ready[0]);
  close(ready[1]);
}

TEST(LockFileTest, ErrorsNameThePath) {
  EXPECT_TRUE(StatusIs(LockFile::Take("/no/such/dir/a.lock"), absl::StatusCode::kNotFound,
                       "/no/such/dir/a.lock"));
  const TempDir dir;
  ALT_ASSERT_OK_AND_ASSIGN(auto lock, LockFile::Take(dir.File("a.lock")));
  EXPECT_TRUE(
      StatusIs(lock->SetAddress(std::string(2000, 'x')), absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace alt::base
