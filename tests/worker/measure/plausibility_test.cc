#include "worker/measure/plausibility.h"

#include "gtest/gtest.h"

namespace alt::worker {
namespace {

TEST(ImplausibleBelowNsTest, HalfOfTheLargerOfBothFloors) {
  const MachineSpeed speed{.gflops = 100, .l1_read_gbs = 200};
  EXPECT_DOUBLE_EQ(ImplausibleBelowNs(1000, 100, speed), 10);     // 2000 FLOPs at 100 a ns
  EXPECT_DOUBLE_EQ(ImplausibleBelowNs(1000, 40000, speed), 100);  // 40 kB at 200 bytes a ns
}

TEST(ImplausibleBelowNsTest, WithoutASpeedThereIsNoFloor) {
  EXPECT_EQ(ImplausibleBelowNs(1000, 1000, {}), 0);
}

TEST(HopelessCodeTest, OnlyManySpillsForTheWorkAreHopeless) {
  EXPECT_FALSE(HopelessCode({.vector_fmas = 100, .inner_loop_spills = 0}).has_value());
  EXPECT_FALSE(HopelessCode({.vector_fmas = 100, .inner_loop_spills = 50}).has_value());
  EXPECT_FALSE(HopelessCode({.vector_fmas = 10, .inner_loop_spills = 31}).has_value());
  const auto reason = HopelessCode({.vector_fmas = 100, .inner_loop_spills = 60});
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(*reason, "60 register spills in inner loops, 100 FMAs in all");
}

}  // namespace
}  // namespace alt::worker
