// What only the store on disk does: locks, damage, full and failing disks, copies, many threads.
#include "server/store/sqlite_tuning_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/blocking_counter.h"
#include "common/base/file.h"
#include "common/base/lock_file.h"
#include "common/base/random.h"
#include "server/store/index_apply.h"
#include "server/store/sqlite_db.h"
#include "server/store/sqlite_rows.h"
#include "tests/server/store/faulty_vfs.h"
#include "tests/testing/paths.h"
#include "tests/testing/records.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

using testing::IsOk;
using testing::MakeJob;
using testing::Measured;
using testing::OkResult;
using testing::ResultAt;
using testing::StatusIs;
using testing::TempDir;

class SqliteTuningStoreTest : public ::testing::Test {
 protected:
  ~SqliteTuningStoreTest() override {
    GetFaultyVfs().fail_sync = false;
    GetFaultyVfs().disk_full = false;
    GetFaultyVfs().fail_write = false;
  }
  std::unique_ptr<TuningStore> Open(SqliteStoreOptions options = {}) {
    options.path = path_;
    auto store = OpenSqliteTuningStore(options);
    EXPECT_TRUE(IsOk(store));
    return store.ok() ? *std::move(store) : nullptr;
  }
  // While no store is open.
  void Sql(const std::string& sql) {
    ALT_ASSERT_OK_AND_ASSIGN(auto db, SqliteDb::Open(path_, ""));
    ALT_ASSERT_OK(db->Execute(sql));
  }

  const TempDir dir_;
  const std::string path_ = dir_.File("a.db");
};

TEST_F(SqliteTuningStoreTest, ASecondOpenerIsToldWhoHasIt) {
  auto store = Open();
  ALT_ASSERT_OK(store->AnnounceAddress("127.0.0.1:7440"));
  EXPECT_TRUE(StatusIs(OpenSqliteTuningStore({.path = path_}),
                       absl::StatusCode::kFailedPrecondition, absl::StrCat("pid ", getpid())));
  EXPECT_TRUE(StatusIs(OpenSqliteTuningStore({.path = path_}),
                       absl::StatusCode::kFailedPrecondition, "127.0.0.1:7440"));
  EXPECT_EQ(base::ReadLockHolder(path_ + ".lock")->address, "127.0.0.1:7440");
  store.reset();
  Open();
}

TEST_F(SqliteTuningStoreTest, AProcessThatIgnoresTheLockFileIsKeptOutBySqlite) {
  auto store = Open();
  ALT_ASSERT_OK(store->CommitAndWait({Measured(1, OkResult(5))}));
  ALT_ASSERT_OK_AND_ASSIGN(auto db, SqliteDb::Open(path_, ""));
  EXPECT_TRUE(StatusIs(db->QueryInt("SELECT count(*) FROM records"),
                       absl::StatusCode::kFailedPrecondition, "locked"));
}

TEST_F(SqliteTuningStoreTest, EachOpeningIsAnEpoch) {
  EXPECT_EQ(Open()->Epoch(), 1);
  EXPECT_EQ(Open()->Epoch(), 2);
  EXPECT_EQ(Open()->Epoch(), 3);
}

TEST_F(SqliteTuningStoreTest, ADatabaseIsToldFromOthersByItsId) {
  const std::string id = Open()->Id();
  EXPECT_EQ(id.size(), 16u);
  EXPECT_EQ(Open()->Id(), id);
  ALT_ASSERT_OK_AND_ASSIGN(auto other, OpenSqliteTuningStore({.path = dir_.File("b.db")}));
  EXPECT_NE(other->Id(), id);
}

TEST_F(SqliteTuningStoreTest, ClosingWritesWhatIsQueued) {
  std::atomic<int> acknowledged = 0;
  {
    auto store = Open();
    for (int i = 0; i < 500; ++i) {
      store->Commit({Measured(i, OkResult(5))},
                    [&](const absl::Status& status) { acknowledged += status.ok(); });
    }
  }
  EXPECT_EQ(acknowledged, 500);
  EXPECT_EQ(Open()->Stats().records, 500);
  EXPECT_NE(access((path_ + "-wal").c_str(), F_OK), 0) << "the log is merged on closing";
}

