// Damaged databases: whatever is wrong with a row, the rest is served, the damage is told of, and
// recovering leaves a clean database.
#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/file.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "server/store/index_apply.h"
#include "server/store/recover.h"
#include "server/store/sqlite_db.h"
#include "server/store/sqlite_tuning_store.h"
#include "tests/server/store/store_truth.h"
#include "tests/testing/fuzz_cases.h"
#include "tests/testing/paths.h"
#include "tests/testing/records.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

using testing::IsOk;
using testing::StatusIs;

constexpr size_t kPage = 4096;
constexpr char kTables[] =
    "SELECT group_concat(type||name||tbl_name||rootpage||sql) FROM sqlite_master";

class DamageTest : public ::testing::Test {
 protected:
  DamageTest() {
    auto store = OpenSqliteTuningStore({.path = path_});
    EXPECT_TRUE(IsOk(store));
    FillStore(**store);
    truth_.emplace(**store);
    store->reset();
    whole_ = *base::ReadFile(path_);
    tables_ = Ask(kTables)[0];
  }

  void Put(const std::string& bytes) {
    for (const char* suffix : {"", "-wal", ".mark", ".damaged"}) unlink((path_ + suffix).c_str());
    ALT_ASSERT_OK(base::WriteFileAtomically(path_, bytes));
  }
  absl::Status Sql(const std::string& sql) {
    ALT_ASSIGN_OR_RETURN(auto db, SqliteDb::Open(path_, ""));
    return db->Execute(sql);
  }
  std::vector<std::string> Ask(const std::string& sql) {
    std::vector<std::string> out;
    auto db = SqliteDb::Open(path_, "");
    auto rows = (*db)->Prepare(sql);
    EXPECT_TRUE(IsOk(rows));
    while (*rows->Step()) out.emplace_back(rows->Text(0));
    return out;
  }

  // Whether SQLite finds the tables as they were.
  bool HasTables() {
    auto db = SqliteDb::Open(path_, "");
    const auto tables = (*db)->QueryText(kTables);
    return tables.ok() && *tables == tables_;
  }

  // Opens the damaged file, then recovers it. Gives how much was found to be wrong.
  int64_t ServeAndRecover() {
    int64_t found = 0;
    {
      auto store = OpenSqliteTuningStore({.path = path_});
      EXPECT_TRUE(IsOk(store));
      if (!store.ok()) return 0;
      truth_->ExpectNothingElse(**store);
      const auto report = (*store)->Verify();
      EXPECT_TRUE(IsOk(report));
      found = static_cast<int64_t>(report->problems.size());
      EXPECT_GE(found, (*store)->FoundDamage().size() > 0);
    }
    const auto recovered = RecoverDatabase(path_);
    EXPECT_TRUE(IsOk(recovered));
    EXPECT_EQ(recovered.ok() && !recovered->problems.empty(), found > 0)
        << (recovered.ok() ? absl::StrJoin(recovered->problems, "\n") : "");
    auto store = OpenSqliteTuningStore({.path = path_});
    EXPECT_TRUE(IsOk(store));
    if (!store.ok()) return found;
    truth_->ExpectNothingElse(**store);
    EXPECT_EQ((*store)->Verify()->problems.size(), 0);
    EXPECT_TRUE(IsOk((*store)->CommitAndWait({testing::Measured(99, testing::OkResult(5))})));
    return found;
  }

  const testing::TempDir dir_;
  const std::string path_ = dir_.File("a.db");
  std::optional<StoreTruth> truth_;
  std::string whole_, tables_;
};

TEST_F(DamageTest, NothingIsFoundWhereNothingIsWrong) {
  Put(whole_);
  EXPECT_EQ(ServeAndRecover(), 0);
  EXPECT_NE(access((path_ + ".damaged").c_str(), F_OK), 0);
}

