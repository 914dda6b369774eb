#include "common/wire/record_wire.h"

#include <gtest/gtest.h>

#include "tests/common/wire/random_values.h"
#include "tests/testing/status_matchers.h"

namespace alt::wire {
namespace {

using testing::StatusIs;

TEST(RecordWireTest, RecordsComeBack) {
  base::Random random(1);
  for (int i = 0; i < 50; ++i) {
    const measure::TuningRecord record = RandomRecord(random);
    ALT_ASSERT_OK_AND_ASSIGN(const measure::TuningRecord back, FromProto(ToProto(record)));
    EXPECT_EQ(back.id, record.id);
    EXPECT_EQ(back.workload, record.workload);
    EXPECT_EQ(back.target, record.target);
    EXPECT_EQ(back.candidate, record.candidate);
    EXPECT_EQ(back.result.latency, record.result.latency);
    EXPECT_EQ(back.provenance.job, record.provenance.job);
    EXPECT_EQ(back.provenance.trial, record.provenance.trial);
    EXPECT_EQ(back.provenance.worker, record.provenance.worker);
    EXPECT_EQ(back.provenance.time, record.provenance.time);
    EXPECT_EQ(back.validators, record.validators);
  }
}

TEST(RecordWireTest, RefusesAnIdOfSomethingElse) {
  base::Random random(2);
  v1::TuningRecord record = ToProto(RandomRecord(random));
  record.set_record_id("0123456789abcdef");
  EXPECT_TRUE(StatusIs(FromProto(record), absl::StatusCode::kInvalidArgument, "0123456789abcdef"));
}

TEST(RecordWireTest, RefusesTextsThatDoNotParse) {
  base::Random random(3);
  const v1::TuningRecord good = ToProto(RandomRecord(random));
  v1::TuningRecord record = good;
  record.set_workload("conv9d:n=1");
  EXPECT_TRUE(StatusIs(FromProto(record), absl::StatusCode::kInvalidArgument, "conv9d"));
  record = good;
  record.set_target("abacus");
  EXPECT_TRUE(StatusIs(FromProto(record), absl::StatusCode::kInvalidArgument, "abacus"));
  record = good;
  record.set_candidate("layout x: splat(1)");
  EXPECT_TRUE(StatusIs(FromProto(record), absl::StatusCode::kInvalidArgument, "splat"));
}

}  // namespace
}  // namespace alt::wire