TEST_F(SqliteTuningStoreTest, ReadersSeeWhatIsAcknowledgedAndNothingElse) {
  GetFaultyVfs().fail_sync = false;
  auto store = Open({.vfs = GetFaultyVfs().name});
  ALT_ASSERT_OK(store->CommitAndWait({Measured(1, OkResult(5))}));
  GetFaultyVfs().fail_sync = true;
  EXPECT_FALSE(store->CommitAndWait({Measured(2, OkResult(5))}).ok());
  EXPECT_EQ(store->Stats().records, 1);
  EXPECT_EQ(store->LastSequence(), 1);
}

TEST_F(SqliteTuningStoreTest, EveryAcknowledgementIsSynced) {
  auto store = Open({.vfs = GetFaultyVfs().name});
  for (int i = 0; i < 5; ++i) {
    const int before = GetFaultyVfs().syncs;
    ALT_ASSERT_OK(store->CommitAndWait({Measured(i, OkResult(5))}));
    EXPECT_GT(GetFaultyVfs().syncs, before);
  }
}

TEST_F(SqliteTuningStoreTest, AGroupOfWritesSharesASync) {
  auto store = Open({.vfs = GetFaultyVfs().name});
  const int before = GetFaultyVfs().syncs;
  for (int i = 0; i < 1000; ++i) store->Commit({Measured(i, OkResult(5))}, [](const auto&) {});
  ALT_ASSERT_OK(store->CommitAndWait({}));
  EXPECT_LT(GetFaultyVfs().syncs - before, 500);
  EXPECT_EQ(store->Stats().records, 1000);
}

TEST_F(SqliteTuningStoreTest, AfterAFailedSyncNoWriteSucceedsUntilItIsOpenedAnew) {
  auto store = Open({.vfs = GetFaultyVfs().name});
  ALT_ASSERT_OK(store->CommitAndWait({Measured(1, OkResult(5))}));
  GetFaultyVfs().fail_sync = true;
  EXPECT_TRUE(StatusIs(store->CommitAndWait({Measured(2, OkResult(5))}),
                       absl::StatusCode::kDataLoss, "the disk failed"));
  GetFaultyVfs().fail_sync = false;
  EXPECT_TRUE(StatusIs(store->CommitAndWait({Measured(3, OkResult(5))}),
                       absl::StatusCode::kDataLoss, "started anew"));
  EXPECT_TRUE(StatusIs(store->WriteHealth(), absl::StatusCode::kDataLoss));
  // Queries go on.
  ALT_EXPECT_OK(store->GetRecord(RecordId(
      RecordKey{testing::kWorkloadText, testing::kTargetText, testing::CandidateText(1)})));
  store.reset();
  store = Open();
  ALT_ASSERT_OK(store->CommitAndWait({Measured(3, OkResult(5))}));
  EXPECT_GE(store->Stats().records, 2);
  EXPECT_TRUE(store->Verify()->problems.empty());
}