// Every column of a row of every table, changed to a text and to another number.
TEST_F(DamageTest, AChangedColumnCostsItsRow) {
  int changes = 0;
  for (const std::string& table :
       Ask("SELECT name FROM sqlite_master WHERE type='table' AND name!='facts'")) {
    for (const std::string& column :
         Ask(absl::StrCat("SELECT name FROM pragma_table_info('", table, "')"))) {
      for (const char* value : {"'gibberish'", "coalesce("}) {
        std::string to = value;
        if (to == "coalesce(") to = absl::StrCat("coalesce(", column, ",0)+1000");
        const std::string where =
            absl::StrCat(" WHERE ", column, "=(SELECT ", column, " FROM ", table, " WHERE ", column,
                         " NOTNULL LIMIT 1 OFFSET 1)");
        Put(whole_);
        // A column that does not take it, or is NULL everywhere, is not damaged so.
        const std::string sql = absl::StrCat("UPDATE ", table, " SET ", column, "=", to, where);
        auto db = SqliteDb::Open(path_, "");
        if (!(*db)->Execute(sql).ok() || (*db)->changes() == 0) continue;
        db = absl::UnknownError("");
        SCOPED_TRACE(sql);
        EXPECT_GT(ServeAndRecover(), 0);
        ++changes;
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(changes, 100);
}

// Behind the first page, which says what SQLite needs to open it at all. Where it still cannot (the
// tables' own names and columns are hit), that is an error and the file stays as it is.
TEST_F(DamageTest, AFlippedBitCostsItsRowsAtMost) {
  base::Random random(7);
  int found = 0;
  const int cases = testing::FuzzCases(40);
  for (int served = 0; served < cases;) {
    std::string bytes = whole_;
    size_t at = 0;
    // Most bytes of so small a file are free, and zero.
    while (at < kPage || bytes[at] == 0) at = random.Uniform(bytes.size());
    const int bit = static_cast<int>(random.Uniform(8));
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
    SCOPED_TRACE(absl::StrCat("bit ", bit, " of byte ", at, ", page ", at / kPage + 1));
    Put(bytes);
    if (HasTables()) {  // whose own text is half of so small a file
      found += ServeAndRecover() > 0;
      ++served;
    } else if (const auto store = OpenSqliteTuningStore({.path = path_}); !store.ok()) {
      EXPECT_TRUE(StatusIs(store, absl::StatusCode::kDataLoss));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(found, cases / 2);
}

// A page of zeros, as a disk gives after a bad sector.
TEST_F(DamageTest, ALostPageCostsItsRowsAtMost) {
  int served = 0;
  for (size_t page = 1; page < whole_.size() / kPage; ++page) {
    std::string bytes = whole_;
    bytes.replace(page * kPage, kPage, kPage, '\0');
    SCOPED_TRACE(absl::StrCat("page ", page + 1));
    Put(bytes);
    if (!HasTables()) continue;
    ++served;
    ServeAndRecover();
    if (HasFailure()) return;
  }
  EXPECT_GT(served, 10);
}

TEST_F(DamageTest, WhatIsDamagedIsNamed) {
  const std::string id =
      RecordId(RecordKey{testing::kWorkloadText, testing::kTargetText, testing::CandidateText(1)});
  const struct {
    std::string sql, named;
  } kDamages[] = {
      {absl::StrCat("UPDATE records SET candidate='gibberish' WHERE key='", id, "'"),
       absl::StrCat("record ", id, " is damaged")},
      {"UPDATE results SET median_ns=1 WHERE sequence=1",
       absl::StrCat("result 1 is damaged, a measurement of record ", id)},
      {"UPDATE jobs SET active=active+1 WHERE number=2", "job j2 is damaged"},
      {"UPDATE job_log SET event='' WHERE job=2 AND number=3", "event 3 of job j2 is damaged"},
      {"DELETE FROM results WHERE sequence=1",
       absl::StrCat("record ", id, " has lost its measurements")},
  };
  for (const auto& damage : kDamages) {
    Put(whole_);
    ALT_ASSERT_OK(Sql(damage.sql));
    ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path_}));
    const auto report = store->Verify();
    ASSERT_TRUE(IsOk(report));
    ASSERT_FALSE(report->problems.empty()) << damage.sql;
    EXPECT_NE(report->problems[0].find(damage.named), std::string::npos) << report->problems[0];
  }
}

// A tuner proposes what it proposed before: the record that was lost comes back by being measured.
TEST_F(DamageTest, ADamagedRecordIsMendedWhenItIsMeasuredAgain) {
  const RecordKey key{testing::kWorkloadText, testing::kTargetText, testing::CandidateText(1)};
  Put(whole_);
  ALT_ASSERT_OK(Sql(
      absl::StrCat("UPDATE records SET candidate='gibberish' WHERE key='", RecordId(key), "'")));
  {
    ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path_}));
    EXPECT_FALSE(store->GetRecord(RecordId(key)).ok());
    ALT_ASSERT_OK(store->CommitAndWait({testing::MeasuredAt(50, 1, testing::OkResult(77), "j2")}));
    EXPECT_EQ(store->GetRecord(RecordId(key))->result.latency->median_ns, 77);
  }
  ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path_}));
  EXPECT_EQ(store->FoundDamage().size(), 0);
  EXPECT_EQ(store->GetRecord(RecordId(key))->result.latency->median_ns, 77);
}

// New rows must not refer to a text that may have been another.
TEST_F(DamageTest, WhatIsWrittenAfterwardsDoesNotBuildOnADamagedText) {
  Put(whole_);
  ALT_ASSERT_OK(Sql("UPDATE targets SET text='cpu:mcpu=znver4,vec=512,threads=3'"));
  AddResult add = testing::MeasuredAt(60, 1, testing::OkResult(77), "j2");
  add.record->target = "cpu:mcpu=znver4,vec=512,threads=3";
  {
    ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path_}));
    EXPECT_EQ(store->Stats().records, 0);
    ALT_ASSERT_OK(store->CommitAndWait({add}));
  }
  ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path_}));
  ASSERT_EQ(store->Stats().records, 1);
  EXPECT_EQ(store->ListRecords({})[0].key, add.record);
}

}  // namespace
}  // namespace alt::store
