#include "server/store/recover.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "server/store/sqlite_db.h"
#include "server/store/sqlite_tuning_store.h"
#include "tests/server/store/store_truth.h"
#include "tests/testing/paths.h"
#include "tests/testing/records.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

using testing::StatusIs;

class RecoverTest : public ::testing::Test {
 protected:
  void Fill() {
    ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path_}));
    FillStore(*store);
  }
  absl::Status Sql(const std::string& sql) {
    ALT_ASSIGN_OR_RETURN(auto db, SqliteDb::Open(path_, ""));
    return db->Execute(sql);
  }

  const testing::TempDir dir_;
  const std::string path_ = dir_.File("a.db");
};

TEST_F(RecoverTest, TheFileAsItWasIsKept) {
  Fill();
  ALT_ASSERT_OK(Sql("UPDATE records SET candidate='gibberish' WHERE id=1"));
  ALT_ASSERT_OK_AND_ASSIGN(const std::string before, base::ReadFile(path_));
  ALT_ASSERT_OK_AND_ASSIGN(const RecoverReport report, RecoverDatabase(path_));
  EXPECT_EQ(report.kept_as, path_ + ".damaged");
  EXPECT_EQ(report.problems.size(), 1);
  EXPECT_EQ(*base::ReadFile(report.kept_as), before);
  EXPECT_NE(*base::ReadFile(path_), before);
  ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path_}));
  EXPECT_EQ(store->Stats().records, report.records);
  EXPECT_EQ(store->Stats().jobs, report.jobs);
}

TEST_F(RecoverTest, AnEarlierOneIsNotOverwritten) {
  Fill();
  ALT_ASSERT_OK(Sql("UPDATE records SET candidate='gibberish' WHERE id=1"));
  ALT_ASSERT_OK(base::WriteFileAtomically(path_ + ".damaged", "precious"));
  EXPECT_TRUE(StatusIs(RecoverDatabase(path_), absl::StatusCode::kAlreadyExists, ".damaged"));
  EXPECT_EQ(*base::ReadFile(path_ + ".damaged"), "precious");
}

TEST_F(RecoverTest, WhatIsInUseIsNotTouched) {
  ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path_}));
  EXPECT_TRUE(StatusIs(RecoverDatabase(path_), absl::StatusCode::kFailedPrecondition, "pid"));
}

TEST_F(RecoverTest, OnlyADatabaseOfOursIs) {
  EXPECT_TRUE(StatusIs(RecoverDatabase(path_), absl::StatusCode::kNotFound, path_));
  ALT_ASSERT_OK(base::WriteFileAtomically(path_, std::string(5000, 'x')));
  EXPECT_TRUE(StatusIs(RecoverDatabase(path_), absl::StatusCode::kDataLoss, "not a database"));
  unlink(path_.c_str());
  ALT_ASSERT_OK(Sql("CREATE TABLE bookmarks(url TEXT)"));
  EXPECT_TRUE(
      StatusIs(RecoverDatabase(path_), absl::StatusCode::kFailedPrecondition, "another program"));
}

// Its tuner could not be brought to where it was.
TEST_F(RecoverTest, AnUnfinishedJobWhoseLogIsDamagedFails) {
  Fill();
  ALT_ASSERT_OK(Sql("UPDATE job_log SET event='' WHERE number=2"));
  ALT_ASSERT_OK(RecoverDatabase(path_));
  ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path_}));
  EXPECT_EQ(store->GetJob("j1")->state, job::JobState::kSucceeded);
  EXPECT_EQ(store->GetJob("j2")->state, job::JobState::kFailed);
  EXPECT_EQ(store->GetJob("j2")->reason, "its log was damaged");
  EXPECT_EQ(store->ReadLog("j1")->events.size(), 2u);
  EXPECT_EQ(store->ReadLog("j2")->events.size(), 2u);
}

// Results stay for their job's log when their record is lost.
TEST_F(RecoverTest, AJobKeepsItsResultsWithoutTheRecord) {
  Fill();
  size_t before = 0;
  {
    ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path_}));
    before = store->ReadLog("j1")->results.size();
  }
  ALT_ASSERT_OK(Sql("UPDATE records SET candidate='gibberish'"));
  ALT_ASSERT_OK(RecoverDatabase(path_));
  ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path_}));
  EXPECT_EQ(store->Stats().records, 0);
  EXPECT_EQ(store->ReadLog("j1")->results.size(), before);
  EXPECT_EQ(store->ListTrials("j1", 0, 100)->size(), before);
}

TEST_F(RecoverTest, AnOlderDatabaseIsBroughtUpToDate) {
  ALT_ASSERT_OK_AND_ASSIGN(const std::string v1, base::ReadFile(testing::SourceDir() +
                                                                "/tests/server/store/data/v1.sql"));
  ALT_ASSERT_OK(Sql(v1));
  ALT_ASSERT_OK(Sql("UPDATE records SET candidate='gibberish' WHERE id=1"));
  ALT_ASSERT_OK_AND_ASSIGN(const RecoverReport report, RecoverDatabase(path_));
  EXPECT_EQ(report.problems.size(), 1);
  ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path_}));
  EXPECT_EQ(store->Verify()->problems.size(), 0);
  EXPECT_GT(store->Stats().records, 0);
}

}  // namespace
}  // namespace alt::store
