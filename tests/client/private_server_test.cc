#include "client/private_server.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/file.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::client {
namespace {

using testing::StatusIs;

TEST(PrivateFolderTest, AFolderTooLongForASocketIsReplaced) {
  ALT_ASSERT_OK_AND_ASSIGN(const auto folder, MakePrivateFolder("/" + std::string(200, 'x')));
  EXPECT_EQ(folder->path().rfind("/tmp/alt-client-", 0), 0u);
}

TEST(PrivateFolderTest, WhatAKilledProcessLeftIsSweptAndWhatIsInUseStays) {
  const testing::TempDir dir;
  ASSERT_EQ(mkdir(dir.File("alt-client-abcdef").c_str(), 0700), 0);
  ALT_ASSERT_OK(base::WriteFileAtomically(dir.File("alt-client-abcdef/server.log"), "x"));
  ALT_ASSERT_OK_AND_ASSIGN(const auto first, MakePrivateFolder(dir.path()));
  ALT_ASSERT_OK_AND_ASSIGN(const auto second, MakePrivateFolder(dir.path()));
  EXPECT_NE(access(dir.File("alt-client-abcdef").c_str(), F_OK), 0);
  EXPECT_EQ(access(first->path().c_str(), F_OK), 0);
}

TEST(PrivateFolderTest, AMissingFolderIsNamed) {
  EXPECT_TRUE(StatusIs(MakePrivateFolder("/nonexistent"), absl::StatusCode::kNotFound,
                       "make a folder in /nonexistent"));
}

// A program in the place of alt-server.
std::string Script(const testing::TempDir& dir, const std::string& lines) {
  const std::string path = dir.File("alt-server");
  ALT_CHECK_OK(base::WriteFileAtomically(path, "#!/bin/sh\n" + lines));
  ALT_CHECK_EQ(chmod(path.c_str(), 0755), 0);
  return dir.path();
}

absl::Status StartFrom(const testing::TempDir& dir, const std::string& bin_dir, bool cancelled) {
  ALT_ASSIGN_OR_RETURN(auto folder, MakePrivateFolder(dir.path()));
  return PrivateServer::Start({.bin_dir = bin_dir}, std::move(folder), dir.File("a.db"),
                              [&] { return cancelled; })
      .status();
}

absl::Status Start(const testing::TempDir& dir, const std::string& lines) {
  return StartFrom(dir, Script(dir, lines), /*cancelled=*/false);
}

TEST(PrivateServerTest, AServerThatEndsSaysWhyByItsExitCodeAndItsLastWords) {
  const testing::TempDir dir;
  for (const auto& [code, status] :
       std::map<int, absl::StatusCode>{{1, absl::StatusCode::kFailedPrecondition},
                                       {2, absl::StatusCode::kInvalidArgument},
                                       {4, absl::StatusCode::kAborted},
                                       {5, absl::StatusCode::kPermissionDenied},
                                       {6, absl::StatusCode::kUnimplemented}}) {
    const absl::Status end = Start(
        dir, absl::StrCat("echo 'log line'; echo 'alt-server: the reason' >&2; exit ", code, "\n"));
    EXPECT_TRUE(StatusIs(end, status)) << end;
    EXPECT_EQ(end.message(), "the reason");
  }
}

TEST(PrivateServerTest, AServerThatCrashesIsNoticedWithItsLog) {
  const testing::TempDir dir;
  const absl::Status end = Start(dir, "echo 'terminate called'; kill -ABRT $$\n");
  EXPECT_TRUE(StatusIs(end, absl::StatusCode::kFailedPrecondition, "signal 6"));
  EXPECT_NE(end.message().find("terminate called"), absl::string_view::npos) << end;
}

TEST(PrivateServerTest, WaitingForAServerCanBeCancelled) {
  const testing::TempDir dir;
  EXPECT_TRUE(StatusIs(StartFrom(dir, Script(dir, "exec sleep 60\n"), /*cancelled=*/true),
                       absl::StatusCode::kCancelled));
}

TEST(PrivateServerTest, AProgramThatIsNotThereIsAnError) {
  const testing::TempDir dir;
  EXPECT_FALSE(StartFrom(dir, "/nowhere", /*cancelled=*/false).ok());
}

}  // namespace
}  // namespace alt::client
