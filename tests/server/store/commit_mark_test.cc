#include "server/store/commit_mark.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "common/base/file.h"
#include "server/store/recover.h"
#include "server/store/sqlite_tuning_store.h"
#include "tests/testing/paths.h"
#include "tests/testing/records.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

using testing::TempDir;

TEST(CommitMarkTest, KeepsWhatWasWrittenLast) {
  const TempDir dir;
  const CommitMark::Value value{.id = -5, .commits = 12, .sequence = 1 << 20};
  {
    ALT_ASSERT_OK_AND_ASSIGN(CommitMark mark, CommitMark::Open(dir.File("a.db")));
    EXPECT_EQ(mark.Read(), std::nullopt);
    ALT_ASSERT_OK(mark.Write({.id = 1, .commits = 2, .sequence = 3}));
    ALT_ASSERT_OK(mark.Write(value));
  }
  ALT_ASSERT_OK_AND_ASSIGN(const CommitMark mark, CommitMark::Open(dir.File("a.db")));
  EXPECT_EQ(mark.Read(), value);
}

TEST(CommitMarkTest, SaysNothingWhenItIsDamaged) {
  const TempDir dir;
  ALT_ASSERT_OK_AND_ASSIGN(CommitMark mark, CommitMark::Open(dir.File("a.db")));
  ALT_ASSERT_OK(mark.Write({.id = 1, .commits = 2, .sequence = 3}));
  ALT_ASSERT_OK_AND_ASSIGN(std::string bytes, base::ReadFile(dir.File("a.db.mark")));
  for (char& byte : bytes) {
    if (byte == ' ' || byte == '\n') continue;
    byte = byte == '7' ? '6' : '7';
    ALT_ASSERT_OK(base::WriteFileAtomically(dir.File("b.db.mark"), bytes));
    ALT_ASSERT_OK_AND_ASSIGN(const CommitMark damaged, CommitMark::Open(dir.File("b.db")));
    EXPECT_EQ(damaged.Read(), std::nullopt);
    byte = '0';
  }
}

// A database as a kill leaves it: the last writes are in its log only.
class LostLogTest : public ::testing::Test {
 protected:
  LostLogTest() {
    auto store = OpenSqliteTuningStore({.path = dir_.File("a.db")});
    EXPECT_TRUE(testing::IsOk(store));
    for (int i = 1; i <= 20; ++i) {
      EXPECT_TRUE(
          testing::IsOk((*store)->CommitAndWait({testing::Measured(i, testing::OkResult(5))})));
    }
    for (const char* suffix : {"", "-wal", ".mark"}) {
      std::filesystem::copy_file(dir_.File("a.db") + suffix, path_ + suffix);
    }
  }
  // That the loss is known at every opening, and no more than that.
  void ExpectLoss(size_t lost) {
    for (const bool again : {false, true}) {
      SCOPED_TRACE(again);
      ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = path_}));
      const std::vector<std::string> found = store->FoundDamage();
      ASSERT_EQ(found.size(), lost);
      EXPECT_EQ(store->Verify()->problems.size(), lost);
      if (lost > 0) {
        EXPECT_TRUE(absl::StrContains(found[0], "acknowledged writes are missing"));
        // The rest is served, and numbers that were given away are not given again.
        EXPECT_LT(store->Stats().records, 20 + again);
        ALT_ASSERT_OK(store->CommitAndWait(
            {testing::MeasuredAt(100 + again, 100 + again, testing::OkResult(5))}));
        EXPECT_GT(store->LastSequence(), 20);
      }
    }
  }

  const TempDir dir_;
  const std::string path_ = dir_.File("b.db");
};

TEST_F(LostLogTest, AWholeLogLosesNothing) { ExpectLoss(0); }

TEST_F(LostLogTest, ALogThatWasCutShortIsNoticed) {
  const auto size = std::filesystem::file_size(path_ + "-wal");
  std::filesystem::resize_file(path_ + "-wal", size / 2);
  ExpectLoss(1);
}

TEST_F(LostLogTest, ALogThatIsGoneIsNoticed) {
  std::filesystem::remove(path_ + "-wal");
  ExpectLoss(1);
}

TEST_F(LostLogTest, ADamagedLogIsNoticed) {
  ALT_ASSERT_OK_AND_ASSIGN(std::string bytes, base::ReadFile(path_ + "-wal"));
  bytes[bytes.size() / 2] ^= 1;
  ALT_ASSERT_OK(base::WriteFileAtomically(path_ + "-wal", bytes));
  ExpectLoss(1);
}

TEST_F(LostLogTest, RecoveringAcceptsTheLoss) {
  const auto size = std::filesystem::file_size(path_ + "-wal");
  std::filesystem::resize_file(path_ + "-wal", size / 2);
  ALT_ASSERT_OK(OpenSqliteTuningStore({.path = path_}).status());
  ALT_ASSERT_OK(RecoverDatabase(path_));
  ExpectLoss(0);
}

TEST_F(LostLogTest, AMarkOfAnotherDatabaseSaysNothing) {
  ALT_ASSERT_OK(OpenSqliteTuningStore({.path = dir_.File("c.db")}).status());
  std::filesystem::copy_file(path_ + ".mark", dir_.File("c.db.mark"),
                             std::filesystem::copy_options::overwrite_existing);
  ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = dir_.File("c.db")}));
  EXPECT_EQ(store->FoundDamage().size(), 0);
}

}  // namespace
}  // namespace alt::store
