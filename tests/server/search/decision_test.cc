#include "server/search/space/decision.h"

#include "gtest/gtest.h"

namespace alt::search {
namespace {

int64_t First(const Decision& decision) { return decision.value; }

TEST(DeciderTest, AnswersWithWhatIsChosenAndKeepsIt) {
  const auto last = [](const Decision& decision) { return decision.choices.back(); };
  Decider decide(last);
  EXPECT_EQ(decide.Layout("conv.block", {0, 8, 16}, 0), 16);
  EXPECT_EQ(decide.Loop("conv.tile", {1, 2}, 1), 2);
  EXPECT_EQ(decide.Take(), (std::vector<Decision>{{"conv.block", 16, {0, 8, 16}, true},
                                                  {"conv.tile", 2, {1, 2}}}));
}

TEST(DeciderTest, WhereThereIsNoChoiceNobodyIsAskedAndNothingIsKept) {
  int asked = 0;
  const auto count = [&asked](const Decision& decision) { return ++asked, decision.value; };
  Decider decide(count);
  EXPECT_EQ(decide.Loop("conv.tile", {3}, 1), 3);
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(decide.Take().empty());
}

TEST(DeciderTest, AFirstChoiceThatIsNotLegalGivesWayToTheNearest) {
  const auto first = First;
  Decider decide(first);
  EXPECT_EQ(decide.Loop("conv.tile", {1, 7, 14}, 8), 7);
  EXPECT_EQ(decide.Loop("conv.tile", {1, 7, 14}, 100), 14);
}

TEST(NearestChoiceTest, TakesTheSmallerOfTwo) {
  EXPECT_EQ(NearestChoice({2, 4, 8}, 6), 4);
  EXPECT_EQ(NearestChoice({2, 4, 8}, 7), 8);
  EXPECT_EQ(NearestChoice({0, 1}, -5), 0);
}

TEST(WishesTest, AreTheValuesOfDecisionsByName) {
  EXPECT_EQ(WishesOf({{"a", 2, {1, 2}}, {"b", 0, {0, 1}, true}}), (Wishes{{"a", 2}, {"b", 0}}));
}

TEST(ChoicesTest, UpToAndProperDivisors) {
  EXPECT_EQ(UpTo(4, {1, 2, 4, 8}), (std::vector<int64_t>{1, 2, 4}));
  EXPECT_EQ(ProperDivisors(16, {2, 3, 8, 16}), (std::vector<int64_t>{2, 8}));
}

}  // namespace
}  // namespace alt::search
