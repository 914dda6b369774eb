#include "common/target/host.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/file.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::target {
namespace {

TEST(HostTest, TheHostTargetIsOneThatParses) {
  const Target host = HostTarget(2);
  EXPECT_EQ(host.threads, 2);
  ALT_ASSERT_OK_AND_ASSIGN(const Target again, ParseTarget(PrintTarget(host)));
  EXPECT_EQ(again, host);
}

TEST(HostTest, FactsAreConsistent) {
  const HostFacts facts = DetectHostFacts();
  EXPECT_GE(facts.threads, 1);
  EXPECT_LE(facts.threads, facts.cpus);
  EXPECT_LE(facts.usable_cores, facts.threads);
  EXPECT_LE(facts.usable_cores, facts.cores);
  EXPECT_LE(facts.cores, facts.cpus);
  EXPECT_GE(facts.vec_bits, 128);
  EXPECT_FALSE(facts.cpu_name.empty());
  if (facts.l2_bytes > 0) {
    EXPECT_GE(facts.l2_bytes, facts.l1d_bytes);
  }
}

TEST(HostTest, ThreadsFollowTheAffinity) {
  HostFacts facts;
  // In a thread of its own, so that the rest of the program keeps its CPUs.
  std::thread pinned([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    facts = DetectHostFacts();
  });
  pinned.join();
  EXPECT_EQ(facts.threads, 1);
  EXPECT_EQ(facts.usable_cores, 1);
}

// Says of each CPU of the affinity how fast it is.
void WriteSpeeds(const testing::TempDir& dir, const std::vector<int>& cpus, int last_speed) {
  for (const int cpu : cpus) {
    const std::string folder = dir.File(absl::StrCat("cpu", cpu));
    std::filesystem::create_directory(folder);
    const int speed = cpu == cpus.back() ? last_speed : 500;
    ALT_ASSERT_OK(base::WriteFileAtomically(folder + "/cpu_capacity", absl::StrCat(speed, "\n")));
  }
}

std::vector<int> Affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

TEST(HostTest, OnlyCoresOfTheFastestClassAreUsable) {
  const testing::TempDir dir;
  WriteSpeeds(dir, Affinity(), 1000);
  const HostFacts facts = DetectHostFacts({.cpus = dir.path()});
  EXPECT_EQ(facts.usable_cores, 1);
  EXPECT_EQ(facts.threads, static_cast<int>(Affinity().size()));
}

TEST(HostTest, CoresOfNearlyTheSameSpeedAreAllUsable) {
  const testing::TempDir even, uneven;
  WriteSpeeds(even, Affinity(), 500);
  WriteSpeeds(uneven, Affinity(), 550);
  EXPECT_EQ(DetectHostFacts({.cpus = uneven.path()}).usable_cores,
            DetectHostFacts({.cpus = even.path()}).usable_cores);
}

}  // namespace
}  // namespace alt::target
