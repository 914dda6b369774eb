#include "server/dispatch/lease_table.h"

#include <gtest/gtest.h>

namespace alt::dispatch {
namespace {

// Three candidates under one lease "L" of worker "w".
class LeaseTableTest : public ::testing::Test {
 protected:
  LeaseTableTest() {
    for (int64_t i = 0; i < 3; ++i) {
      Item item{.position = i, .state = Item::State::kLeased, .last_lease = "L"};
      EXPECT_TRUE(table_.AddItem({"j1", 0, i}, item));
    }
    table_.AddLease({.id = "L", .name = {"db", 1, 1, "j1", 0, {0, 1, 2}}, .worker = "w"});
  }
  Item& At(int64_t index) { return *table_.FindItem({"j1", 0, index}); }

  LeaseTable table_;
};

TEST_F(LeaseTableTest, APlaceHasOneItem) {
  EXPECT_FALSE(table_.AddItem({"j1", 0, 1}, Item{.position = 9}));
  EXPECT_EQ(At(1).position, 1);
  EXPECT_EQ(table_.items(), 3);
  EXPECT_EQ(table_.FindItem({"j1", 1, 0}), nullptr);
}

TEST_F(LeaseTableTest, AnEndedLeaseIsKeptUntilItsResultsAreStored) {
  for (int64_t i = 0; i < 3; ++i) At(i).state = Item::State::kFinal;
  table_.End("L");
  ASSERT_NE(table_.FindLease("L"), nullptr);
  EXPECT_FALSE(table_.FindLease("L")->active);
  table_.Stored("j1", 0, {0, 2});
  EXPECT_TRUE(table_.MustKeep(*table_.FindLease("L"), 1));
  EXPECT_FALSE(table_.MustKeep(*table_.FindLease("L"), 0));
  EXPECT_FALSE(table_.MustKeep(*table_.FindLease("L"), 7));
  table_.Stored("j1", 0, {1});
  EXPECT_EQ(table_.FindLease("L"), nullptr);
  EXPECT_EQ(table_.items(), 0);
}

TEST_F(LeaseTableTest, AnActiveLeaseStaysWhenResultsAreStored) {
  At(0).state = Item::State::kFinal;
  table_.Stored("j1", 0, {0});
  ASSERT_NE(table_.FindLease("L"), nullptr);
  EXPECT_TRUE(table_.FindLease("L")->active);
}

TEST_F(LeaseTableTest, WithoutResultsALeaseEndsAtOnce) {
  for (int64_t i = 0; i < 3; ++i) At(i).state = Item::State::kQueued;
  table_.End("L");
  EXPECT_EQ(table_.FindLease("L"), nullptr);
}

TEST_F(LeaseTableTest, OnlyWhatIsFinalIsForgottenWhenStored) {
  table_.Stored("j1", 0, {0, 1, 99});
  EXPECT_EQ(table_.items(), 3);
}

TEST_F(LeaseTableTest, IndicesAreThoseStillUnderTheLease) {
  At(1).last_lease = "M";
  At(2).state = Item::State::kFinal;
  const Lease& lease = *table_.FindLease("L");
  EXPECT_EQ(table_.IndicesIn(lease, Item::State::kLeased), (std::vector<int64_t>{0}));
  EXPECT_EQ(table_.IndicesIn(lease, Item::State::kFinal), (std::vector<int64_t>{2}));
}

TEST_F(LeaseTableTest, RemovingAJobNamesTheWorkersThatHeldIt) {
  table_.AddItem({"j2", 0, 0}, Item{});
  EXPECT_EQ(table_.RemoveJob("j1"), (std::vector<std::string>{"w"}));
  EXPECT_EQ(table_.items(), 1);
  EXPECT_TRUE(table_.leases().empty());
  EXPECT_TRUE(table_.RemoveJob("j1").empty());
}

}  // namespace
}  // namespace alt::dispatch
