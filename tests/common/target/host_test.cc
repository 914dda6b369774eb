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

TEST(HostTest, TheHostRunsItsOwnTargetOnAnyNumberOfThreads) {
  EXPECT_TRUE(HostRuns(HostTarget(1)));
  EXPECT_TRUE(HostRuns(HostTarget(kMaxThreads)));
  EXPECT_FALSE(HostRuns({.kind = TargetKind::kCuda, .mcpu = "sm_90"}));
}

TEST(HostTest, FactsAreConsistent) {
  const HostFacts facts = DetectHostFacts();
  EXPECT_GE(facts.threads, 1);
  EXPECT_LE(facts.threads, facts.cpus);
  EXPECT_LE(facts.usable_cores, facts.threads);
  EXPECT_LE(facts.usable_cores, facts.cores);
  EXPECT_LE(facts.cores, facts.cpus);
  EXPECT_GE(facts.vec_bits, 128);
  EXPECT_GT(facts.memory_bytes, 0);
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
  const HostFacts facts = DetectHostFacts({.cpus = dir.path(), .cgroups = dir.path()});
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

// A process that two levels of control groups narrow.
HostPaths Narrowed(const testing::TempDir& dir, absl::string_view cpu_max,
                   absl::string_view memory_max) {
  std::filesystem::create_directories(dir.File("jobs/one"));
  EXPECT_TRUE(testing::IsOk(base::WriteFileAtomically(dir.File("membership"), "0::/jobs/one\n")));
  EXPECT_TRUE(testing::IsOk(base::WriteFileAtomically(dir.File("jobs/one/cpu.max"), cpu_max)));
  EXPECT_TRUE(testing::IsOk(base::WriteFileAtomically(dir.File("jobs/memory.max"), memory_max)));
  return {.cgroup_membership = dir.File("membership"), .cgroups = dir.path()};
}

TEST(HostTest, AQuotaOfCpuTimeLimitsThreadsAndCores) {
  const testing::TempDir dir;
  const HostFacts facts = DetectHostFacts(Narrowed(dir, "50000 100000\n", "max\n"));
  EXPECT_EQ(facts.threads, 1);
  EXPECT_EQ(facts.usable_cores, 1);
}

TEST(HostTest, AGenerousQuotaLimitsNothing) {
  const testing::TempDir wide, none;
  const HostFacts facts = DetectHostFacts(Narrowed(wide, "9000000000 100000\n", "max\n"));
  const HostFacts unlimited = DetectHostFacts(Narrowed(none, "max 100000\n", "max\n"));
  EXPECT_EQ(facts.threads, static_cast<int>(Affinity().size()));
  EXPECT_EQ(facts.threads, unlimited.threads);
  EXPECT_EQ(facts.usable_cores, unlimited.usable_cores);
}

TEST(HostTest, MemoryIsThatOfTheMachineOrOfItsControlGroup) {
  const testing::TempDir all, narrow, vast;
  const int64_t machine = DetectHostFacts(Narrowed(all, "max 100000\n", "max\n")).memory_bytes;
  EXPECT_EQ(DetectHostFacts(Narrowed(narrow, "max 100000\n", "1048576\n")).memory_bytes, 1 << 20);
  EXPECT_EQ(DetectHostFacts(Narrowed(vast, "max 100000\n", "9223372036854771712\n")).memory_bytes,
            machine);
}

}  // namespace
}  // namespace alt::target
