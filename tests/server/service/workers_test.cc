// Workers that come, go and are replaced; servers that stop and start.
#include <gtest/gtest.h>

#include <atomic>
#include <variant>

#include "absl/strings/match.h"
#include "absl/synchronization/notification.h"
#include "common/base/file.h"
#include "tests/server/service/harness.h"
#include "tests/testing/status_matchers.h"

namespace alt::service {
namespace {

using job::Job;
using job::JobState;
using testing::StatusIs;

int64_t Measured(const Job& job) {
  int64_t out = 0;
  for (const auto& [outcome, n] : std::get<job::TuneProgress>(job.progress).outcomes) out += n;
  return out;
}

TEST(WorkersTest, AWorkerIsListedUntilItLeaves) {
  TestServer server;
  const auto client = server.Connect();
  const auto count = [&] { return client->ListWorkers().value().size(); };
  {
    TestWorker worker(server.address(), {.name = "box/cpu:0"});
    ASSERT_TRUE(Eventually([&] { return count() == 1; }));
    const job::WorkerStatus status = client->ListWorkers().value()[0];
    EXPECT_EQ(status.name, "box/cpu:0");
    EXPECT_EQ(status.facts.target, TestTarget(4));
    EXPECT_TRUE(status.job.empty());
    worker.Drain();
    ALT_EXPECT_OK(worker.Join());
  }
  // Gone, or kept a while as one that leaves.
  EXPECT_TRUE(Eventually([&] {
    const auto workers = client->ListWorkers().value();
    return workers.empty() || workers[0].draining;
  }));
}

TEST(WorkersTest, ABadNameIsRefusedForGood) {
  TestServer server;
  TestWorker worker(server.address(), {.name = "no blanks"});
  EXPECT_TRUE(StatusIs(worker.Join(), absl::StatusCode::kInvalidArgument, "refuses"));
}

TEST(WorkersTest, TheNewerProcessOfANameTakesOver) {
  TestServer server;
  TestWorker old_worker(server.address(), {.session = "old"});
  const auto client = server.Connect();
  ASSERT_TRUE(Eventually([&] { return client->ListWorkers().value().size() == 1; }));
  TestWorker new_worker(server.address(), {.session = "new"});
  EXPECT_TRUE(StatusIs(old_worker.Join(), absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(client->ListWorkers().value().size(), 1u);
}

TEST(WorkersTest, WhoWatchesAJobSeesWhatTakesItsWorkerLong) {
  TestServer server;
  worker::Activity activity;
  absl::Notification seen;
  TestWorker worker(server.address(), {.before_measure =
                                           [&] {
                                             const worker::Activity::Scope scope(
                                                 &activity, "computing the reference");
                                             seen.WaitForNotification();
                                           },
                                       .activity = &activity});
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(Job job, client->CreateJob(TestTune(8), "request-1"));
  ALT_ASSERT_OK_AND_ASSIGN(job, client->WatchJob(job.id, [&](const Job& now) {
    if (now.activity == "computing the reference" && !seen.HasBeenNotified()) seen.Notify();
  }));
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(job.activity, "");
}

TEST(WorkersTest, TwoWorkersShareAJob) {
  TestServer server;
  TestWorker first(server.address(), {.name = "w0"});
  TestWorker second(server.address(), {.name = "w1"});
  const auto client = server.Connect();
  ASSERT_TRUE(Eventually([&] { return client->ListWorkers().value().size() == 2; }));
  ALT_ASSERT_OK_AND_ASSIGN(Job job, client->CreateJob(TestTune(96), "request-1"));
  ALT_ASSERT_OK_AND_ASSIGN(job, client->WatchJob(job.id, [](const Job&) {}));
  EXPECT_EQ(Measured(job), 96);
  EXPECT_GT(first.measurer().measured(), 0);
  EXPECT_GT(second.measurer().measured(), 0);
}

TEST(WorkersTest, AJobOutlivesAWorkerThatLeavesInItsMiddle) {
  TestServer server;
  const auto client = server.Connect();
  std::atomic<int> batches{0};
  auto leaving = std::make_unique<TestWorker>(
      server.address(), TestWorker::Options{.name = "w0", .before_measure = [&] { ++batches; }});
  ALT_ASSERT_OK_AND_ASSIGN(Job job, client->CreateJob(TestTune(96), "request-1"));
  ASSERT_TRUE(Eventually([&] { return batches >= 3; }));
  leaving.reset();
  TestWorker staying(server.address(), {.name = "w1"});
  ALT_ASSERT_OK_AND_ASSIGN(job, client->WatchJob(job.id, [](const Job&) {}));
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(Measured(job), 96);
  EXPECT_EQ(client->GetStats().value().duplicates, 0);
}

TEST(WorkersTest, AJobOutlivesItsServer) {
  TestServer server(/*on_disk=*/true);
  std::atomic<int> batches{0};
  TestWorker worker(server.address(), {.before_measure = [&] { ++batches; }});
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(Job job, client->CreateJob(TestTune(96), "request-1"));
  std::thread restart([&] {
    EXPECT_TRUE(Eventually([&] { return batches >= 4; }));
    server.Stop();
    server.Start();
  });
  // The client has nothing to do with it: it waits until the server is back.
  ALT_ASSERT_OK_AND_ASSIGN(job, client->WatchJob(job.id, [](const Job&) {}));
  restart.join();
  EXPECT_EQ(job.state, JobState::kSucceeded) << job.reason;
  EXPECT_EQ(Measured(job), 96);
  EXPECT_EQ(client->GetStats().value().duplicates, 0);
  ALT_ASSERT_OK_AND_ASSIGN(const job::ReplayReport replay, client->Replay(job.id));
  EXPECT_TRUE(replay.identical) << replay.first_difference;
}

// A server that restarts while its only worker is in the middle of a lease.
struct Restart {
  TestServer server{/*on_disk=*/true};
  std::atomic<int> batches{0};
  absl::Notification go_on;
  TestWorker worker{server.address(), {.before_measure = [this] {
                      if (++batches == 3) go_on.WaitForNotification();
                    }}};
  std::unique_ptr<client::TuningClient> client = server.Connect();

  // Each result that the job has was measured once, and nothing else was begun.
  void ExpectNothingIsMeasuredTwice(const std::string& id) {
    ALT_ASSERT_OK_AND_ASSIGN(const Job job, client->WatchJob(id, [](const Job&) {}));
    EXPECT_EQ(job.state, JobState::kSucceeded) << job.reason;
    ALT_ASSERT_OK_AND_ASSIGN(const store::JobLog log, server.store().ReadLog(id));
    EXPECT_EQ(worker.measurer().measured(), static_cast<int64_t>(log.results.size()));
    EXPECT_EQ(batches, 9);  // two baselines, six units of eight trials, the finalists
    for (const store::LoggedResult& result : log.results) {
      EXPECT_EQ(result.result.outcome, measure::Outcome::kOk);
    }
  }
};

TEST(WorkersTest, ALeaseThatEndedWhileTheServerWasAwayIsTaken) {
  Restart restart;
  ALT_ASSERT_OK_AND_ASSIGN(const Job job, restart.client->CreateJob(TestTune(48), "request-1"));
  ASSERT_TRUE(Eventually([&] { return restart.batches == 3; }));
  restart.server.Stop();
  const int64_t measured = restart.worker.measurer().measured();
  restart.go_on.Notify();
  ASSERT_TRUE(Eventually([&] { return restart.worker.measurer().measured() > measured; }));
  restart.server.Start();
  restart.ExpectNothingIsMeasuredTwice(job.id);
}

TEST(WorkersTest, ALeaseThatIsExecutedGoesOnAfterARestart) {
  Restart restart;
  ALT_ASSERT_OK_AND_ASSIGN(const Job job, restart.client->CreateJob(TestTune(48), "request-1"));
  ASSERT_TRUE(Eventually([&] { return restart.batches == 3; }));
  restart.server.Stop();
  restart.server.Start();
  // The worker has told the new server what it has.
  ASSERT_TRUE(Eventually([&] {
    const auto workers = restart.client->ListWorkers();
    return workers.ok() && workers->size() == 1 && workers->front().job == job.id;
  }));
  restart.go_on.Notify();
  restart.ExpectNothingIsMeasuredTwice(job.id);
}

TEST(WorkersTest, APrivateServerLeavesUnfinishedJobsStopped) {
  TestServer server(/*on_disk=*/true, {.keep_stopped = true});
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(const Job job, client->CreateJob(TestTune(16), "request-1"));
  server.Stop();
  server.Start();
  ALT_ASSERT_OK_AND_ASSIGN(const Job stopped, client->WatchJob(job.id, [](const Job&) {}));
  EXPECT_EQ(stopped.state, JobState::kStopped);
  TestWorker worker(server.address(), {});
  ALT_ASSERT_OK(client->ResumeJob(job.id).status());
  ALT_ASSERT_OK_AND_ASSIGN(const Job done, client->WatchJob(job.id, [](const Job&) {}));
  EXPECT_EQ(done.state, JobState::kSucceeded);
}

TEST(WorkersTest, AServerThatIsAwayIsReportedAfterThePatience) {
  TestServer server;
  const auto client = server.Connect();
  client->SetPatience(absl::Milliseconds(200));
  server.Stop();
  EXPECT_TRUE(StatusIs(client->GetStats(), absl::StatusCode::kUnavailable, server.address()));
}

TEST(WorkersTest, BackupAndVerify) {
  TestServer server(/*on_disk=*/true);
  TestWorker worker(server.address(), {});
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(Job job, client->CreateJob(TestTune(8), "request-1"));
  ALT_ASSERT_OK_AND_ASSIGN(job, client->WatchJob(job.id, [](const Job&) {}));
  ALT_ASSERT_OK(client->Backup(server.File("copy.db")));
  EXPECT_TRUE(absl::StartsWith(base::ReadFile(server.File("copy.db")).value(), "SQLite format 3"));
  EXPECT_TRUE(StatusIs(client->Backup(server.File("copy.db")), absl::StatusCode::kAlreadyExists));
  ALT_ASSERT_OK_AND_ASSIGN(const job::VerifyReport report, client->Verify());
  EXPECT_GE(report.records, 8);
  EXPECT_TRUE(report.problems.empty());
}

TEST(WorkersTest, MetricsCountWhatHappened) {
  TestServer server;
  TestWorker worker(server.address(), {});
  const auto client = server.Connect();
  ALT_ASSERT_OK_AND_ASSIGN(Job job, client->CreateJob(TestTune(8), "request-1"));
  ALT_ASSERT_OK_AND_ASSIGN(job, client->WatchJob(job.id, [](const Job&) {}));
  const std::string text = server.registry().Text();
  EXPECT_TRUE(absl::StrContains(text, "alt_server_results_total{outcome=\"OK\"}")) << text;
  EXPECT_TRUE(absl::StrContains(text, "alt_server_jobs_total{state=\"succeeded\"} 1")) << text;
  EXPECT_TRUE(absl::StrContains(text, "alt_server_rpcs_total{code=\"OK\",method=\"CreateJob\"} 1"))
      << text;
}

}  // namespace
}  // namespace alt::service
