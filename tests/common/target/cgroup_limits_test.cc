#include "common/target/cgroup_limits.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/testing/paths.h"

namespace alt::target {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

// A folder of control groups as Linux mounts it.
class Tree {
 public:
  void Write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = dir_.File(file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }
  CgroupLimits Limits(absl::string_view membership) const {
    return ReadCgroupLimits(membership, dir_.path());
  }

 private:
  const testing::TempDir dir_;
};

TEST(ParseCpuMaxTest, APartOfACpuIsRoundedUp) {
  EXPECT_EQ(ParseCpuMax("200000 100000\n"), 2);
  EXPECT_EQ(ParseCpuMax("150000 100000"), 2);
  EXPECT_EQ(ParseCpuMax("1000 100000"), 1);
}

TEST(ParseCpuMaxTest, NoQuotaIsNoLimit) {
  EXPECT_EQ(ParseCpuMax("max 100000\n"), std::nullopt);
  EXPECT_EQ(ParseCpuMax("-1 100000"), std::nullopt);
}

TEST(ParseCpuMaxTest, WhatIsNotUnderstoodIsNoLimit) {
  for (const char* text : {"", "200000", "1 2 3", "a b", "100000 0", "0 100000"}) {
    EXPECT_EQ(ParseCpuMax(text), std::nullopt) << text;
  }
}

TEST(ParseMemoryMaxTest, BytesOrNoLimit) {
  EXPECT_EQ(ParseMemoryMax("1073741824\n"), kGiB);
  for (const char* text : {"max\n", "", "-1", "99999999999999999999", "1 2"}) {
    EXPECT_EQ(ParseMemoryMax(text), std::nullopt) << text;
  }
}

// As `docker run --cpus=2 --memory=4g` has it: the container's group is the root of what it sees.
TEST(CgroupLimitsTest, AContainerFindsItsLimitsAtTheRoot) {
  Tree tree;
  tree.Write("cpu.max", "200000 100000");
  tree.Write("memory.max", "4294967296");
  const CgroupLimits limits = tree.Limits("0::/\n");
  EXPECT_EQ(limits.cpus, 2);
  EXPECT_EQ(limits.memory_bytes, 4 * kGiB);
}

TEST(CgroupLimitsTest, TheLeastOfAGroupAndItsParentsHolds) {
  Tree tree;
  tree.Write("jobs/cpu.max", "300000 100000");
  tree.Write("jobs/memory.max", "max");
  tree.Write("jobs/one/cpu.max", "800000 100000");
  tree.Write("jobs/one/memory.max", "1073741824");
  tree.Write("jobs/other/cpu.max", "100000 100000");
  const CgroupLimits limits = tree.Limits("0::/jobs/one\n");
  EXPECT_EQ(limits.cpus, 3);
  EXPECT_EQ(limits.memory_bytes, kGiB);
}

TEST(CgroupLimitsTest, Version1HasATreeForEachController) {
  Tree tree;
  tree.Write("cpu/jobs/cpu.cfs_quota_us", "400000");
  tree.Write("cpu/jobs/cpu.cfs_period_us", "100000");
  tree.Write("memory/jobs/memory.limit_in_bytes", "1073741824");
  tree.Write("memory/memory.limit_in_bytes", "9223372036854771712");
  const CgroupLimits limits = tree.Limits("5:memory:/jobs\n4:cpu,cpuacct:/jobs\n0::/\n");
  EXPECT_EQ(limits.cpus, 4);
  EXPECT_EQ(limits.memory_bytes, kGiB);
}

// Version 1 in a container: named by its path on the host, mounted at the top.
TEST(CgroupLimitsTest, AGroupThatIsMountedElsewhereIsFoundAtTheTop) {
  Tree tree;
  tree.Write("cpu/cpu.cfs_quota_us", "250000");
  tree.Write("cpu/cpu.cfs_period_us", "100000");
  EXPECT_EQ(tree.Limits("4:cpuacct,cpu:/docker/0123\n").cpus, 3);
}

TEST(CgroupLimitsTest, AQuotaOfMinusOneIsNone) {
  Tree tree;
  tree.Write("cpu/cpu.cfs_quota_us", "-1");
  tree.Write("cpu/cpu.cfs_period_us", "100000");
  EXPECT_EQ(tree.Limits("4:cpu:/\n").cpus, std::nullopt);
}

TEST(CgroupLimitsTest, NothingIsReadOutsideOfTheTree) {
  Tree tree;
  tree.Write("cpu.max", "200000 100000");
  tree.Write("outside/cpu.max", "100000 100000");
  EXPECT_EQ(tree.Limits("0::/x/../outside\n").cpus, 2);
}

TEST(CgroupLimitsTest, AMachineWithoutGroupsHasNoLimits) {
  for (const char* membership : {"", "0::/\n", "0::/gone (deleted)\n", "nonsense\n"}) {
    const CgroupLimits limits = Tree().Limits(membership);
    EXPECT_EQ(limits.cpus, std::nullopt) << membership;
    EXPECT_EQ(limits.memory_bytes, std::nullopt) << membership;
  }
}

}  // namespace
}  // namespace alt::target
