#include "server/store/schema.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "server/store/sqlite_tuning_store.h"
#include "tests/testing/paths.h"
#include "tests/testing/records.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

using testing::StatusIs;
using testing::TempDir;

absl::Status Execute(const std::string& path, const std::string& sql) {
  ALT_ASSIGN_OR_RETURN(auto db, SqliteDb::Open(path, ""));
  return db->Execute(sql);
}

absl::StatusOr<int64_t> Ask(const std::string& path, const std::string& sql) {
  ALT_ASSIGN_OR_RETURN(auto db, SqliteDb::Open(path, ""));
  return db->QueryInt(sql);
}

absl::Status Prepare(const std::string& path, int64_t version,
                     absl::Span<const Migration> migrations) {
  ALT_ASSIGN_OR_RETURN(auto db, SqliteDb::Open(path, ""));
  return PrepareSchema(db.get(), path, version, migrations);
}

TEST(SchemaTest, AnEmptyFileBecomesADatabase) {
  const TempDir dir;
  ALT_ASSERT_OK(Prepare(dir.File("a.db"), kSchemaVersion, {}));
  EXPECT_EQ(*Ask(dir.File("a.db"), "PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(*Ask(dir.File("a.db"), "PRAGMA application_id"), kApplicationId);
  ALT_EXPECT_OK(Prepare(dir.File("a.db"), kSchemaVersion, {}));
}

TEST(SchemaTest, ANewerDatabaseIsRefusedWithBothVersions) {
  const TempDir dir;
  const std::string path = dir.File("a.db");
  ALT_ASSERT_OK(OpenSqliteTuningStore({.path = path}));
  ALT_ASSERT_OK(Execute(path, "PRAGMA user_version=99999"));
  EXPECT_TRUE(StatusIs(
      OpenSqliteTuningStore({.path = path}), absl::StatusCode::kUnimplemented,
      absl::StrCat("schema version 99999, this program knows versions up to ", kSchemaVersion)));
}

TEST(SchemaTest, ADatabaseOfAnotherProgramIsRefused) {
  const TempDir dir;
  const std::string path = dir.File("a.db");
  ALT_ASSERT_OK(Execute(path, "CREATE TABLE bookmarks(url TEXT)"));
  EXPECT_TRUE(StatusIs(OpenSqliteTuningStore({.path = path}), absl::StatusCode::kFailedPrecondition,
                       "another program"));
}

TEST(SchemaTest, MigrationsRunInOrderAfterACopy) {
  const TempDir dir;
  const std::string path = dir.File("a.db");
  ALT_ASSERT_OK(Prepare(path, 1, {}));
  ALT_ASSERT_OK(Execute(path, "INSERT INTO targets(text) VALUES('cpu:x')"));
  const Migration migrations[] = {
      {1, "ALTER TABLE targets ADD COLUMN note TEXT NOT NULL DEFAULT 'new'"},
      {2, "UPDATE targets SET note=note||'er'"},
  };
  ALT_ASSERT_OK(Prepare(path, 3, migrations));
  EXPECT_EQ(*Ask(path, "PRAGMA user_version"), 3);
  EXPECT_EQ(*Ask(path, "SELECT count(*) FROM targets WHERE note='newer'"), 1);
  EXPECT_EQ(*Ask(path + ".v1", "PRAGMA user_version"), 1);
  EXPECT_EQ(*Ask(path + ".v1", "SELECT count(*) FROM targets"), 1);
}

TEST(SchemaTest, AFailedMigrationLeavesTheVersionBefore) {
  const TempDir dir;
  const std::string path = dir.File("a.db");
  ALT_ASSERT_OK(Prepare(path, 1, {}));
  const Migration migrations[] = {
      {1, "CREATE TABLE half(x);INSERT INTO no_such_table VALUES(1)"},
  };
  EXPECT_FALSE(Prepare(path, 2, migrations).ok());
  EXPECT_EQ(*Ask(path, "PRAGMA user_version"), 1);
  EXPECT_EQ(*Ask(path, "SELECT count(*) FROM sqlite_master WHERE name='half'"), 0);
  // The next try finds the copy of this one and goes on.
  const Migration repaired[] = {{1, "CREATE TABLE half(x)"}};
  ALT_EXPECT_OK(Prepare(path, 2, repaired));
}

TEST(SchemaTest, AGapInTheMigrationsIsAnError) {
  const TempDir dir;
  ALT_ASSERT_OK(Prepare(dir.File("a.db"), 1, {}));
  EXPECT_TRUE(
      StatusIs(Prepare(dir.File("a.db"), 2, {}), absl::StatusCode::kInternal, "no migration"));
}

TEST(CopyDatabaseTest, DoesNotOverwrite) {
  const TempDir dir;
  ALT_ASSERT_OK(Prepare(dir.File("a.db"), 1, {}));
  ALT_ASSERT_OK_AND_ASSIGN(auto db, SqliteDb::Open(dir.File("a.db"), ""));
  ALT_ASSERT_OK(CopyDatabase(db.get(), dir.File("b.db"), [] {}));
  EXPECT_TRUE(StatusIs(CopyDatabase(db.get(), dir.File("b.db"), [] {}),
                       absl::StatusCode::kAlreadyExists, "b.db"));
  EXPECT_FALSE(CopyDatabase(db.get(), "/no/such/b.db", [] {}).ok());
}

}  // namespace
}  // namespace alt::store
