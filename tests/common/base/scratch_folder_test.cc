#include "common/base/scratch_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "common/base/file.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::base {
namespace {

using alt::testing::StatusIs;
using alt::testing::TempDir;

bool Exists(const std::string& path) { return std::filesystem::exists(path); }

TEST(ScratchFolderTest, IsOursAloneAndGoesWithWhatIsInIt) {
  const TempDir dir;
  std::string path;
  {
    ALT_ASSERT_OK_AND_ASSIGN(const auto folder, ScratchFolder::Create(dir.path(), "alt-"));
    path = folder->path();
    EXPECT_EQ(path.rfind(dir.File("alt-"), 0), 0U);
    struct stat info;
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
    ALT_EXPECT_OK(WriteFileAtomically(folder->File("x"), "1"));
  }
  EXPECT_FALSE(Exists(path));
}

TEST(ScratchFolderTest, AParentThatIsMissingIsNamed) {
  EXPECT_TRUE(StatusIs(ScratchFolder::Create("/nowhere/at/all", "alt-"),
                       absl::StatusCode::kNotFound, "/nowhere/at/all"));
}

TEST(ScratchFolderTest, WhatAKilledOwnerLeftIsSweptAndNothingElse) {
  const TempDir dir;
  ALT_ASSERT_OK_AND_ASSIGN(const auto ours, ScratchFolder::Create(dir.path(), "alt-"));
  ASSERT_EQ(mkdir(dir.File("other").c_str(), 0700), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const auto folder = ScratchFolder::Create(dir.path(), "alt-");
    static_cast<void>(WriteFileAtomically((*folder)->File("x"), "1"));
    kill(getpid(), SIGKILL);
  }
  waitpid(pid, nullptr, 0);
  EXPECT_EQ(SweepScratchFolders(dir.path(), "alt-"), 1);
  EXPECT_EQ(SweepScratchFolders(dir.path(), "alt-"), 0);
  EXPECT_TRUE(Exists(ours->path()));
  EXPECT_TRUE(Exists(dir.File("other")));
  EXPECT_EQ(SweepScratchFolders("/nowhere/at/all", "alt-"), 0);
}

TEST(ScratchFolderTest, ASweepNeverTakesAFolderThatIsBeingMade) {
  const TempDir dir;
  std::atomic<bool> done = false;
  std::thread sweeper([&] {
    while (!done) SweepScratchFolders(dir.path(), "alt-");
  });
  for (int i = 0; i < 200; ++i) {
    ALT_ASSERT_OK_AND_ASSIGN(const auto folder, ScratchFolder::Create(dir.path(), "alt-"));
    EXPECT_TRUE(Exists(folder->path())) << i;
  }
  done = true;
  sweeper.join();
}

}  // namespace
}  // namespace alt::base
