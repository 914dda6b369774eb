#include "server/service/job_proto.h"

#include <gtest/gtest.h>

#include "common/wire/layout_wire.h"
#include "common/wire/target_wire.h"
#include "common/wire/time_wire.h"
#include "common/wire/trace_wire.h"
#include "common/wire/workload_wire.h"
#include "server/store/memory_tuning_store.h"
#include "tests/server/service/harness.h"
#include "tests/testing/status_matchers.h"

namespace alt::service {
namespace {

using testing::StatusIs;

v1::JobSpec TuneSpecProto() {
  v1::JobSpec spec;
  v1::TuneSpec& tune = *spec.mutable_tune();
  *tune.mutable_workload() = wire::ToProto(TestWorkload());
  *tune.mutable_target() = wire::ToProto(TestTarget());
  tune.set_policy("random");
  tune.set_trials(8);
  tune.set_seed(3);
  tune.set_cache(v1::CACHE_STATE_WARM);
  return spec;
}

store::Job StoredJob() {
  store::Job job{.id = "j1", .created = absl::FromUnixSeconds(7)};
  job.spec = *ReadSpec(TuneSpecProto());
  return job;
}

class JobProtoTest : public ::testing::Test {
 protected:
  v1::Job Proto(const store::Job& job, const LiveFacts& facts = {}) const {
    auto out = ToProto(job, facts, *store_);
    EXPECT_TRUE(testing::IsOk(out));
    return out.ok() ? *std::move(out) : v1::Job();
  }
  const std::unique_ptr<store::TuningStore> store_ = store::MakeMemoryTuningStore();
};

TEST_F(JobProtoTest, ATimeLimitIsReadAsTheStoreKeepsIt) {
  v1::JobSpec proto = TuneSpecProto();
  *proto.mutable_tune()->mutable_time_limit() =
      wire::ToProto(absl::Seconds(1) + absl::Nanoseconds(1500));
  ALT_ASSERT_OK_AND_ASSIGN(const store::JobSpec spec, ReadSpec(proto));
  store::Job job{.id = "j1", .request_id = "request-1", .spec = spec};
  ALT_ASSERT_OK(store_->CommitAndWait({store::CreateJob{job}}));
  EXPECT_EQ(store_->GetJob("j1")->spec, spec);
  *proto.mutable_tune()->mutable_time_limit() = wire::ToProto(absl::Nanoseconds(999));
  EXPECT_TRUE(StatusIs(ReadSpec(proto), absl::StatusCode::kInvalidArgument, "not positive"));
}

TEST_F(JobProtoTest, ASpecIsStoredAsCanonicalText) {
  v1::JobSpec proto = TuneSpecProto();
  (*proto.mutable_tune()->mutable_fixed_layouts())["a"] =
      wire::ToProto(*layout::Parse("split(1, 8)"));
  ALT_ASSERT_OK_AND_ASSIGN(const store::JobSpec spec, ReadSpec(proto));
  EXPECT_EQ(spec.kind, store::JobKind::kTune);
  EXPECT_EQ(spec.workload, workload::Print(TestWorkload()));
  EXPECT_EQ(spec.target, target::PrintTarget(TestTarget()));
  EXPECT_EQ(spec.fixed_layouts.at("a"), "split(1,8)");
  EXPECT_EQ(spec.trials, 8);
  EXPECT_EQ(spec.seed, 3u);
  EXPECT_FALSE(spec.time_limit.has_value());
}

TEST_F(JobProtoTest, WhatCannotBeReadIsRefused) {
  const auto refused = [](const v1::JobSpec& spec, const std::string& why) {
    return StatusIs(ReadSpec(spec), absl::StatusCode::kInvalidArgument, why);
  };
  EXPECT_TRUE(refused(v1::JobSpec(), "kind"));
  v1::JobSpec spec = TuneSpecProto();
  spec.mutable_tune()->clear_workload();
  EXPECT_TRUE(refused(spec, "workload"));
  spec = TuneSpecProto();
  (*spec.mutable_tune()->mutable_fixed_layouts())[std::string(1000, 'x')] = {};
  EXPECT_TRUE(refused(spec, "tensor"));
  spec = TuneSpecProto();
  for (int i = 0; i < 1000; ++i) {
    (*spec.mutable_tune()->mutable_fixed_layouts())[absl::StrCat("t", i)] = {};
  }
  EXPECT_TRUE(refused(spec, "fixed layouts"));
  spec = TuneSpecProto();
  *spec.mutable_tune()->mutable_time_limit() = wire::ToProto(absl::ZeroDuration());
  EXPECT_FALSE(ReadSpec(spec).ok()) << "a job that may take no time";
}

TEST_F(JobProtoTest, ACandidateToBenchHasATextThatReadsAsItself) {
  const auto bench = [](const workload::Candidate& candidate) {
    v1::JobSpec spec;
    *spec.mutable_bench()->mutable_workload() = wire::ToProto(TestWorkload());
    *spec.mutable_bench()->mutable_target() = wire::ToProto(TestTarget());
    *spec.mutable_bench()->mutable_candidate() = wire::ToProto(candidate);
    spec.mutable_bench()->set_cache(v1::CACHE_STATE_WARM);
    return ReadSpec(spec);
  };
  workload::Candidate plain;
  plain.layouts["a"] = {};
  ALT_ASSERT_OK_AND_ASSIGN(const store::JobSpec stored, bench(plain));
  EXPECT_EQ(stored.candidate, workload::Print(plain));
  const auto bad = absl::StatusCode::kInvalidArgument;
  for (const char* axis : {"m)", "m,n", "m#", "m)unroll(matmul.n"}) {
    workload::Candidate candidate;
    candidate.trace.instructions = {schedule::Unroll{.stage = "matmul", .axis = axis}};
    EXPECT_TRUE(StatusIs(bench(candidate), bad)) << axis;
  }
  for (const char* tensor : {"a:", "a#"}) {
    workload::Candidate candidate;
    candidate.layouts[tensor] = *layout::Parse("fuse(0,1)");
    EXPECT_TRUE(StatusIs(bench(candidate), bad)) << tensor;
  }
}

TEST_F(JobProtoTest, TheStateSaysWhatAJobWaitsFor) {
  store::Job job = StoredJob();
  job.reason = "no worker for it";
  EXPECT_EQ(Proto(job).queued().reason(), "no worker for it");
  job.state = job::JobState::kRunning;
  EXPECT_EQ(Proto(job, {.workers = 3}).running().workers(), 3);
  // Nobody can work on it any more: it waits, though it has begun.
  EXPECT_EQ(Proto(job, {.waits_for = "no worker"}).queued().reason(), "no worker");
  job.state = job::JobState::kSucceeded;
  EXPECT_TRUE(Proto(job).has_succeeded());
  job.state = job::JobState::kFailed;
  EXPECT_EQ(Proto(job).failed().reason(), "no worker for it");
  job.state = job::JobState::kStopped;
  EXPECT_EQ(Proto(job).stopped().reason(), "no worker for it");
  EXPECT_EQ(Proto(job).create_time().seconds(), 7);
}

TEST_F(JobProtoTest, TheProgressAddsUpAndNamesItsBest) {
  const workload::Candidate candidate;
  store::AddMeasurement add{.key = {workload::Print(TestWorkload()),
                                    target::PrintTarget(TestTarget()), workload::Print(candidate)}};
  add.result.outcome = measure::Outcome::kOk;
  add.result.latency = {.min_ns = 9, .median_ns = 10, .mad_ns = 1, .n = 3};
  ALT_ASSERT_OK(store_->CommitAndWait({add}));
  store::Job job = StoredJob();
  job.state = job::JobState::kRunning;
  job.progress.trials = 4;
  job.progress.outcomes = {{measure::Outcome::kOk, 3}, {measure::Outcome::kCrashed, 1}};
  job.progress.best_record = store_->ListRecords({})[0].id;
  job.progress.best_latency = add.result.latency;
  job.progress.best_peak_gflops = 55;
  job.progress.curve = {{.trial = 2, .seconds = 0.5, .best_ns = 10}};
  const v1::Job proto = Proto(
      job, {.peak = measure::Peak{.gflops_1t = 60, .gflops = 60, .threads = 1, .read_gbs = 9}});
  EXPECT_EQ(proto.tune().trials(), 4);
  EXPECT_EQ(proto.tune().outcomes_size(), 2);
  EXPECT_EQ(proto.tune().best().record_id(), job.progress.best_record);
  EXPECT_EQ(proto.tune().best().candidate().algorithm(), "direct");
  EXPECT_EQ(proto.tune().best().latency().median_ns(), 10);
  EXPECT_EQ(proto.tune().best().peak_gflops(), 55);
  EXPECT_EQ(proto.tune().machine_peak().gflops_1t(), 60);
  ASSERT_EQ(proto.tune().curve_size(), 1);
  EXPECT_EQ(proto.tune().curve(0).trial(), 2);
  ALT_ASSERT_OK_AND_ASSIGN(const v1::Job listed, ToListProto(job));
  EXPECT_EQ(listed.tune().trials(), 4);
  EXPECT_FALSE(listed.tune().has_best()) << "lists are short";
}

TEST_F(JobProtoTest, AJobWhoseTextsNoLongerParseIsAnInternalError) {
  store::Job job = StoredJob();
  job.spec.workload = "conv9d:n=1";
  EXPECT_TRUE(StatusIs(ToProto(job, {}, *store_), absl::StatusCode::kInternal, "j1"));
  EXPECT_TRUE(StatusIs(ToListProto(job), absl::StatusCode::kInternal, "j1"));
}

TEST_F(JobProtoTest, ProgressOfOneMeasurementPrintsAndParses) {
  v1::PeakProgress peak;
  peak.mutable_peak()->set_gflops(12.5);
  ALT_ASSERT_OK_AND_ASSIGN(const v1::PeakProgress back, ParsePeakProgress(PrintProgress(peak)));
  EXPECT_EQ(back.peak().gflops(), 12.5);
  ALT_ASSERT_OK_AND_ASSIGN(const v1::BenchProgress none, ParseBenchProgress(""));
  EXPECT_FALSE(none.has_result());
  EXPECT_FALSE(ParseBenchProgress("{\"source\": 7").ok());
}

TEST_F(JobProtoTest, SourcesHaveNames) {
  EXPECT_EQ(SourceName(BestResult::Source::kExact), "exact");
  EXPECT_EQ(SourceName(BestResult::Source::kNearest), "nearest");
  EXPECT_EQ(SourceName(BestResult::Source::kDefault), "default");
  EXPECT_EQ(ToProto(BestResult::Source::kNearest), v1::ANSWER_SOURCE_NEAREST);
}

}  // namespace
}  // namespace alt::service
