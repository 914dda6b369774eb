#include "common/wire/job_wire.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "tests/common/wire/random_values.h"
#include "tests/testing/status_matchers.h"

namespace alt::wire {
namespace {

using testing::StatusIs;

constexpr auto kBad = absl::StatusCode::kInvalidArgument;

workload::Workload Conv() {
  return *workload::Parse("conv2d:n=1,ic=4,ih=6,iw=6,oc=8,kh=3,kw=3,pad=1");
}
target::Target Zen() { return *target::ParseTarget("cpu:mcpu=znver4,vec=512,threads=2"); }
workload::Candidate Blocked() {
  return *workload::ParseCandidate(
      "layout y: split(1,4) reorder(0,1,3,4,2)\nsplit(conv2d.oc, 4)\n");
}
measure::Peak SomePeak() {
  return {.gflops_1t = 1,
          .gflops = 2,
          .threads = 2,
          .read_gbs = 3,
          .caches = {{.level = 1, .bytes = 32 << 10, .read_gbs = 9}}};
}

job::TuneSpec Tune() {
  return {.workload = Conv(),
          .target = Zen(),
          .policy = "evolve",
          .trials = 77,
          .patience = 9,
          .time_limit = absl::Seconds(12),
          .seed = 1ull << 63,
          .loops_only = true,
          .refresh = 4,
          .fixed_layouts = {{"x", {}}, {"y", *layout::Parse("split(1,4)")}},
          .cache = measure::CacheState::kCold};
}
job::BenchSpec Bench() {
  return {.workload = Conv(),
          .target = Zen(),
          .candidate = Blocked(),
          .fixed_layouts = {{"x", {}}},
          .cache = measure::CacheState::kRotate};
}
job::Answer SomeAnswer() {
  return {.source = job::AnswerSource::kNearest,
          .reason = "m=32 instead of 64",
          .record = "0123456789abcdef",
          .candidate = Blocked(),
          .latency = measure::Latency{.min_ns = 1, .median_ns = 2, .mad_ns = 0.5, .n = 7},
          .peak_gflops = 130};
}

template <typename Value>
void ExpectBack(const Value& value) {
  ALT_ASSERT_OK_AND_ASSIGN(const Value back, FromProto(ToProto(value)));
  EXPECT_EQ(back, value);
}

// ---- Specs. -------------------------------------------------------------------------------------

TEST(JobWireTest, SpecsComeBack) {
  job::TuneSpec tune = Tune();
  ExpectBack(job::JobSpec(tune));
  tune.time_limit.reset();
  ExpectBack(job::JobSpec(tune));
  job::BenchSpec bench = Bench();
  ExpectBack(job::JobSpec(bench));
  bench.candidate.reset();
  ExpectBack(job::JobSpec(bench));
  ExpectBack(job::JobSpec(job::PeakSpec{Zen()}));
}

TEST(JobWireTest, ASpecMayBeWrittenAsAUserWould) {
  v1::JobSpec proto = ToProto(job::JobSpec(Tune()));
  proto.mutable_tune()->set_workload("conv2d:oc=8,ic=4,iw=6,ih=6,kw=3,kh=3,pad=1x1,n=1");
  proto.mutable_tune()->set_fixed_layouts("y=split(1, 4),x=plain");
  ALT_ASSERT_OK_AND_ASSIGN(const job::JobSpec spec, FromProto(proto));
  EXPECT_EQ(spec, job::JobSpec(Tune()));
}

TEST(JobWireTest, WhatCannotBeReadIsRefused) {
  EXPECT_TRUE(StatusIs(FromProto(v1::JobSpec()), kBad, "kind"));
  const v1::JobSpec good = ToProto(job::JobSpec(Tune()));
  const auto refused = [&](auto change, const std::string& why) {
    v1::JobSpec spec = good;
    change(*spec.mutable_tune());
    return StatusIs(FromProto(spec), kBad, why);
  };
  EXPECT_TRUE(refused([](auto& tune) { tune.clear_workload(); }, "workload"));
  EXPECT_TRUE(refused([](auto& tune) { tune.set_target("abacus"); }, "abacus"));
  EXPECT_TRUE(refused([](auto& tune) { tune.set_fixed_layouts("x"); }, "TENSOR=LAYOUT"));
  EXPECT_TRUE(refused([](auto& tune) { tune.set_fixed_layouts("x=splat(1)"); }, "layout of x"));
  EXPECT_TRUE(refused([](auto& tune) { tune.set_cache(v1::CACHE_STATE_UNSPECIFIED); }, "cache"));
  EXPECT_TRUE(refused([](auto& tune) { tune.set_trials(0), tune.set_refresh(0); }, "trials"));
  EXPECT_TRUE(refused([](auto& tune) { tune.set_refresh(17); }, "refresh"));
  EXPECT_TRUE(refused([](auto& tune) { tune.set_trials(1'000'001); }, "trials"));
  EXPECT_TRUE(refused([](auto& tune) { tune.set_patience(-1); }, "patience"));
  EXPECT_TRUE(refused([](auto& tune) { tune.mutable_time_limit()->Clear(); }, "not positive"));
  v1::JobSpec bench = ToProto(job::JobSpec(Bench()));
  bench.mutable_bench()->set_candidate("algorithm magic\n");
  EXPECT_TRUE(StatusIs(FromProto(bench), kBad, "magic"));
}

// ---- Jobs. --------------------------------------------------------------------------------------

job::Job SomeJob() {
  return {.id = "j7",
          .spec = Tune(),
          .created = absl::FromUnixSeconds(5),
          .state = job::JobState::kSucceeded,
          .active = absl::Seconds(8)};
}

TEST(JobWireTest, EveryStateComesBackWithItsReason) {
  for (const auto state : {job::JobState::kQueued, job::JobState::kFailed, job::JobState::kStopped}) {
    job::Job job = SomeJob();
    job.state = state;
    job.reason = "because";
    ExpectBack(job);
  }
  job::Job job = SomeJob();
  ExpectBack(job);
  job.state = job::JobState::kRunning;
  job.workers = 3;
  job.activity = "computing the reference";
  ExpectBack(job);
  v1::Job proto = ToProto(job);
  proto.clear_running();
  EXPECT_TRUE(StatusIs(FromProto(proto), kBad, "state"));
}

TEST(JobWireTest, TheProgressOfATuningComesBackWhole) {
  job::Job job = SomeJob();
  const measure::Latency latency{.min_ns = 1, .median_ns = 2, .mad_ns = 0.5, .n = 7};
  job.progress = job::TuneProgress{
      .trials = 3,
      .proposals = 5,
      .outcomes = {{measure::Outcome::kOk, 2}, {measure::Outcome::kCrashed, 1}},
      .propose_seconds = 0.5,
      .seconds = {.build = 2, .check = 0.25, .run = 1, .wait = 3},
      .best = job::BestCandidate{.record = "0123456789abcdef",
                                 .candidate = Blocked(),
                                 .latency = latency,
                                 .peak_gflops = 130},
      .default_latency = latency,
      .disturbed = true,
      .curve = {{.trial = 2, .seconds = 0.5, .best_ns = 9}},
      .machine_peak = SomePeak()};
  ExpectBack(job);
}

TEST(JobWireTest, ABenchComesBackBeforeAndAfterItHasRun) {
  job::Job job = SomeJob();
  job.spec = Bench();
  job.progress = job::BenchProgress{};
  ExpectBack(job);
  base::Random random(1);
  job.progress = job::BenchProgress{.answer = SomeAnswer(),
                                    .result = RandomResult(random, measure::Outcome::kOk)};
  ExpectBack(job);
}

TEST(JobWireTest, APeakComesBackBeforeAndAfterItHasRun) {
  job::Job job = SomeJob();
  job.spec = job::PeakSpec{Zen()};
  job.progress = job::PeakProgress{};
  ExpectBack(job);
  job.progress = job::PeakProgress{SomePeak()};
  ExpectBack(job);
}

TEST(JobWireTest, NumbersThatNoMeasurementGivesAreRefused) {
  v1::Job job = ToProto(SomeJob());
  job.mutable_tune()->mutable_default_latency()->set_median_ns(std::nan(""));
  EXPECT_FALSE(FromProto(job).ok());
  job = ToProto(SomeJob());
  job.mutable_tune()->add_outcomes()->set_count(2);
  EXPECT_FALSE(FromProto(job).ok()) << "an outcome without a name";
}

// ---- Questions and answers. ---------------------------------------------------------------------

TEST(JobWireTest, AQueryComesBack) {
  const job::QuerySpec query{.workload = Conv(),
                             .target = Zen(),
                             .fixed_layouts = {{"x", {}}},
                             .cache = measure::CacheState::kCold,
                             .any_target = true};
  ALT_ASSERT_OK_AND_ASSIGN(const job::QuerySpec back, FromProto(ToProto(query)));
  EXPECT_EQ(back.workload, query.workload);
  EXPECT_EQ(back.target, query.target);
  EXPECT_EQ(back.fixed_layouts, query.fixed_layouts);
  EXPECT_EQ(back.cache, query.cache);
  EXPECT_TRUE(back.any_target);
}

TEST(JobWireTest, AnAnswerSaysWhereItIsFrom) {
  job::Answer answer = SomeAnswer();
  for (const auto source : {job::AnswerSource::kExact, job::AnswerSource::kNearest,
                            job::AnswerSource::kDefault, job::AnswerSource::kGiven}) {
    answer.source = source;
    ExpectBack(answer);
    EXPECT_EQ(v1::AnswerSource_Name(ToProto(answer).source()),
              "ANSWER_SOURCE_" + absl::AsciiStrToUpper(AnswerSourceName(source)));
  }
  answer.latency.reset();
  answer.peak_gflops.reset();
  ExpectBack(answer);
  v1::Answer proto = ToProto(answer);
  proto.set_source(v1::ANSWER_SOURCE_UNSPECIFIED);
  EXPECT_TRUE(StatusIs(FromProto(proto), kBad, "source"));
}

TEST(JobWireTest, WorkersComeBack) {
  const job::WorkerStatus worker{.name = "w0",
                                 .facts = {.target = Zen(), .l2_bytes = 2 << 20},
                                 .last_seen = absl::Seconds(9),
                                 .job = "j1",
                                 .draining = true,
                                 .measured = 12};
  ALT_ASSERT_OK_AND_ASSIGN(const job::WorkerStatus back, FromProto(ToProto(worker)));
  EXPECT_EQ(back.name, "w0");
  EXPECT_EQ(back.facts.target, Zen());
  EXPECT_EQ(back.facts.l2_bytes, 2 << 20);
  EXPECT_EQ(back.last_seen, absl::Seconds(9));
  EXPECT_EQ(back.job, "j1");
  EXPECT_TRUE(back.draining);
  EXPECT_EQ(back.measured, 12);
}

TEST(JobWireTest, ReportsComeBack) {
  const job::Stats stats{.records = 4,
                         .workloads = 3,
                         .targets = {Zen()},
                         .duplicates = 1,
                         .bytes = 1 << 20,
                         .jobs = 2};
  v1::StatsResponse proto = ToProto(stats);
  ALT_ASSERT_OK_AND_ASSIGN(const job::Stats back, FromProto(proto));
  EXPECT_EQ(back.records, 4);
  EXPECT_EQ(back.workloads, 3);
  EXPECT_EQ(back.targets, stats.targets);
  EXPECT_EQ(back.duplicates, 1);
  EXPECT_EQ(back.bytes, 1 << 20);
  EXPECT_EQ(back.jobs, 2);
  proto.add_targets("");
  EXPECT_FALSE(FromProto(proto).ok()) << "a target without a kind";

  const job::VerifyReport verify = FromProto(ToProto(job::VerifyReport{5, {"a", "b"}}));
  EXPECT_EQ(verify.records, 5);
  EXPECT_EQ(verify.problems, (std::vector<std::string>{"a", "b"}));
  const job::ReplayReport replay = FromProto(ToProto(job::ReplayReport{true, 7, "x"}));
  EXPECT_TRUE(replay.identical);
  EXPECT_EQ(replay.proposals, 7);
  EXPECT_EQ(replay.first_difference, "x");
}

}  // namespace
}  // namespace alt::wire