TEST_F(SqliteTuningStoreTest, AFullDiskIsSurvivedAndWritesGoOnWhenThereIsRoom) {
  auto store = Open({.vfs = GetFaultyVfs().name});
  ALT_ASSERT_OK(store->CommitAndWait({Measured(1, OkResult(5))}));
  GetFaultyVfs().disk_full = true;
  EXPECT_TRUE(StatusIs(store->CommitAndWait({Measured(2, OkResult(5))}),
                       absl::StatusCode::kResourceExhausted, "full"));
  EXPECT_TRUE(StatusIs(store->WriteHealth(), absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(store->Stats().records, 1);
  EXPECT_EQ(store->LastSequence(), 1);
  GetFaultyVfs().disk_full = false;
  ALT_ASSERT_OK(store->CommitAndWait({Measured(2, OkResult(5))}));
  ALT_EXPECT_OK(store->WriteHealth());
  EXPECT_EQ(store->LastSequence(), 2);
  EXPECT_TRUE(store->Verify()->problems.empty());
}

// A limit on the size of files (EFBIG) or of what a user may store (EDQUOT), or a disk that fails
// now and then.
TEST_F(SqliteTuningStoreTest, ADiskThatRefusesAWriteIsTriedAgain) {
  auto store = Open({.vfs = GetFaultyVfs().name});
  ALT_ASSERT_OK(store->CommitAndWait({Measured(1, OkResult(5))}));
  GetFaultyVfs().fail_write = true;
  EXPECT_TRUE(StatusIs(store->CommitAndWait({Measured(2, OkResult(5))}),
                       absl::StatusCode::kResourceExhausted, "disk I/O error"));
  EXPECT_TRUE(StatusIs(store->WriteHealth(), absl::StatusCode::kResourceExhausted));
  GetFaultyVfs().fail_write = false;
  ALT_ASSERT_OK(store->CommitAndWait({Measured(2, OkResult(5))}));
  ALT_EXPECT_OK(store->WriteHealth());
  EXPECT_EQ(store->Stats().records, 2);
  EXPECT_TRUE(store->Verify()->problems.empty());
}

TEST_F(SqliteTuningStoreTest, WritesGoOnWhileItIsVerified) {
  auto store = Open();
  for (int i = 0; i < 300; ++i) store->Commit({Measured(i, OkResult(5))}, [](const auto&) {});
  ALT_ASSERT_OK(store->CommitAndWait({}));
  std::atomic<bool> verified = false;
  std::thread verifier([&] {
    EXPECT_TRUE(store->Verify()->problems.empty());
    verified = true;
  });
  for (int i = 1000; !verified; ++i) {
    ALT_ASSERT_OK(store->CommitAndWait({Measured(i, OkResult(5))}));
  }
  verifier.join();
}

TEST_F(SqliteTuningStoreTest, AFileThatMayNotGrowIsAFullDisk) {
  auto store = Open({.max_pages = 36});
  absl::Status status;
  int64_t written = 0;
  while (status.ok() && written < 10000) {
    status = store->CommitAndWait({Measured(written, OkResult(5))});
    written += status.ok();
  }
  EXPECT_TRUE(StatusIs(status, absl::StatusCode::kResourceExhausted, "full"));
  EXPECT_EQ(store->Stats().records, written);
  store.reset();
  EXPECT_EQ(Open()->Stats().records, written);
}

TEST_F(SqliteTuningStoreTest, TheQueueIsBounded) {
  auto store = Open({.max_queued = 4, .max_group = 1});
  int refused = 0, written = 0;
  for (int i = 0; i < 1000; ++i) {
    store->Commit({Measured(i, OkResult(5))}, [&](const absl::Status& status) {
      status.ok() ? ++written : ++refused;
      if (!status.ok()) {
        EXPECT_TRUE(StatusIs(status, absl::StatusCode::kResourceExhausted, "wait"));
      }
    });
  }
  // `refused` is counted on this thread, `written` on the store's, which is done after this.
  store.reset();
  EXPECT_GT(refused, 0);
  EXPECT_EQ(written + refused, 1000);
  EXPECT_EQ(Open()->Stats().records, written);
}

TEST_F(SqliteTuningStoreTest, ManyThreadsWriteAndReadTogether) {
  constexpr int kThreads = 4, kWrites = 60;
  auto store = Open();
  for (int i = 1; i <= kThreads; ++i) {
    ALT_ASSERT_OK(store->CommitAndWait({CreateJob{MakeJob(i)}}));
  }
  std::vector<std::thread> threads;
  for (int t = 1; t <= kThreads; ++t) {
    threads.emplace_back([&, t] {
      const std::string job = absl::StrCat("j", t);
      for (int i = 0; i < kWrites; ++i) {
        EXPECT_TRUE(IsOk(store->CommitAndWait({ResultAt(0, i, t * kWrites + i, 100 + i, job),
                                               AppendLog{job, i, LoggedObservation{i}}})));
        EXPECT_EQ(store->ReadLog(job)->events.size(), static_cast<size_t>(i + 1));
      }
    });
  }
  threads.emplace_back([&] {
    const ChampionKey key{
        testing::kWorkloadText, testing::kTargetText, measure::CacheState::kWarm, {}};
    int64_t last = 0;
    while (last < kThreads * kWrites) {
      const int64_t now = store->LastSequence();
      EXPECT_GE(now, last);
      last = now;
      EXPECT_EQ(store->RecordsAt(key.workload, key.target, key.cache, last).size(),
                static_cast<size_t>(last));
      store->FindBest(
          key, [](const auto&) { return true; }, [](absl::string_view) { return true; });
      store->ListRecords({});
      store->Stats();
    }
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store->Stats().records, kThreads * kWrites);
}

TEST_F(SqliteTuningStoreTest, ABackupIsAWholeDatabaseWhileWritesGoOn) {
  auto store = Open();
  for (int i = 0; i < 200; ++i) {
    store->Commit({Measured(i, OkResult(5))}, [](const auto&) {});
  }
  ALT_ASSERT_OK(store->CommitAndWait({}));
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int i = 1000; !stop; ++i) {
      EXPECT_TRUE(IsOk(store->CommitAndWait({Measured(i, OkResult(5))})));
    }
  });
  ALT_EXPECT_OK(store->Backup(dir_.File("copy.db")));
  stop = true;
  writer.join();
  EXPECT_TRUE(StatusIs(store->Backup(dir_.File("copy.db")), absl::StatusCode::kAlreadyExists));
  ALT_ASSERT_OK_AND_ASSIGN(auto copy, OpenSqliteTuningStore({.path = dir_.File("copy.db")}));
  EXPECT_GE(copy->Stats().records, 200);
  EXPECT_TRUE(copy->Verify()->problems.empty());
}

