#include "server/dispatch/worker_conduct.h"

#include <gtest/gtest.h>

#include <string>

namespace alt::dispatch {
namespace {

constexpr absl::Duration kStart = absl::Seconds(100);

// How long the worker is suspended from now on.
absl::Duration Pause(const WorkerConduct& conduct, absl::Duration now) {
  const Suspension* suspension = conduct.Find("w", now);
  return suspension ? suspension->until - now : absl::ZeroDuration();
}

TEST(WorkerConductTest, AFaultCostsAPauseThatEnds) {
  WorkerConduct conduct(10);
  EXPECT_EQ(conduct.Find("w", kStart), nullptr);
  conduct.Note("w", Fault::kHandedBack, "no room", kStart);
  ASSERT_NE(conduct.Find("w", kStart), nullptr);
  EXPECT_EQ(conduct.Find("w", kStart)->reason, "no room");
  EXPECT_EQ(conduct.Find("v", kStart), nullptr);
  EXPECT_EQ(Pause(conduct, kStart), absl::Seconds(1));
  EXPECT_EQ(conduct.Find("w", kStart + absl::Seconds(1)), nullptr);
}

TEST(WorkerConductTest, EachFaultInARowCostsTwiceAsMuchUpToALimit) {
  WorkerConduct conduct(10);
  absl::Duration now = kStart;
  for (const int seconds : {10, 20, 40, 80, 160, 320, 640, 640, 640}) {
    conduct.Note("w", Fault::kMute, "", now);
    EXPECT_EQ(Pause(conduct, now), absl::Seconds(seconds));
    now += Pause(conduct, now);
  }
}

TEST(WorkerConductTest, TheFirstLossInARowIsFree) {
  WorkerConduct conduct(10);
  conduct.Note("w", Fault::kLost, "", kStart);
  EXPECT_EQ(Pause(conduct, kStart), absl::ZeroDuration());
  conduct.Note("w", Fault::kLost, "", kStart);
  EXPECT_EQ(Pause(conduct, kStart), absl::Seconds(2));
}

TEST(WorkerConductTest, AResultMakesFaultsGoodButEndsNoSuspension) {
  WorkerConduct conduct(10);
  conduct.Note("w", Fault::kMute, "", kStart);
  conduct.MakeGood("w", kStart);
  EXPECT_NE(conduct.Find("w", kStart), nullptr);
  const absl::Duration later = kStart + absl::Seconds(10);
  conduct.MakeGood("w", later);
  conduct.Note("w", Fault::kMute, "", later);
  EXPECT_EQ(Pause(conduct, later), absl::Seconds(10)) << "the first in a row again";
}

TEST(WorkerConductTest, FaultsThatComeTogetherCountOnce) {
  WorkerConduct conduct(10);
  conduct.Note("w", Fault::kHandedBack, "", kStart);
  conduct.Note("w", Fault::kImplausible, "", kStart);
  conduct.Note("w", Fault::kHandedBack, "last", kStart);
  EXPECT_EQ(conduct.Find("w", kStart)->faults, 1);
  EXPECT_EQ(Pause(conduct, kStart), absl::Minutes(1)) << "the longest pause";
  EXPECT_EQ(conduct.Find("w", kStart)->reason, "last");
}

TEST(WorkerConductTest, SweepTellsWhenASuspensionHasEnded) {
  WorkerConduct conduct(10);
  conduct.Sweep(kStart);
  conduct.Note("w", Fault::kMute, "", kStart);
  EXPECT_FALSE(conduct.Sweep(kStart + absl::Seconds(9)));
  EXPECT_TRUE(conduct.Sweep(kStart + absl::Seconds(10)));
  EXPECT_FALSE(conduct.Sweep(kStart + absl::Seconds(11)));
}

TEST(WorkerConductTest, OldFaultsAreForgotten) {
  WorkerConduct conduct(10);
  conduct.Note("w", Fault::kMute, "", kStart);
  const absl::Duration later = kStart + absl::Hours(1);
  conduct.Sweep(later);
  conduct.Note("w", Fault::kMute, "", later);
  EXPECT_EQ(Pause(conduct, later), absl::Seconds(10));
}

TEST(WorkerConductTest, ItRemembersNoMoreNamesThanItMay) {
  WorkerConduct conduct(2);
  conduct.Note("w", Fault::kHandedBack, "", kStart);
  conduct.Note("a", Fault::kImplausible, "", kStart);
  conduct.Note("b", Fault::kMute, "", kStart);
  EXPECT_EQ(conduct.Find("w", kStart), nullptr) << "its pause ends first";
  EXPECT_NE(conduct.Find("a", kStart), nullptr);
  EXPECT_NE(conduct.Find("b", kStart), nullptr);
}

}  // namespace
}  // namespace alt::dispatch
