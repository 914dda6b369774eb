// Tuning jobs through the whole service.
#include <gtest/gtest.h>

#include <variant>

#include "absl/synchronization/notification.h"
#include "tests/server/service/harness.h"
#include "tests/testing/status_matchers.h"

namespace alt::service {
namespace {

using job::Job;
using job::JobState;
using testing::StatusIs;

int64_t Sum(const std::map<measure::Outcome, int64_t>& outcomes) {
  int64_t out = 0;
  for (const auto& [outcome, count] : outcomes) out += count;
  return out;
}

const job::TuneProgress& Tune(const Job& job) { return std::get<job::TuneProgress>(job.progress); }

TEST(JobsTest, ATuningJobRunsToItsEnd) {
  TestServer server;
  TestWorker worker(server.address(), {});
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(const Job created, client->CreateJob(TestTune(24), "request-1"));
  int states = 0;
  ALT_ASSERT_OK_AND_ASSIGN(const Job job,
                           client->WatchJob(created.id, [&](const Job&) { ++states; }));
  EXPECT_EQ(job.state, JobState::kSucceeded) << job.reason;
  EXPECT_GE(states, 1);
  EXPECT_EQ(Tune(job).trials, 24);
  EXPECT_EQ(Sum(Tune(job).outcomes), 24);
  ASSERT_TRUE(Tune(job).best.has_value());
  ASSERT_TRUE(Tune(job).default_latency.has_value());
  EXPECT_LE(Tune(job).best->latency.median_ns, Tune(job).default_latency->median_ns);
  EXPECT_FALSE(Tune(job).curve.empty());

  ALT_ASSERT_OK_AND_ASSIGN(const auto record, client->GetRecord(Tune(job).best->record));
  EXPECT_EQ(record.candidate, Tune(job).best->candidate);
  ALT_ASSERT_OK_AND_ASSIGN(const job::Answer answer,
                           client->Query({.workload = TestWorkload(), .target = TestTarget()}));
  EXPECT_EQ(answer.source, job::AnswerSource::kExact);
  EXPECT_EQ(answer.record, record.id);
  ALT_ASSERT_OK_AND_ASSIGN(const job::Stats stats, client->GetStats());
  EXPECT_GE(stats.records, 24);
  EXPECT_EQ(stats.duplicates, 0);
  EXPECT_EQ(stats.jobs, 1);
  ALT_ASSERT_OK_AND_ASSIGN(const job::ReplayReport replay, client->Replay(job.id));
  EXPECT_TRUE(replay.identical) << replay.first_difference;
  EXPECT_GE(replay.proposals, 24);
}

TEST(JobsTest, FailuresOfCandidatesAreCounted) {
  TestServer server;
  TestWorker worker(server.address(), {.measurer = {.failure_rate = 0.5}});
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(Job job, client->CreateJob(TestTune(32), "request-1"));
  ALT_ASSERT_OK_AND_ASSIGN(job, client->WatchJob(job.id, [](const Job&) {}));
  EXPECT_EQ(Sum(Tune(job).outcomes), 32);
  EXPECT_GT(Tune(job).outcomes.size(), 1u);
}

TEST(JobsTest, TheSameRequestMakesOneJob) {
  TestServer server;
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(const Job first, client->CreateJob(TestTune(8), "request-1"));
  ALT_ASSERT_OK_AND_ASSIGN(const Job second, client->CreateJob(TestTune(8), "request-1"));
  EXPECT_EQ(first.id, second.id);
  ALT_ASSERT_OK_AND_ASSIGN(const Job other, client->CreateJob(TestTune(8), "request-2"));
  EXPECT_NE(first.id, other.id);
  EXPECT_TRUE(StatusIs(client->CreateJob(TestTune(9), "request-1"),
                       absl::StatusCode::kInvalidArgument, "something else"));
  ALT_ASSERT_OK_AND_ASSIGN(const std::vector<Job> jobs, client->ListJobs(10));
  EXPECT_EQ(jobs.size(), 2u);
}

TEST(JobsTest, BadJobsAreRefused) {
  TestServer server;
  const auto client = server.Connect();
  const auto refused = [&](const job::JobSpec& spec, const std::string& why) {
    return StatusIs(client->CreateJob(spec, client::NewRequestId()),
                    absl::StatusCode::kInvalidArgument, why);
  };
  job::TuneSpec spec = TestTune(8);
  spec.policy = "magic";
  EXPECT_TRUE(refused(spec, "magic"));
  EXPECT_TRUE(refused(TestTune(0), "trials"));
  EXPECT_TRUE(refused(TestTune(int64_t{1} << 40), "trials"));
  spec = TestTune(8);
  spec.fixed_layouts["nosuch"] = {};
  EXPECT_TRUE(refused(spec, "nosuch"));
  spec = TestTune(8);
  spec.time_limit = -absl::Seconds(1);
  EXPECT_TRUE(refused(spec, "time limit"));
  EXPECT_TRUE(StatusIs(client->CreateJob(TestTune(8), "short"), absl::StatusCode::kInvalidArgument,
                       "request id"));
}

// Of 40 MiB.
job::TuneSpec LargeTune() {
  job::TuneSpec spec = TestTune(8);
  spec.workload = TestWorkload("matmul:m=1024,n=1024,k=1024");
  return spec;
}

TEST(JobsTest, WhatNoWorkerHasTheMemoryForIsRefusedWhenItIsMade) {
  TestServer server;
  const TestWorker small(server.address(), {.name = "w0", .memory_bytes = 16 << 20});
  const auto client = server.Connect();
  const auto create = [&](const job::JobSpec& spec) {
    return client->CreateJob(spec, client::NewRequestId());
  };
  ASSERT_TRUE(Eventually([&] { return client->ListWorkers()->size() == 1; }));
  const auto code = absl::StatusCode::kFailedPrecondition;
  EXPECT_TRUE(StatusIs(create(LargeTune()), code, "GiB, the worker has 0.0"));
  EXPECT_TRUE(
      StatusIs(create(job::BenchSpec{.workload = LargeTune().workload, .target = TestTarget()}),
               code, "the worker has"));
  // One that has more counts.
  const TestWorker large(server.address(), {.name = "w1", .memory_bytes = int64_t{1} << 30});
  ASSERT_TRUE(Eventually([&] { return client->ListWorkers()->size() == 2; }));
  ALT_EXPECT_OK(create(LargeTune()));
}

TEST(JobsTest, WhatNoMachineHasTheMemoryForNeedsNoWorkerToBeRefused) {
  TestServer server;
  job::TuneSpec spec = TestTune(8);
  spec.workload = TestWorkload("matmul:m=1000000,n=1000000,k=1000000");
  EXPECT_TRUE(StatusIs(server.Connect()->CreateJob(spec, client::NewRequestId()),
                       absl::StatusCode::kFailedPrecondition, "more than any machine has"));
}

TEST(JobsTest, AJobThatItsFirstWorkerHasNoMemoryForFailsBeforeItsFirstTrial) {
  TestServer server;
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(const Job created, client->CreateJob(LargeTune(), "request-1"));
  const TestWorker small(server.address(), {.memory_bytes = 16 << 20});
  ALT_ASSERT_OK_AND_ASSIGN(const Job job, client->WatchJob(created.id, [](const Job&) {}));
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_NE(job.reason.find("the worker has"), std::string::npos) << job.reason;
}

TEST(JobsTest, UnknownJobsAreNotFound) {
  TestServer server;
  const auto client = server.Connect();
  const auto code = absl::StatusCode::kNotFound;
  EXPECT_TRUE(StatusIs(client->WatchJob("j99", [](const Job&) {}), code, "j99"));
  EXPECT_TRUE(StatusIs(client->CancelJob("j99"), code));
  EXPECT_TRUE(StatusIs(client->ResumeJob("j99"), code));
  EXPECT_TRUE(StatusIs(client->Replay("j99"), code));
  EXPECT_TRUE(StatusIs(client->GetRecord("0123456789abcdef"), code));
}

TEST(JobsTest, AJobWaitsForAWorkerAndSaysSo) {
  TestServer server;
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(const Job created, client->CreateJob(TestTune(8), "request-1"));
  std::unique_ptr<TestWorker> worker;
  std::string reason;
  ALT_ASSERT_OK_AND_ASSIGN(const Job job, client->WatchJob(created.id, [&](const Job& state) {
    if (worker || state.reason.empty()) return;
    reason = state.reason;
    worker = std::make_unique<TestWorker>(server.address(), TestWorker::Options{});
  }));
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(reason, "no worker for " + target::PrintTarget(TestTarget()));
}

TEST(JobsTest, AStoppedJobGoesOnWhereItWas) {
  TestServer server;
  absl::Notification go_on;
  std::atomic<int> batches{0};
  TestWorker worker(server.address(), {.before_measure = [&] {
                      if (++batches == 4) go_on.WaitForNotification();
                    }});
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(Job job, client->CreateJob(TestTune(64), "request-1"));
  ASSERT_TRUE(Eventually([&] { return batches == 4; }));
  ALT_ASSERT_OK_AND_ASSIGN(const Job stopped, client->CancelJob(job.id));
  EXPECT_EQ(stopped.state, JobState::kStopped);
  EXPECT_EQ(stopped.reason, "cancelled");
  EXPECT_LT(Tune(stopped).trials, 64);
  go_on.Notify();
  ALT_ASSERT_OK_AND_ASSIGN(const Job again, client->CancelJob(job.id));
  EXPECT_EQ(again.state, JobState::kStopped);

  ALT_ASSERT_OK(client->ResumeJob(job.id).status());
  ALT_ASSERT_OK_AND_ASSIGN(job, client->WatchJob(job.id, [](const Job&) {}));
  EXPECT_EQ(job.state, JobState::kSucceeded) << job.reason;
  EXPECT_EQ(Sum(Tune(job).outcomes), 64);
  ALT_ASSERT_OK_AND_ASSIGN(const job::Stats stats, client->GetStats());
  EXPECT_EQ(stats.duplicates, 0);
  ALT_ASSERT_OK_AND_ASSIGN(const job::ReplayReport replay, client->Replay(job.id));
  EXPECT_TRUE(replay.identical) << replay.first_difference;
}

TEST(JobsTest, AJobThatWaitsCanBeStopped) {
  TestServer server;
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(const Job created, client->CreateJob(TestTune(8), "request-1"));
  ALT_ASSERT_OK_AND_ASSIGN(const Job stopped, client->CancelJob(created.id));
  EXPECT_EQ(stopped.state, JobState::kStopped);
  ALT_ASSERT_OK_AND_ASSIGN(const Job watched, client->WatchJob(created.id, [](const Job&) {}));
  EXPECT_EQ(watched.state, JobState::kStopped);
}

TEST(JobsTest, InterruptEndsAWatch) {
  TestServer server;
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(const Job created, client->CreateJob(TestTune(8), "request-1"));
  EXPECT_TRUE(StatusIs(client->WatchJob(created.id, [&](const Job&) { client->Interrupt(); }),
                       absl::StatusCode::kCancelled));
  EXPECT_TRUE(StatusIs(client->GetStats(), absl::StatusCode::kCancelled));
  client->ClearInterrupt();
  ALT_EXPECT_OK(client->GetStats().status());
}

TEST(JobsTest, BenchTimesWhatIsGivenAndStoresNoRecord) {
  TestServer server;
  TestWorker worker(server.address(), {});
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(const job::Answer answer,
                           client->Query({.workload = TestWorkload(), .target = TestTarget()}));
  ALT_ASSERT_OK_AND_ASSIGN(Job job, client->CreateJob(job::BenchSpec{.workload = TestWorkload(),
                                                                     .target = TestTarget(),
                                                                     .candidate = answer.candidate},
                                                      "request-1"));
  ALT_ASSERT_OK_AND_ASSIGN(job, client->WatchJob(job.id, [](const Job&) {}));
  const auto& bench = std::get<job::BenchProgress>(job.progress);
  ASSERT_TRUE(bench.answer.has_value());
  EXPECT_EQ(bench.answer->source, job::AnswerSource::kGiven);
  EXPECT_EQ(bench.answer->candidate, answer.candidate);
  ASSERT_TRUE(bench.result && bench.result->latency);
  EXPECT_EQ(worker.measurer().requests().back().mode, measure::MeasureMode::kCompare);
  ALT_ASSERT_OK_AND_ASSIGN(const job::Stats stats, client->GetStats());
  EXPECT_EQ(stats.records, 0);
}

TEST(JobsTest, BenchWithoutCandidateAsksTheDatabase) {
  TestServer server;
  TestWorker worker(server.address(), {});
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(
      Job job, client->CreateJob(job::BenchSpec{.workload = TestWorkload(), .target = TestTarget()},
                                 "request-1"));
  ALT_ASSERT_OK_AND_ASSIGN(job, client->WatchJob(job.id, [](const Job&) {}));
  const auto& bench = std::get<job::BenchProgress>(job.progress);
  ASSERT_TRUE(bench.answer.has_value());
  EXPECT_EQ(bench.answer->source, job::AnswerSource::kDefault);
  EXPECT_FALSE(bench.answer->reason.empty());
  EXPECT_TRUE(bench.result.has_value());
}

TEST(JobsTest, PeakMeasuresTheMachineWithTheThreadsAskedFor) {
  TestServer server;
  TestWorker worker(server.address(), {});
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(Job job,
                           client->CreateJob(job::PeakSpec{.target = TestTarget(3)}, "request-1"));
  ALT_ASSERT_OK_AND_ASSIGN(job, client->WatchJob(job.id, [](const Job&) {}));
  const auto& peak = std::get<job::PeakProgress>(job.progress);
  ASSERT_TRUE(peak.peak.has_value());
  EXPECT_EQ(peak.peak->threads, 3);
  EXPECT_EQ(peak.peak->gflops, 300);
}

}  // namespace
}  // namespace alt::service
