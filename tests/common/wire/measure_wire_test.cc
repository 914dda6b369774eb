#include "common/wire/measure_wire.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/common/wire/random_values.h"
#include "tests/testing/status_matchers.h"

namespace alt::wire {
namespace {

using measure::Outcome;
using testing::StatusIs;

TEST(MeasureWireTest, EveryOutcomeComesBackUnderItsName) {
  for (int i = 0; i <= static_cast<int>(Outcome::kCancelled); ++i) {
    const Outcome outcome = static_cast<Outcome>(i);
    const v1::Outcome proto = ToProto(outcome);
    EXPECT_EQ(v1::Outcome_Name(proto), "OUTCOME_" + std::string(OutcomeName(outcome)));
    ALT_ASSERT_OK_AND_ASSIGN(const Outcome back, FromProto(proto));
    EXPECT_EQ(back, outcome);
  }
  EXPECT_EQ(v1::Outcome_MAX, static_cast<int>(Outcome::kCancelled) + 1);
  EXPECT_FALSE(FromProto(v1::OUTCOME_UNSPECIFIED).ok());
  EXPECT_FALSE(FromProto(static_cast<v1::Outcome>(99)).ok());
}

TEST(MeasureWireTest, ModesAndCachesComeBack) {
  for (const auto mode : {measure::MeasureMode::kSearch, measure::MeasureMode::kCompare}) {
    EXPECT_EQ(*FromProto(ToProto(mode)), mode);
  }
  for (const auto state :
       {measure::CacheState::kWarm, measure::CacheState::kRotate, measure::CacheState::kCold}) {
    EXPECT_EQ(*FromProto(ToProto(state)), state);
  }
  EXPECT_FALSE(FromProto(v1::MEASURE_MODE_UNSPECIFIED).ok());
  EXPECT_FALSE(FromProto(v1::CACHE_STATE_UNSPECIFIED).ok());
}

TEST(MeasureWireTest, ResultsComeBack) {
  base::Random random(1);
  for (int i = 0; i < 200; ++i) {
    const auto outcome = static_cast<Outcome>(random.Uniform(14));
    const measure::MeasureResult result = RandomResult(random, outcome);
    const v1::MeasureResult proto = ToProto(result);
    ALT_ASSERT_OK_AND_ASSIGN(const measure::MeasureResult back, FromProto(proto));
    EXPECT_EQ(back.latency, result.latency);
    EXPECT_EQ(back.facts, result.facts);
    EXPECT_EQ(back.disturbed, result.disturbed);
    EXPECT_EQ(ToProto(back).SerializeAsString(), proto.SerializeAsString());
  }
}

TEST(MeasureWireTest, RequestsComeBack) {
  base::Random random(2);
  for (int i = 0; i < 100; ++i) {
    const measure::MeasureRequest request = RandomRequest(random);
    ALT_ASSERT_OK_AND_ASSIGN(const measure::MeasureRequest back, FromProto(ToProto(request)));
    EXPECT_EQ(back.workload, request.workload);
    EXPECT_EQ(back.target, request.target);
    EXPECT_EQ(back.candidates, request.candidates);
    EXPECT_EQ(back.mode, request.mode);
    EXPECT_EQ(back.cache, request.cache);
    EXPECT_EQ(back.incumbent_ns, request.incumbent_ns);
    EXPECT_EQ(back.limits.compile, request.limits.compile);
    EXPECT_EQ(back.limits.run, request.limits.run);
    EXPECT_EQ(back.limits.memory_bytes, request.limits.memory_bytes);
  }
}

TEST(MeasureWireTest, RefusesACandidateThatDoesNotParseAndSaysWhich) {
  base::Random random(5);
  v1::MeasureWork work = ToProto(RandomRequest(random));
  work.clear_candidates();
  work.add_candidates("unroll(conv.h)");
  EXPECT_TRUE(FromProto(work).ok());
  work.add_candidates("unroll(conv.h");
  EXPECT_TRUE(StatusIs(FromProto(work), absl::StatusCode::kInvalidArgument, "candidate 1"));
}

TEST(MeasureWireTest, FactsComeBack) {
  base::Random random(3);
  measure::WorkerFacts facts{
      .target = RandomTarget(random),
      .l1_bytes = 32 << 10,
      .l2_bytes = 1 << 20,
      .peak = measure::Peak{.gflops_1t = 100.5,
                            .gflops = 190.25,
                            .threads = 2,
                            .read_gbs = 20,
                            .caches = {{.level = 1, .bytes = 32 << 10, .read_gbs = 700},
                                       {.level = 2, .bytes = 1 << 20, .read_gbs = 200}},
                            .cpu = "AMD EPYC 9B14, family 0x19 model 0x11"},
      .memory_bytes = int64_t{5} << 30,
      .host = "box",
      .pid = 12,
      .validators = {{"llvm", "19"}}};
  ALT_ASSERT_OK_AND_ASSIGN(const measure::WorkerFacts back, FromProto(ToProto(facts)));
  EXPECT_EQ(back.target, facts.target);
  EXPECT_EQ(back.l2_bytes, facts.l2_bytes);
  EXPECT_EQ(back.peak, facts.peak);
  EXPECT_EQ(back.memory_bytes, facts.memory_bytes);
  EXPECT_EQ(back.host, facts.host);
  EXPECT_EQ(back.validators, facts.validators);
  facts.peak.reset();
  ALT_ASSERT_OK_AND_ASSIGN(const measure::WorkerFacts without, FromProto(ToProto(facts)));
  EXPECT_FALSE(without.peak.has_value());
}

TEST(MeasureWireTest, RefusesLatenciesThatNobodyMeasured) {
  const measure::Latency good{.min_ns = 1, .median_ns = 2, .mad_ns = 0, .n = 3};
  EXPECT_TRUE(FromProto(ToProto(good)).ok());
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, nan, infinity, 3.0}) {
    v1::Latency latency = ToProto(good);
    latency.set_min_ns(bad);
    EXPECT_TRUE(StatusIs(FromProto(latency), absl::StatusCode::kInvalidArgument)) << bad;
  }
  v1::Latency latency = ToProto(good);
  latency.set_n(0);
  EXPECT_TRUE(StatusIs(FromProto(latency), absl::StatusCode::kInvalidArgument, "n: 0"));
}