TEST_F(SqliteTuningStoreTest, AJobWhoseTextsAreNotTakenAnyMoreHidesNothingElse) {
  ALT_ASSERT_OK(Open()->CommitAndWait({CreateJob{MakeJob(1)}, CreateJob{MakeJob(2)}}));
  JobRow row = RowOf(MakeJob(2));
  row.spec = "kind bench\nworkload conv9d:n=1\n";
  Sql(absl::StrCat("UPDATE jobs SET spec='", row.spec, "',checksum=", ChecksumOf(row),
                   " WHERE number=2"));
  auto store = Open();
  EXPECT_TRUE(IsOk(store->GetJob("j1")));
  EXPECT_TRUE(StatusIs(store->GetJob("j2"), absl::StatusCode::kNotFound));
  EXPECT_EQ(store->ListJobs("", 10).size(), 1u);
  EXPECT_EQ(store->NextJobNumber(), 3) << "its number is taken";
  const auto report = store->Verify();
  ASSERT_TRUE(IsOk(report));
  ASSERT_EQ(report->problems.size(), 1u);
  EXPECT_TRUE(absl::StrContains(report->problems[0], "conv9d")) << report->problems[0];
}

TEST_F(SqliteTuningStoreTest, WhatIsNotADatabaseIsRefused) {
  ALT_ASSERT_OK(base::WriteFileAtomically(path_, std::string(5000, 'x')));
  EXPECT_TRUE(StatusIs(OpenSqliteTuningStore({.path = path_}), absl::StatusCode::kDataLoss,
                       "not a database"));
  EXPECT_TRUE(StatusIs(OpenSqliteTuningStore({.path = "/no/such/a.db"}),
                       absl::StatusCode::kNotFound, "/no/such/a.db"));
}

TEST_F(SqliteTuningStoreTest, BytesAreThoseOfTheFiles) {
  auto store = Open();
  const int64_t before = store->Stats().bytes;
  EXPECT_GT(before, 0);
  for (int i = 0; i < 2000; ++i) store->Commit({Measured(i, OkResult(5))}, [](const auto&) {});
  ALT_ASSERT_OK(store->CommitAndWait({}));
  EXPECT_GT(store->Stats().bytes, before);
}

}  // namespace
}  // namespace alt::store
