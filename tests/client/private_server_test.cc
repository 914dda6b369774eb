#include "client/private_server.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::client {
namespace {

using testing::StatusIs;

TEST(PrivateFolderTest, IsOursAloneAndGoesWithItsOwner) {
  const testing::TempDir dir;
  std::string file;
  {
    ALT_ASSERT_OK_AND_ASSIGN(const auto folder, PrivateFolder::Create(dir.path()));
    file = folder->File("x");
    ALT_ASSERT_OK(base::WriteFileAtomically(file, "x"));
    struct stat info;
    ASSERT_EQ(stat(folder->File(".").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
  }
  EXPECT_TRUE(StatusIs(base::ReadFile(file), absl::StatusCode::kNotFound));
}

TEST(PrivateFolderTest, AFolderTooLongForASocketIsReplaced) {
  ALT_ASSERT_OK_AND_ASSIGN(const auto folder, PrivateFolder::Create("/" + std::string(200, 'x')));
  EXPECT_EQ(folder->File("s").rfind("/tmp/alt-", 0), 0u);
}

TEST(PrivateServerTest, AProgramThatIsNotThereIsAnError) {
  const testing::TempDir dir;
  EXPECT_FALSE(
      PrivateServer::Start({.bin_dir = "/nowhere", .temp_dir = dir.path()}, dir.File("a.db")).ok());
}

}  // namespace
}  // namespace alt::client