TEST(MeasureWireTest, RefusesResultsThatContradictThemselves) {
  base::Random random(4);
  v1::MeasureResult ok = ToProto(RandomResult(random, Outcome::kOk));
  ok.clear_latency();
  EXPECT_TRUE(StatusIs(FromProto(ok), absl::StatusCode::kInvalidArgument, "without a latency"));
  v1::MeasureResult failed = ToProto(RandomResult(random, Outcome::kCrashed));
  failed.mutable_latency()->set_min_ns(1);
  EXPECT_TRUE(StatusIs(FromProto(failed), absl::StatusCode::kInvalidArgument, "with a latency"));
  v1::MeasureResult slow = ToProto(RandomResult(random, Outcome::kCrashed));
  slow.mutable_times()->mutable_run()->set_seconds(-1);
  EXPECT_TRUE(StatusIs(FromProto(slow), absl::StatusCode::kInvalidArgument, "negative"));
}

TEST(MeasureWireTest, CutsLongMessages) {
  measure::MeasureResult result{.outcome = Outcome::kCompileError,
                                .message = std::string(100'000, 'x')};
  const v1::MeasureResult proto = ToProto(result);
  EXPECT_EQ(proto.message().size(), size_t{16 << 10});
  EXPECT_TRUE(FromProto(proto).ok());
}

TEST(MeasureWireTest, RefusesSillyLimits) {
  v1::MeasureLimits limits = ToProto(measure::MeasureLimits{});
  limits.mutable_run()->set_seconds(-5);
  EXPECT_TRUE(StatusIs(FromProto(limits), absl::StatusCode::kInvalidArgument, "to run"));
  limits = ToProto(measure::MeasureLimits{});
  limits.set_memory_bytes(1);
  EXPECT_TRUE(StatusIs(FromProto(limits), absl::StatusCode::kInvalidArgument, "memory_bytes"));
}

TEST(MeasureWireTest, RefusesBadFacts) {
  base::Random random(5);
  const measure::WorkerFacts good{.target = RandomTarget(random)};
  ASSERT_TRUE(FromProto(ToProto(good)).ok());
  v1::WorkerFacts facts = ToProto(good);
  facts.set_l1_bytes(0);
  EXPECT_FALSE(FromProto(facts).ok());
  facts = ToProto(good);
  facts.clear_target();
  EXPECT_FALSE(FromProto(facts).ok());
  facts = ToProto(good);
  facts.mutable_peak()->set_gflops(std::nan(""));
  EXPECT_FALSE(FromProto(facts).ok());
  facts = ToProto(good);
  for (int i = 0; i < 100; ++i) (*facts.mutable_validators())["v" + std::to_string(i)] = "";
  EXPECT_FALSE(FromProto(facts).ok());
}

}  // namespace
}  // namespace alt::wire
