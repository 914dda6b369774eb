#include "common/wire/record_wire.h"

#include <gtest/gtest.h>

#include "common/wire/target_wire.h"
#include "common/wire/workload_wire.h"
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

TEST(WorkloadWireTest, WorkloadsComeBack) {
  base::Random random(3);
  for (int i = 0; i < 200; ++i) {
    const workload::Workload workload = RandomWorkload(random);
    ALT_ASSERT_OK_AND_ASSIGN(const workload::Workload back, FromProto(ToProto(workload)));
    EXPECT_EQ(back, workload) << workload::Print(workload);
  }
}

TEST(WorkloadWireTest, RefusesWhatTheTextWouldRefuse) {
  EXPECT_TRUE(StatusIs(FromProto(v1::Workload()), absl::StatusCode::kInvalidArgument, "kind"));
  v1::Workload matmul = ToProto(workload::Workload{workload::Matmul{.m = 4, .n = 4, .k = 4}});
  matmul.mutable_matmul()->set_m(0);
  EXPECT_TRUE(StatusIs(FromProto(matmul), absl::StatusCode::kInvalidArgument, "m"));
  v1::Workload conv = ToProto(workload::Workload{workload::Conv2d{.ih = 8, .iw = 8}});
  conv.mutable_conv2d()->add_stride(3);
  EXPECT_TRUE(StatusIs(FromProto(conv), absl::StatusCode::kInvalidArgument, "stride"));
}

TEST(TargetWireTest, TargetsComeBack) {
  base::Random random(4);
  for (int i = 0; i < 50; ++i) {
    const target::Target target = RandomTarget(random);
    ALT_ASSERT_OK_AND_ASSIGN(const target::Target back, FromProto(ToProto(target)));
    EXPECT_EQ(back, target) << target::PrintTarget(target);
  }
}

TEST(TargetWireTest, RefusesWhatTheTextWouldRefuse) {
  EXPECT_FALSE(FromProto(v1::Target()).ok());
  v1::Target target;
  target.mutable_cpu()->set_mcpu("znver4");
  target.mutable_cpu()->set_vec_bits(512);
  EXPECT_FALSE(FromProto(target).ok());  // no threads
  target.mutable_cpu()->set_threads(1);
  EXPECT_TRUE(FromProto(target).ok());
  target.mutable_cpu()->set_mcpu("znver4,threads=3");
  EXPECT_FALSE(FromProto(target).ok());
  target.mutable_cuda()->set_architecture("sm_90 ");
  EXPECT_FALSE(FromProto(target).ok());
}

}  // namespace
}  // namespace alt::wire
