#include "common/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "common/base/unique_fd.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::base {
namespace {

using ::alt::testing::StatusIs;
using ::alt::testing::TempDir;

TEST(FileTest, WhatIsWrittenIsReadBack) {
  TempDir dir;
  const std::string contents = std::string("a\0b\n", 4) + std::string(200'000, 'x');
  ALT_ASSERT_OK(WriteFileAtomically(dir.File("f"), contents));
  ALT_ASSERT_OK_AND_ASSIGN(const std::string read, ReadFile(dir.File("f")));
  EXPECT_EQ(read, contents);
}

TEST(FileTest, WritingReplacesAndLeavesNothingBeside) {
  TempDir dir;
  ALT_ASSERT_OK(WriteFileAtomically(dir.File("f"), "a longer first version"));
  ALT_ASSERT_OK(WriteFileAtomically(dir.File("f"), "second"));
  ALT_ASSERT_OK_AND_ASSIGN(const std::string read, ReadFile(dir.File("f")));
  EXPECT_EQ(read, "second");
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    ++entries;
  }
  EXPECT_EQ(entries, 1);
}

TEST(FileTest, AMissingFileIsNotFoundAndNamed) {
  TempDir dir;
  EXPECT_TRUE(StatusIs(ReadFile(dir.File("none")), absl::StatusCode::kNotFound, "none"));
}

TEST(FileTest, AMemoryFileIsReadByTheNameOfItsDescriptor) {
  const std::string contents = std::string("a\0b\n", 4) + std::string(200'000, 'x');
  ALT_ASSERT_OK_AND_ASSIGN(const UniqueFd fd, MemoryFile("kernel", contents));
  ALT_ASSERT_OK_AND_ASSIGN(const std::string read,
                           ReadFile("/proc/self/fd/" + std::to_string(fd.get())));
  EXPECT_EQ(read, contents);
}

TEST(FileTest, AMemoryFileHoldsItsContentsAndCannotBeChanged) {
  ALT_ASSERT_OK_AND_ASSIGN(const UniqueFd fd, MemoryFile("test", "contents"));
  char buffer[16];
  EXPECT_EQ(pread(fd.get(), buffer, sizeof(buffer), 0), 8);
  EXPECT_EQ(std::string(buffer, 8), "contents");
  EXPECT_LT(pwrite(fd.get(), "x", 1, 0), 0);
  EXPECT_LT(ftruncate(fd.get(), 0), 0);
}

TEST(FileTest, WritingIntoAMissingDirectoryFails) {
  TempDir dir;
  EXPECT_TRUE(StatusIs(WriteFileAtomically(dir.File("no/f"), ""), absl::StatusCode::kNotFound));
}

TEST(FileTest, AFailedRenameLeavesNothingBeside) {
  TempDir dir;
  std::filesystem::create_directories(dir.File("d/inside"));
  EXPECT_FALSE(WriteFileAtomically(dir.File("d"), "text").ok());
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    ++entries;
  }
  EXPECT_EQ(entries, 1);
}

TEST(FileTest, ReadAllStopsAtItsLimit) {
  TempDir dir;
  ALT_ASSERT_OK(WriteFileAtomically(dir.File("f"), "12345"));
  UniqueFd fd(open(dir.File("f").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(StatusIs(ReadAll(fd.get(), 4), absl::StatusCode::kOutOfRange, "4 bytes"));
}

TEST(UniqueFdTest, MovedFromOwnsNothing) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  UniqueFd moved = std::move(writer);
  EXPECT_FALSE(writer.valid());  // NOLINT(bugprone-use-after-move)
  moved.Reset();
  char byte;
  EXPECT_EQ(read(reader.get(), &byte, 1), 0) << "the only writing end is closed";
}

}  // namespace
}  // namespace alt::base
