#include "common/wire/time_wire.h"

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "tests/testing/status_matchers.h"

namespace alt::wire {
namespace {

TEST(TimeWireTest, DurationsComeBack) {
  base::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const absl::Duration duration = absl::Nanoseconds(static_cast<int64_t>(random.Next()));
    ALT_ASSERT_OK_AND_ASSIGN(const absl::Duration back, FromProto(ToProto(duration)));
    EXPECT_EQ(back, duration);
  }
}

TEST(TimeWireTest, TimesComeBack) {
  base::Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const absl::Time time = absl::FromUnixNanos(static_cast<int64_t>(random.Next()));
    ALT_ASSERT_OK_AND_ASSIGN(const absl::Time back, FromProto(ToProto(time)));
    EXPECT_EQ(back, time);
  }
}

TEST(TimeWireTest, InfinityIsClamped) {
  EXPECT_TRUE(FromProto(ToProto(absl::InfiniteDuration())).ok());
  EXPECT_TRUE(FromProto(ToProto(-absl::InfiniteDuration())).ok());
  EXPECT_TRUE(FromProto(ToProto(absl::InfiniteFuture())).ok());
  EXPECT_TRUE(FromProto(ToProto(absl::InfinitePast())).ok());
}

TEST(TimeWireTest, RefusesWhatIsOutOfRange) {
  google::protobuf::Duration duration;
  duration.set_nanos(1'000'000'000);
  EXPECT_FALSE(FromProto(duration).ok());
  duration.set_nanos(0);
  duration.set_seconds(std::numeric_limits<int64_t>::min());
  EXPECT_FALSE(FromProto(duration).ok());
  google::protobuf::Timestamp time;
  time.set_nanos(-1);
  EXPECT_FALSE(FromProto(time).ok());
  duration.set_seconds(-1);
  EXPECT_FALSE(SecondsFromProto(duration).ok());
  EXPECT_TRUE(FromProto(duration).ok());
}

}  // namespace
}  // namespace alt::wire
