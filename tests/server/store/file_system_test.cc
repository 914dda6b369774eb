#include "server/store/file_system.h"

#include <gtest/gtest.h>

#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

TEST(FileSystemTest, NetworkFileSystemsHaveNames) {
  EXPECT_EQ(NetworkFileSystemName(0x6969), "nfs");
  EXPECT_EQ(NetworkFileSystemName(0xff534d42), "cifs");
  // As a 32-bit field gives it.
  EXPECT_EQ(NetworkFileSystemName(static_cast<int32_t>(0xfe534d42)), "smb2");
}

TEST(FileSystemTest, LocalOnesHaveNone) {
  EXPECT_EQ(NetworkFileSystemName(0xef53), "");      // ext4
  EXPECT_EQ(NetworkFileSystemName(0x9123683e), "");  // btrfs
  EXPECT_EQ(NetworkFileSystemName(0x01021994), "");  // tmpfs
}

TEST(FileSystemTest, AFileNeedNotExistButItsFolderMust) {
  const testing::TempDir dir;
  ALT_EXPECT_OK(CheckLocalFileSystem(dir.path()));
  ALT_EXPECT_OK(CheckLocalFileSystem(dir.File("new.db")));
  ALT_EXPECT_OK(CheckLocalFileSystem("new.db"));
  EXPECT_TRUE(testing::StatusIs(CheckLocalFileSystem("/no/such/new.db"),
                                absl::StatusCode::kNotFound, "/no/such/new.db"));
}

}  // namespace
}  // namespace alt::store
