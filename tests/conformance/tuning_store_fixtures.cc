// The stores that there are.
#include <gtest/gtest.h>

#include "server/store/memory_tuning_store.h"
#include "server/store/sqlite_tuning_store.h"
#include "tests/conformance/tuning_store_suite.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

class MemoryFixture : public StoreFixture {
 public:
  TuningStore& store() override { return *store_; }
  bool Reopen() override { return false; }

 private:
  std::unique_ptr<TuningStore> store_ = MakeMemoryTuningStore();
};

class SqliteFixture : public StoreFixture {
 public:
  SqliteFixture() { Reopen(); }
  TuningStore& store() override { return *store_; }
  bool Reopen() override {
    store_.reset();
    auto store = OpenSqliteTuningStore({.path = dir_.File("a.db")});
    EXPECT_TRUE(testing::IsOk(store));
    store_ = *std::move(store);
    return true;
  }

 private:
  testing::TempDir dir_;
  std::unique_ptr<TuningStore> store_;
};

template <typename Fixture>
std::unique_ptr<StoreFixture> Make() {
  return std::make_unique<Fixture>();
}

INSTANTIATE_TEST_SUITE_P(Memory, TuningStoreSuite, ::testing::Values(&Make<MemoryFixture>));
INSTANTIATE_TEST_SUITE_P(Sqlite, TuningStoreSuite, ::testing::Values(&Make<SqliteFixture>));

}  // namespace
}  // namespace alt::store
