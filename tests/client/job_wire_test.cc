#include "client/job_wire.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/wire/layout_wire.h"
#include "common/wire/measure_wire.h"
#include "common/wire/target_wire.h"
#include "common/wire/time_wire.h"
#include "common/wire/trace_wire.h"
#include "common/wire/workload_wire.h"
#include "tests/testing/status_matchers.h"

namespace alt::client {
namespace {

using testing::StatusIs;

constexpr char kConv[] = "conv2d:n=1,ic=4,ih=6,iw=6,oc=8,kh=3,kw=3,pad=1";
constexpr char kTarget[] = "cpu:mcpu=znver4,vec=512,threads=2";

workload::Candidate TestCandidate() {
  workload::Candidate candidate;
  candidate.layouts["y"] = *layout::Parse("split(1,4) reorder(0,1,3,4,2)");
  candidate.trace = *schedule::Parse("split(conv2d.oc, 4)\n");
  return candidate;
}

job::TuneSpec TestTune() {
  return {.workload = *workload::Parse(kConv),
          .target = *target::ParseTarget(kTarget),
          .policy = "evolve",
          .trials = 77,
          .patience = 9,
          .time_limit = absl::Seconds(12),
          .seed = 1ull << 63,
          .loops_only = true,
          .fixed_layouts = {{"x", {}}, {"y", *layout::Parse("split(1,4)")}},
          .cache = measure::CacheState::kCold};
}

// A job with the parts that every job has.
v1::Job TestJob() {
  v1::Job job;
  job.set_job_id("j7");
  *job.mutable_spec() = ToProto(JobSpec(TestTune()));
  *job.mutable_create_time() = wire::ToProto(absl::FromUnixSeconds(5));
  job.mutable_succeeded();
  return job;
}

TEST(JobWireTest, ATuneSpecRoundTrips) {
  const job::TuneSpec spec = TestTune();
  ALT_ASSERT_OK_AND_ASSIGN(const job::JobSpec read, FromProto(ToProto(job::JobSpec(spec))));
  const auto& back = std::get<job::TuneSpec>(read);
  EXPECT_EQ(workload::Print(back.workload), workload::Print(spec.workload));
  EXPECT_EQ(target::PrintTarget(back.target), kTarget);
  EXPECT_EQ(back.policy, "evolve");
  EXPECT_EQ(back.trials, 77);
  EXPECT_EQ(back.patience, 9);
  EXPECT_EQ(back.time_limit, absl::Seconds(12));
  EXPECT_EQ(back.seed, 1ull << 63);
  EXPECT_TRUE(back.loops_only);
  ASSERT_EQ(back.fixed_layouts.size(), 2u);
  EXPECT_EQ(layout::Print(back.fixed_layouts.at("x")), "");
  EXPECT_EQ(layout::Print(back.fixed_layouts.at("y")), "split(1,4)");
  EXPECT_EQ(back.cache, measure::CacheState::kCold);
}

TEST(JobWireTest, ATimeLimitThatIsNotGivenStaysSo) {
  job::TuneSpec spec = TestTune();
  spec.time_limit.reset();
  ALT_ASSERT_OK_AND_ASSIGN(const job::JobSpec read, FromProto(ToProto(job::JobSpec(spec))));
  EXPECT_EQ(std::get<job::TuneSpec>(read).time_limit, std::nullopt);
}

TEST(JobWireTest, ABenchSpecRoundTripsWithAndWithoutACandidate) {
  job::BenchSpec spec{.workload = *workload::Parse(kConv),
                      .target = *target::ParseTarget(kTarget),
                      .candidate = TestCandidate(),
                      .fixed_layouts = {{"x", {}}},
                      .cache = measure::CacheState::kRotate};
  ALT_ASSERT_OK_AND_ASSIGN(const job::JobSpec read, FromProto(ToProto(job::JobSpec(spec))));
  const auto& back = std::get<job::BenchSpec>(read);
  ASSERT_TRUE(back.candidate.has_value());
  EXPECT_EQ(workload::Print(*back.candidate), workload::Print(*spec.candidate));
  EXPECT_EQ(back.fixed_layouts.size(), 1u);
  EXPECT_EQ(back.cache, measure::CacheState::kRotate);
  spec.candidate.reset();
  ALT_ASSERT_OK_AND_ASSIGN(const job::JobSpec plain, FromProto(ToProto(job::JobSpec(spec))));
  EXPECT_FALSE(std::get<job::BenchSpec>(plain).candidate.has_value());
}

TEST(JobWireTest, APeakSpecRoundTrips) {
  const job::PeakSpec spec{*target::ParseTarget(kTarget)};
  ALT_ASSERT_OK_AND_ASSIGN(const job::JobSpec read, FromProto(ToProto(job::JobSpec(spec))));
  EXPECT_EQ(target::PrintTarget(std::get<job::PeakSpec>(read).target), kTarget);
}

TEST(JobWireTest, ASpecOfAnUnknownKindOrWithABadPartIsRefused) {
  EXPECT_TRUE(StatusIs(FromProto(v1::JobSpec()), absl::StatusCode::kInvalidArgument, "kind"));
  v1::JobSpec spec = ToProto(JobSpec(TestTune()));
  spec.mutable_tune()->clear_workload();
  EXPECT_TRUE(StatusIs(FromProto(spec), absl::StatusCode::kInvalidArgument, "workload"));
  spec = ToProto(JobSpec(TestTune()));
  spec.mutable_tune()->clear_target();
  EXPECT_FALSE(FromProto(spec).ok());
  spec = ToProto(JobSpec(TestTune()));
  spec.mutable_tune()->set_cache(v1::CACHE_STATE_UNSPECIFIED);
  EXPECT_FALSE(FromProto(spec).ok());
}

TEST(JobWireTest, EveryStateIsReadWithItsReason) {
  v1::Job job = TestJob();
  const auto read = [&] {
    auto out = FromProto(job);
    EXPECT_TRUE(testing::IsOk(out));
    return out.ok() ? *std::move(out) : Job();
  };
  EXPECT_EQ(read().state, job::JobState::kSucceeded);
  EXPECT_EQ(read().id, "j7");
  EXPECT_EQ(read().created, absl::FromUnixSeconds(5));
  job.mutable_queued()->set_reason("no worker");
  EXPECT_EQ(read().state, job::JobState::kQueued);
  EXPECT_EQ(read().reason, "no worker");
  job.mutable_running()->set_workers(3);
  EXPECT_EQ(read().state, job::JobState::kRunning);
  EXPECT_EQ(read().workers, 3);
  job.mutable_failed()->set_reason("disk full");
  EXPECT_EQ(read().state, job::JobState::kFailed);
  EXPECT_EQ(read().reason, "disk full");
  job.mutable_stopped()->set_reason("cancelled");
  EXPECT_EQ(read().state, job::JobState::kStopped);
  EXPECT_EQ(read().reason, "cancelled");
  job.clear_stopped();
  EXPECT_TRUE(StatusIs(FromProto(job), absl::StatusCode::kInvalidArgument, "state"));
}

TEST(JobWireTest, TheProgressOfATuningIsReadWhole) {
  v1::Job job = TestJob();
  v1::TuneProgress& tune = *job.mutable_tune();
  tune.set_trials(3);
  tune.set_proposals(5);
  v1::OutcomeCount& ok = *tune.add_outcomes();
  ok.set_outcome(v1::OUTCOME_OK);
  ok.set_count(3);
  *tune.mutable_wall() = wire::ToProto(absl::Seconds(8));
  *tune.mutable_times()->mutable_build() = wire::ToProto(absl::Seconds(2));
  const measure::Latency latency{.min_ns = 1, .median_ns = 2, .mad_ns = 0.5, .n = 7};
  tune.mutable_best()->set_record_id("r1");
  *tune.mutable_best()->mutable_candidate() = wire::ToProto(TestCandidate());
  *tune.mutable_best()->mutable_latency() = wire::ToProto(latency);
  tune.mutable_best()->set_peak_gflops(130);
  *tune.mutable_default_latency() = wire::ToProto(latency);
  tune.add_curve()->set_trial(2);
  tune.mutable_curve(0)->set_best_ns(9);
  *tune.mutable_machine_peak() =
      wire::ToProto(measure::Peak{.gflops_1t = 1, .gflops = 2, .threads = 2, .read_gbs = 3});
  ALT_ASSERT_OK_AND_ASSIGN(const job::Job read, FromProto(job));
  const auto& progress = std::get<job::TuneProgress>(read.progress);
  EXPECT_EQ(progress.trials, 3);
  EXPECT_EQ(progress.proposals, 5);
  EXPECT_EQ(progress.outcomes.at(measure::Outcome::kOk), 3);
  EXPECT_EQ(progress.wall_seconds, 8);
  EXPECT_EQ(progress.seconds.build, 2);
  EXPECT_EQ(progress.best->record, "r1");
  EXPECT_EQ(workload::Print(progress.best->candidate), workload::Print(TestCandidate()));
  EXPECT_EQ(progress.best->latency.median_ns, 2);
  EXPECT_EQ(progress.best->peak_gflops, 130);
  EXPECT_EQ(progress.default_latency->n, 7);
  ASSERT_EQ(progress.curve.size(), 1u);
  EXPECT_EQ(progress.curve[0].trial, 2);
  EXPECT_EQ(progress.curve[0].best_ns, 9);
  EXPECT_EQ(progress.machine_peak->read_gbs, 3);
}

TEST(JobWireTest, ABenchThatHasNotRunHasChosenNothing) {
  v1::Job job = TestJob();
  job.mutable_bench();
  ALT_ASSERT_OK_AND_ASSIGN(const job::Job waits, FromProto(job));
  EXPECT_FALSE(std::get<job::BenchProgress>(waits.progress).result.has_value());
  v1::BenchProgress& bench = *job.mutable_bench();
  bench.set_source(v1::ANSWER_SOURCE_NEAREST);
  bench.set_reason("m=32 instead of 64");
  *bench.mutable_candidate() = wire::ToProto(TestCandidate());
  *bench.mutable_result() = wire::ToProto(measure::MeasureResult{
      .outcome = measure::Outcome::kCompileError, .message = "no registers"});
  ALT_ASSERT_OK_AND_ASSIGN(const job::Job done, FromProto(job));
  const auto& progress = std::get<job::BenchProgress>(done.progress);
  EXPECT_EQ(progress.source, job::AnswerSource::kNearest);
  EXPECT_EQ(progress.reason, "m=32 instead of 64");
  EXPECT_EQ(progress.result->message, "no registers");
}

TEST(JobWireTest, APeakIsReadOnceItIsThere) {
  v1::Job job = TestJob();
  job.mutable_peak();
  ALT_ASSERT_OK_AND_ASSIGN(const job::Job waits, FromProto(job));
  EXPECT_FALSE(std::get<job::PeakProgress>(waits.progress).peak.has_value());
  *job.mutable_peak()->mutable_peak() =
      wire::ToProto(measure::Peak{.gflops_1t = 1, .gflops = 2, .threads = 2, .read_gbs = 3});
  ALT_ASSERT_OK_AND_ASSIGN(const job::Job done, FromProto(job));
  EXPECT_EQ(std::get<job::PeakProgress>(done.progress).peak->gflops, 2);
}

TEST(JobWireTest, NumbersThatNoMeasurementGivesAreRefused) {
  v1::Job job = TestJob();
  job.mutable_tune()->mutable_default_latency()->set_median_ns(std::nan(""));
  EXPECT_FALSE(FromProto(job).ok());
  job = TestJob();
  job.mutable_tune()->add_outcomes()->set_count(2);
  EXPECT_FALSE(FromProto(job).ok()) << "an outcome without a name";
}

TEST(JobWireTest, AnAnswerSaysWhereItIsFrom) {
  const job::QuerySpec query{.workload = *workload::Parse(kConv),
                             .target = *target::ParseTarget(kTarget),
                             .fixed_layouts = {{"x", {}}},
                             .any_target = true};
  EXPECT_TRUE(ToProto(query).any_target());
  EXPECT_EQ(ToProto(query).fixed_layouts_size(), 1);
  v1::QueryResponse response;
  EXPECT_TRUE(StatusIs(FromProto(response), absl::StatusCode::kInvalidArgument, "source"));
  response.set_source(v1::ANSWER_SOURCE_EXACT);
  response.set_record_id("r1");
  *response.mutable_candidate() = wire::ToProto(TestCandidate());
  response.set_peak_gflops(130);
  ALT_ASSERT_OK_AND_ASSIGN(const job::Answer answer, FromProto(response));
  EXPECT_EQ(answer.source, job::AnswerSource::kExact);
  EXPECT_EQ(AnswerSourceName(answer.source), "exact");
  EXPECT_EQ(answer.record, "r1");
  EXPECT_FALSE(answer.latency.has_value());
  EXPECT_EQ(answer.peak_gflops, 130);
}

TEST(JobWireTest, WorkersAndStatsAreRead) {
  v1::WorkerStatus worker;
  worker.set_worker_name("w0");
  *worker.mutable_facts()->mutable_target() = wire::ToProto(*target::ParseTarget(kTarget));
  worker.mutable_facts()->set_l1_bytes(32768);
  worker.mutable_facts()->set_l2_bytes(1 << 20);
  *worker.mutable_last_seen() = wire::ToProto(absl::Seconds(9));
  worker.set_job_id("j1");
  worker.set_draining(true);
  worker.set_measured(12);
  ALT_ASSERT_OK_AND_ASSIGN(const job::WorkerStatus status, FromProto(worker));
  EXPECT_EQ(status.name, "w0");
  EXPECT_EQ(status.facts.l2_bytes, 1 << 20);
  EXPECT_EQ(status.last_seen, absl::Seconds(9));
  EXPECT_EQ(status.job, "j1");
  EXPECT_TRUE(status.draining);
  EXPECT_EQ(status.measured, 12);

  v1::StatsResponse response;
  response.set_records(4);
  response.set_duplicates(1);
  *response.add_targets() = wire::ToProto(*target::ParseTarget(kTarget));
  ALT_ASSERT_OK_AND_ASSIGN(const job::Stats stats, FromProto(response));
  EXPECT_EQ(stats.records, 4);
  EXPECT_EQ(stats.duplicates, 1);
  ASSERT_EQ(stats.targets.size(), 1u);
  response.add_targets();
  EXPECT_FALSE(FromProto(response).ok()) << "a target without a kind";
}

}  // namespace
}  // namespace alt::client
