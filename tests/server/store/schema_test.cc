#include "server/store/schema.h"

#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "common/base/file.h"
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
  ALT_ASSERT_OK(Execute(path, "INSERT INTO targets(text,checksum) VALUES('cpu:x',0)"));
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

// Everything of tests/server/store/data/v1.sql, which the program of that version wrote.
TEST(SchemaTest, ADatabaseOfVersion1IsServedAsItWas) {
  const TempDir dir;
  const std::string path = dir.File("a.db");
  ALT_ASSERT_OK_AND_ASSIGN(const std::string v1, base::ReadFile(testing::SourceDir() +
                                                                "/tests/server/store/data/v1.sql"));
  ALT_ASSERT_OK(Execute(path, v1));
  for (const bool again : {false, true}) {
    SCOPED_TRACE(again);
    ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path}));
    EXPECT_EQ(store->FoundDamage().size(), 0);
    EXPECT_EQ(store->Verify()->problems.size(), 0);
    EXPECT_EQ(store->Stats().jobs, 4);
    const auto records = store->ListRecords({});
    ASSERT_FALSE(records.empty());
    EXPECT_EQ(static_cast<int64_t>(records.size()), store->Stats().records);
    const std::string workload =
        "matmul:m=8,n=32,k=16,batch=1,trans_a=0,trans_b=0,const_b=1,dtype=f32";
    const auto champion = store->ChampionAt({.workload = workload,
                                             .target = "cpu:mcpu=emeraldrapids,vec=512,threads=1",
                                             .fixed_layouts = {{"a", {}}, {"c", {}}}},
                                            store->LastSequence());
    ASSERT_TRUE(champion.has_value());
    EXPECT_EQ(champion->job, "j2");
    EXPECT_DOUBLE_EQ(champion->latency.median_ns, 49.727670578874082706);
    // What it was measured under was not kept then.
    EXPECT_TRUE(champion->validators.empty());
    for (const char* job : {"j1", "j2"}) {
      EXPECT_FALSE(store->ReadLog(job)->events.empty());
      EXPECT_EQ(store->ListTrials(job, 0, 100)->size(), 6u);
    }
    EXPECT_EQ(store->GetJob("j3")->state, job::JobState::kSucceeded);
    EXPECT_EQ(store->GetJob("j4")->state, job::JobState::kSucceeded);
  }
  EXPECT_EQ(*Ask(path + ".v1", "PRAGMA user_version"), 1);
}

std::set<std::string> Columns(const std::string& path) {
  std::set<std::string> columns;
  auto db = SqliteDb::Open(path, "");
  EXPECT_TRUE(testing::IsOk(db));
  auto all = (*db)->Prepare(
      "SELECT m.name||'.'||t.name||' '||t.type||t.\"notnull\" FROM sqlite_master m, "
      "pragma_table_info(m.name) t WHERE m.type='table'");
  EXPECT_TRUE(testing::IsOk(all));
  while (*all->Step()) columns.emplace(all->Text(0));
  return columns;
}

TEST(SchemaTest, AMigratedDatabaseHasTheColumnsOfANewOne) {
  const TempDir dir;
  ALT_ASSERT_OK_AND_ASSIGN(const std::string v1, base::ReadFile(testing::SourceDir() +
                                                                "/tests/server/store/data/v1.sql"));
  ALT_ASSERT_OK(Execute(dir.File("old.db"), v1));
  ALT_ASSERT_OK(OpenSqliteTuningStore({.path = dir.File("old.db")}));
  ALT_ASSERT_OK(OpenSqliteTuningStore({.path = dir.File("new.db")}));
  EXPECT_EQ(Columns(dir.File("old.db")), Columns(dir.File("new.db")));
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
  ALT_ASSERT_OK(CopyDatabase(db.get(), dir.File("b.db"), CopyLife::kKept, [] {}));
  EXPECT_TRUE(StatusIs(CopyDatabase(db.get(), dir.File("b.db"), CopyLife::kKept, [] {}),
                       absl::StatusCode::kAlreadyExists, "b.db"));
  EXPECT_FALSE(CopyDatabase(db.get(), "/no/such/b.db", CopyLife::kKept, [] {}).ok());
}

}  // namespace
}  // namespace alt::store
