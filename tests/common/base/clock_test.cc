#include "common/base/clock.h"

#include <gtest/gtest.h>

#include "tests/testing/fake_clock.h"

namespace alt::base {
namespace {

TEST(RealClockTest, SteadyTimeNeverGoesBack) {
  const RealClock clock;
  absl::Duration previous = clock.SteadyNow();
  for (int i = 0; i < 1000; ++i) {
    const absl::Duration now = clock.SteadyNow();
    EXPECT_GE(now, previous);
    previous = now;
  }
  EXPECT_GT(clock.Now(), absl::FromUnixSeconds(1700000000));
}

TEST(FakeClockTest, AdvanceMovesBothTimes) {
  testing::FakeClock clock;
  const absl::Time start = clock.Now();
  clock.Advance(absl::Seconds(3));
  EXPECT_EQ(clock.Now() - start, absl::Seconds(3));
  EXPECT_EQ(clock.SteadyNow(), absl::Seconds(3));
}

TEST(FakeClockTest, AJumpOfTheWallClockLeavesSteadyTime) {
  testing::FakeClock clock;
  clock.SetWallTime(absl::UnixEpoch());
  EXPECT_EQ(clock.Now(), absl::UnixEpoch());
  EXPECT_EQ(clock.SteadyNow(), absl::ZeroDuration());
}

}  // namespace
}  // namespace alt::base
