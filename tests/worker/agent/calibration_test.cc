#include "worker/agent/calibration.h"

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::agent {
namespace {

const measure::Peak kPeak{.gflops_1t = 118.25,
                          .gflops = 230.5,
                          .threads = 2,
                          .read_gbs = 21.75,
                          .caches = {{.level = 1, .bytes = 49152, .read_gbs = 812.5},
                                     {.level = 2, .bytes = 2 << 20, .read_gbs = 250}},
                          .cpu = "Xeon, family 0x6 model 0xcf"};

TEST(CalibrationTest, ComesBackOnTheSameMachine) {
  const testing::TempDir dir;
  const std::string path = dir.File("c.txt");
  EXPECT_FALSE(ReadCalibration(path, "EPYC=4, two").has_value());
  ALT_ASSERT_OK(WriteCalibration(path, "EPYC=4, two", kPeak));
  EXPECT_EQ(ReadCalibration(path, "EPYC=4, two"), kPeak);
  EXPECT_FALSE(ReadCalibration(path, "Xeon").has_value());
}

TEST(CalibrationTest, DamageIsNoCalibration) {
  const testing::TempDir dir;
  const std::string path = dir.File("c.txt");
  for (const char* text : {"", "machine=m\n", "machine=m\ngflops_1t=x\ngflops=1\nthreads=1\n",
                           "machine=m\ngflops_1t=0\ngflops=1\nthreads=1\nread_gbs=1\n",
                           "machine=m\ngflops_1t=1\ngflops=1\nthreads=-1\nread_gbs=1\ncaches=0\n",
                           // As written before caches were measured, and with half of one.
                           "machine=m\ngflops_1t=1\ngflops=1\nthreads=1\nread_gbs=1\n",
                           "machine=m\ngflops_1t=1\ngflops=1\nthreads=1\nread_gbs=1\ncaches=1\n",
                           "machine=m\ngflops_1t=1\ngflops=1\nthreads=1\nread_gbs=1\ncaches=1\n"
                           "cache0=1 32768\n"}) {
    ALT_ASSERT_OK(base::WriteFileAtomically(path, text));
    EXPECT_FALSE(ReadCalibration(path, "m").has_value()) << text;
  }
}

}  // namespace
}  // namespace alt::agent
