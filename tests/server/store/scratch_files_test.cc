#include "server/store/scratch_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "common/base/file.h"
#include "server/store/sqlite_tuning_store.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

class ScratchFilesTest : public ::testing::Test {
 protected:
  void Make(const std::string& name) {
    ALT_ASSERT_OK(base::WriteFileAtomically(dir_.File(name), "x"));
  }
  bool Exists(const std::string& name) { return access(dir_.File(name).c_str(), F_OK) == 0; }

  const testing::TempDir dir_;
  const std::string db_ = dir_.File("a.db");
};

TEST_F(ScratchFilesTest, OpeningADatabaseRemovesCopiesThatWereBrokenOff) {
  Make("a.db.copy-123-1");
  Make("a.db.copy-123-2-journal");
  ALT_ASSERT_OK(OpenSqliteTuningStore({.path = db_}).status());
  EXPECT_FALSE(Exists("a.db.copy-123-1"));
  EXPECT_FALSE(Exists("a.db.copy-123-2-journal"));
}

TEST_F(ScratchFilesTest, OtherFilesStay) {
  const char* const kNames[] = {"a.db.copy-monday", "a.db.copy-1",   "a.db.copy-1-",
                                "a.db.copy-1-2-x",  "b.db.copy-1-2", "a.db.copy"};
  for (const char* name : kNames) Make(name);
  RemoveScratchFiles(db_);
  for (const char* name : kNames) EXPECT_TRUE(Exists(name)) << name;
}

TEST_F(ScratchFilesTest, WhoDoesNotGetTheDatabaseRemovesNothing) {
  ALT_ASSERT_OK_AND_ASSIGN(const auto store, OpenSqliteTuningStore({.path = db_}));
  Make("a.db.copy-123-1");
  EXPECT_FALSE(OpenSqliteTuningStore({.path = db_}).ok());
  EXPECT_TRUE(Exists("a.db.copy-123-1"));
}

TEST_F(ScratchFilesTest, NamesAreFreshAndFoundAgain) {
  const std::string name = NewScratchFile(db_);
  EXPECT_EQ(name.find(absl::StrCat(db_, ".copy-", getpid(), "-")), 0u);
  EXPECT_NE(NewScratchFile(db_), name);
  ALT_ASSERT_OK(base::WriteFileAtomically(name, "x"));
  RemoveScratchFiles(db_);
  EXPECT_NE(access(name.c_str(), F_OK), 0);
}

}  // namespace
}  // namespace alt::store
