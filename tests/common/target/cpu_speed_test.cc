#include "common/target/cpu_speed.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/testing/paths.h"

namespace alt::target {
namespace {

// A folder of CPUs as Linux has it.
class CpuFolder {
 public:
  void Write(int cpu, const std::string& file, int64_t value) {
    const std::filesystem::path path = dir_.File("cpu" + std::to_string(cpu) + "/" + file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << value << "\n";
  }
  std::vector<int> Classes(const std::vector<int>& cpus) const {
    return ReadSpeedClasses(cpus, dir_.path());
  }

 private:
  const testing::TempDir dir_;
};

TEST(SpeedClassesTest, FourFifthsOfTheFastestIsStillItsClass) {
  EXPECT_EQ(SpeedClasses({1000, 800, 799}), (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(SpeedClasses({700, 1000}), (std::vector<int>{1, 0}));
}

TEST(SpeedClassesTest, EqualSpeedsAreOneClass) {
  EXPECT_EQ(SpeedClasses({3, 3, 3}), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(SpeedClasses({0, 0}), (std::vector<int>{0, 0}));
  EXPECT_TRUE(SpeedClasses({}).empty());
}

TEST(SpeedClassesTest, AThirdKindOfCoreIsAThirdClass) {
  EXPECT_EQ(SpeedClasses({4800, 3800, 3700, 2500}), (std::vector<int>{0, 1, 1, 2}));
}

TEST(ReadSpeedClassesTest, TheCapacityTellsCoresOfArmApart) {
  CpuFolder folder;
  for (const int cpu : {0, 1}) folder.Write(cpu, "cpu_capacity", 430);
  for (const int cpu : {2, 3}) folder.Write(cpu, "cpu_capacity", 1024);
  EXPECT_EQ(folder.Classes({0, 1, 2, 3}), (std::vector<int>{1, 1, 0, 0}));
}

// As on Raptor Lake, whose favoured cores run a little faster than their like.
TEST(ReadSpeedClassesTest, WhereCapacitiesAreEqualTheClockTells) {
  CpuFolder folder;
  const int64_t khz[] = {5'500'000, 5'800'000, 4'300'000, 4'300'000};
  for (const int cpu : {0, 1, 2, 3}) {
    folder.Write(cpu, "cpu_capacity", 1024);
    folder.Write(cpu, "cpufreq/cpuinfo_max_freq", khz[cpu]);
  }
  EXPECT_EQ(folder.Classes({0, 1, 2, 3}), (std::vector<int>{0, 0, 1, 1}));
}

TEST(ReadSpeedClassesTest, SlowCoresAmongThemselvesAreTheFastest) {
  CpuFolder folder;
  folder.Write(0, "cpu_capacity", 1024);
  folder.Write(1, "cpu_capacity", 430);
  EXPECT_EQ(folder.Classes({1}), (std::vector<int>{0}));
}

TEST(ReadSpeedClassesTest, WhatIsNotToldOfAllIsNotCompared) {
  CpuFolder folder;
  folder.Write(0, "cpu_capacity", 1024);
  EXPECT_EQ(folder.Classes({0, 1}), (std::vector<int>{0, 0}));
  EXPECT_EQ(CpuFolder().Classes({0, 1}), (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace alt::target
