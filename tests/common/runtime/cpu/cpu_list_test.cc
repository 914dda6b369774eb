#include "common/runtime/cpu/cpu_list.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace alt::runtime {
namespace {

// Two sockets would number cores apart; here: four cores of two hardware threads, numbered as Linux
// does, all first threads before the second ones.
const std::vector<Cpu> kSmt = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 0}, {5, 1}, {6, 2}, {7, 3}};

TEST(ChooseCpusTest, EveryCoreOnceBeforeAnyTwice) {
  EXPECT_EQ(ChooseCpus(kSmt, 1), (std::vector<int>{7}));
  EXPECT_EQ(ChooseCpus(kSmt, 4), (std::vector<int>{7, 6, 5, 4}));
  EXPECT_EQ(ChooseCpus(kSmt, 6), (std::vector<int>{7, 6, 5, 4, 3, 2}));
}

TEST(ChooseCpusTest, SiblingsNextToOneAnotherAreSeen) {
  EXPECT_EQ(ChooseCpus({{0, 0}, {1, 0}, {2, 1}, {3, 1}}, 2), (std::vector<int>{3, 1}));
}

TEST(ChooseCpusTest, OnlyAllowedCpus) {
  EXPECT_EQ(ChooseCpus({{2, 2}, {5, 1}}, 2), (std::vector<int>{5, 2}));
}

// Two fast cores of two hardware threads, then four slow ones with one each, as Intel numbers them.
const std::vector<Cpu> kHybrid = {{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {3, 1, 0},
                                  {4, 2, 1}, {5, 3, 1}, {6, 4, 1}, {7, 5, 1}};

TEST(ChooseCpusTest, FastCoresComeBeforeSlowOnes) {
  EXPECT_EQ(ChooseCpus(kHybrid, 1), (std::vector<int>{3}));
  EXPECT_EQ(ChooseCpus(kHybrid, 2), (std::vector<int>{3, 1}));
  EXPECT_EQ(ChooseCpus(kHybrid, 6), (std::vector<int>{3, 1, 2, 0, 7, 6}));
}

TEST(ChooseCpusTest, FastCoresMayHaveTheHigherNumbers) {
  EXPECT_EQ(ChooseCpus({{0, 0, 1}, {1, 1, 1}, {2, 2, 0}, {3, 3, 0}}, 3),
            (std::vector<int>{3, 2, 1}));
}

TEST(ChooseCpusTest, MoreThreadsThanCpusStartOver) {
  EXPECT_EQ(ChooseCpus({{0, 0}, {1, 1}}, 5), (std::vector<int>{1, 0, 1, 0, 1}));
}

TEST(AllowedCpusTest, FollowsTheAffinityOfTheThread) {
  const std::vector<Cpu> all = AllowedCpus();
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                             [](const Cpu& a, const Cpu& b) { return a.number < b.number; }));
  std::thread narrow([&] {
    ASSERT_TRUE(PinThisThread(all.back().number));
    const std::vector<Cpu> one = AllowedCpus();
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(one[0].number, all.back().number);
    EXPECT_EQ(sched_getcpu(), all.back().number);
  });
  narrow.join();
}

TEST(PinThisThreadTest, RefusesACpuThatIsNotThere) {
  std::thread thread([] { EXPECT_FALSE(PinThisThread(CPU_SETSIZE - 1)); });
  thread.join();
}

}  // namespace
}  // namespace alt::runtime
