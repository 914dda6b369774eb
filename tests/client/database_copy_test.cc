#include "client/database_copy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/base/file.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::client {
namespace {

using testing::StatusIs;

TEST(CopyDatabaseTest, TheLogGoesWithTheFile) {
  const testing::TempDir dir;
  ALT_ASSERT_OK(base::WriteFileAtomically(dir.File("a.db"), "pages"));
  ALT_ASSERT_OK(base::WriteFileAtomically(dir.File("a.db-wal"), std::string(100, 'w')));
  ALT_ASSERT_OK(CopyDatabase(dir.File("a.db"), dir.File("b.db")));
  EXPECT_EQ(*base::ReadFile(dir.File("b.db")), "pages");
  EXPECT_EQ(*base::ReadFile(dir.File("b.db-wal")), std::string(100, 'w'));
}

TEST(CopyDatabaseTest, AnOldLogOfTheCopyIsNoPartOfIt) {
  const testing::TempDir dir;
  ALT_ASSERT_OK(base::WriteFileAtomically(dir.File("a.db"), "pages"));
  ALT_ASSERT_OK(base::WriteFileAtomically(dir.File("b.db-wal"), "of another database"));
  ALT_ASSERT_OK(CopyDatabase(dir.File("a.db"), dir.File("b.db")));
  EXPECT_NE(access(dir.File("b.db-wal").c_str(), F_OK), 0);
}

TEST(CopyDatabaseTest, WhatIsNotThereIsNotFound) {
  const testing::TempDir dir;
  EXPECT_TRUE(StatusIs(CopyDatabase(dir.File("a.db"), dir.File("b.db")),
                       absl::StatusCode::kNotFound, "a.db"));
}

}  // namespace
}  // namespace alt::client
