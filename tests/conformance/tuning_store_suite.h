// What every TuningStore does. A store joins with
//
//   INSTANTIATE_TEST_SUITE_P(Memory, TuningStoreSuite, ::testing::Values(&MakeMemoryFixture));
//
// and runs the suite before it is reviewed.
#ifndef TESTS_CONFORMANCE_TUNING_STORE_SUITE_H_
#define TESTS_CONFORMANCE_TUNING_STORE_SUITE_H_

#include <gtest/gtest.h>

#include <memory>

#include "server/store/tuning_store.h"

namespace alt::store {

// Owns a store and what it stands on.
class StoreFixture {
 public:
  virtual ~StoreFixture() = default;
  virtual TuningStore& store() = 0;
  // Closes the store and opens it again on what it has kept; false when it keeps nothing.
  virtual bool Reopen() = 0;
};
using MakeStoreFixture = std::unique_ptr<StoreFixture> (*)();

class TuningStoreSuite : public ::testing::TestWithParam<MakeStoreFixture> {
 protected:
  TuningStore& store() { return fixture_->store(); }
  // Runs `check` on the store, and again after it was closed and opened.
  template <typename Check>
  void NowAndReopened(Check check) {
    check();
    if (!fixture_->Reopen()) return;
    SCOPED_TRACE("after opening again");
    check();
  }

 private:
  std::unique_ptr<StoreFixture> fixture_ = GetParam()();
};

}  // namespace alt::store

#endif  // TESTS_CONFORMANCE_TUNING_STORE_SUITE_H_
