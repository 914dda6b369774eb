// Jobs whose writes fail, or take their time, and clocks that are set.
#include "server/service/job_loop.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "alt/v1/tuning_service.grpc.pb.h"
#include "common/wire/job_wire.h"
#include "tests/server/service/faulty_store.h"
#include "tests/server/service/harness.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/status_matchers.h"

namespace alt::service {
namespace {

using job::Job;
using job::JobState;
using testing::StatusIs;

const absl::Status kFull = absl::ResourceExhaustedError("the disk is full");
const absl::Status kBroken = absl::DataLossError("the disk is broken");

// A server on a faulty store, with one worker that waits before its fourth unit.
class FaultyStoreTest : public ::testing::Test {
 protected:
  FaultyStoreTest() : FaultyStoreTest(std::make_unique<FaultyStore>()) {}

  void StartWorker() {
    worker_ = std::make_unique<TestWorker>(server_.address(),
                                           TestWorker::Options{.before_measure = [this] {
                                             if (++units_ == 4) go_on_.WaitForNotification();
                                           }});
  }
  // Breaks off a job by writes that fail for good.
  void Abandon(const std::string& id) {
    store_.SetFault(kBroken);
    go_on_.Notify();
    // Whoever watches it then is told that it fails, and who comes later that nobody works on it.
    ASSERT_TRUE(Eventually([&] {
      const absl::StatusOr<Job> job = client_->WatchJob(id, [](const Job&) {});
      EXPECT_TRUE(!job.ok() || job->state == JobState::kFailed);
      return absl::IsFailedPrecondition(job.status());
    }));
    store_.SetFault(absl::OkStatus());
  }

  FaultyStore& store_;
  TestServer server_;
  absl::Notification go_on_;
  std::atomic<int> units_{0};
  std::unique_ptr<TestWorker> worker_;
  const std::unique_ptr<client::TuningClient> client_ = server_.Connect();

 private:
  explicit FaultyStoreTest(std::unique_ptr<FaultyStore> store)
      : store_(*store), server_({}, std::move(store)) {}
};

TEST_F(FaultyStoreTest, AFullDiskDelaysAJobAndDoesNotEndIt) {
  StartWorker();
  ALT_ASSERT_OK_AND_ASSIGN(Job job, client_->CreateJob(TestTune(48), "request-1"));
  ASSERT_TRUE(Eventually([&] { return units_ == 4; }));
  store_.SetFault(kFull);
  go_on_.Notify();
  ASSERT_TRUE(Eventually([&] { return store_.refused() > 0; }));
  const auto metric_says = [&](const char* line) {
    return absl::StrContains(server_.registry().Text(), line);
  };
  EXPECT_TRUE(Eventually([&] { return metric_says("alt_server_store_full 1"); }));
  bool said = false;
  ALT_ASSERT_OK_AND_ASSIGN(job, client_->WatchJob(job.id, [&](const Job& state) {
    said = said || absl::StrContains(state.reason, "the database takes no more");
    if (said) store_.SetFault(absl::OkStatus());
  }));
  EXPECT_TRUE(said);
  EXPECT_TRUE(metric_says("alt_server_store_full 0"));
  EXPECT_EQ(job.state, JobState::kSucceeded) << job.reason;
  ALT_ASSERT_OK_AND_ASSIGN(const store::JobLog log, store_.ReadLog(job.id));
  EXPECT_EQ(worker_->measurer().measured(), static_cast<int64_t>(log.results.size()));
  ALT_ASSERT_OK_AND_ASSIGN(const job::ReplayReport replay, client_->Replay(job.id));
  EXPECT_TRUE(replay.identical) << replay.first_difference;
}

TEST_F(FaultyStoreTest, OneVerifyRunsAtATime) {
  store_.HoldReads();
  absl::Status first;
  std::thread verifying([&] { first = server_.Connect()->Verify().status(); });
  ASSERT_TRUE(Eventually([&] { return store_.reads() == 1; }));
  EXPECT_TRUE(StatusIs(client_->Verify(), absl::StatusCode::kResourceExhausted, "being verified"));
  store_.ReleaseReads();
  verifying.join();
  ALT_EXPECT_OK(first);
  ALT_EXPECT_OK(client_->Verify());
}

TEST_F(FaultyStoreTest, NoMoreThanTwoCopiesAreMadeAtATime) {
  store_.HoldReads();
  std::vector<std::thread> copying;
  for (int i = 0; i < 2; ++i) {
    copying.emplace_back([&, i] {
      // A store in memory has nothing to copy; what counts is that its call takes a place.
      server_.Connect()->Backup(server_.File(absl::StrCat("out-", i))).IgnoreError();
    });
  }
  ASSERT_TRUE(Eventually([&] { return store_.reads() == 2; }));
  EXPECT_TRUE(
      StatusIs(client_->Backup(server_.File("out-2")), absl::StatusCode::kResourceExhausted));
  store_.ReleaseReads();
  for (std::thread& thread : copying) thread.join();
}

TEST_F(FaultyStoreTest, AClientHasAShareOfTheUnfinishedJobs) {
  const auto stub = v1::TuningService::NewStub(
      grpc::CreateChannel(server_.address(), grpc::InsecureChannelCredentials()));
  const auto create = [&](const std::string& client, int i) {
    grpc::ClientContext context;
    v1::CreateJobRequest request;
    request.set_client_id(client);
    request.set_request_id(absl::StrCat(client, "-request-", i));
    *request.mutable_spec() = wire::ToProto(job::JobSpec(job::PeakSpec{TestTarget()}));
    v1::CreateJobResponse response;
    return stub->CreateJob(&context, request, &response);
  };
  for (int i = 0; i < 250; ++i) ASSERT_TRUE(create("greedy", i).ok()) << i;
  const grpc::Status refused = create("greedy", 250);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(absl::StrContains(refused.error_details(), "google.rpc.RetryInfo"));
  EXPECT_TRUE(create("modest", 0).ok());
  EXPECT_TRUE(create("greedy", 0).ok()) << "the same request again";
}

TEST_F(FaultyStoreTest, ACancelThatIsNotWrittenChangesNothing) {
  ALT_ASSERT_OK_AND_ASSIGN(const Job job, client_->CreateJob(TestTune(8), "request-1"));
  store_.SetFault(kFull);
  EXPECT_TRUE(StatusIs(client_->CancelJob(job.id), absl::StatusCode::kResourceExhausted));
  store_.SetFault(absl::OkStatus());
  ALT_ASSERT_OK_AND_ASSIGN(const Job stopped, client_->CancelJob(job.id));
  EXPECT_EQ(stopped.state, JobState::kStopped);
}

TEST_F(FaultyStoreTest, AJobThatWasGivenUpCanBeResumed) {
  StartWorker();
  ALT_ASSERT_OK_AND_ASSIGN(const Job job, client_->CreateJob(TestTune(48), "request-1"));
  ASSERT_TRUE(Eventually([&] { return units_ == 4; }));
  Abandon(job.id);
  ALT_ASSERT_OK(client_->ResumeJob(job.id).status());
  ALT_ASSERT_OK_AND_ASSIGN(const Job done, client_->WatchJob(job.id, [](const Job&) {}));
  EXPECT_EQ(done.state, JobState::kSucceeded) << done.reason;
}

TEST_F(FaultyStoreTest, AJobThatWasGivenUpCanBeCancelled) {
  StartWorker();
  ALT_ASSERT_OK_AND_ASSIGN(const Job job, client_->CreateJob(TestTune(48), "request-1"));
  ASSERT_TRUE(Eventually([&] { return units_ == 4; }));
  Abandon(job.id);
  ALT_ASSERT_OK_AND_ASSIGN(const Job stopped, client_->CancelJob(job.id));
  EXPECT_EQ(stopped.state, JobState::kStopped);
  EXPECT_TRUE(store_.UnfinishedJobs().empty());
}

store::Job StoredTune(std::optional<absl::Duration> time_limit = std::nullopt) {
  job::TuneSpec spec = TestTune(8);
  spec.time_limit = time_limit;
  store::Job job;
  job.id = "j1";
  job.request_id = "request-1";
  job.spec = std::move(spec);
  return job;
}

// Without the network: calls come to the loop in the order of the test.
class HeldStoreTest : public ::testing::Test {
 protected:
  HeldStoreTest() {
    ALT_CHECK_OK(store_.CommitAndWait({store::CreateJob{StoredTune()}}));
    dispatch_.Start(jobs_);
  }
  ~HeldStoreTest() override {
    jobs_.Stop();
    dispatch_.Stop();
  }

  // The state that a call answers with, once it has.
  struct Call {
    absl::Notification answered;
    absl::StatusOr<Job> job = absl::UnknownError("");
  };
  static JobLoop::JobCallback Into(const std::shared_ptr<Call>& call) {
    return [call](absl::StatusOr<Job> job) {
      call->job = std::move(job);
      call->answered.Notify();
    };
  }
  // Everything that was posted before has been looked at.
  void Settle() {
    const auto call = std::make_shared<Call>();
    jobs_.CancelJob("nosuch", Into(call));
    call->answered.WaitForNotification();
  }

  base::RealClock clock_;
  FaultyStore store_;
  metrics::Registry registry_;
  ServerMetrics metrics_{registry_};
  DispatchLoop dispatch_{{.realm = "x"}, clock_, metrics_};
  JobLoop jobs_{{.keep_stopped = true}, store_, dispatch_, clock_, metrics_};
};

TEST_F(HeldStoreTest, AResumeComesAfterTheStopOfAPrivateServer) {
  store_.Hold();
  jobs_.Start();
  const auto resume = std::make_shared<Call>();
  jobs_.ResumeJob("j1", Into(resume));
  Settle();
  store_.Release();
  resume->answered.WaitForNotification();
  ALT_ASSERT_OK(resume->job.status());
  EXPECT_EQ(resume->job->state, JobState::kQueued);
  EXPECT_EQ(store_.GetJob("j1")->state, JobState::kQueued);
}

TEST_F(HeldStoreTest, ACancelComesAfterTheResumeUnderWay) {
  jobs_.Start();
  Settle();
  store_.Hold();
  const auto resume = std::make_shared<Call>(), cancel = std::make_shared<Call>();
  jobs_.ResumeJob("j1", Into(resume));
  jobs_.CancelJob("j1", Into(cancel));
  Settle();
  store_.Release();
  cancel->answered.WaitForNotification();
  ALT_ASSERT_OK(cancel->job.status());
  EXPECT_EQ(cancel->job->state, JobState::kStopped);
  EXPECT_EQ(store_.GetJob("j1")->state, JobState::kStopped);
}

// Notes when the job waits, and what for.
class WaitWatcher : public JobWatcher {
 public:
  void OnState(std::shared_ptr<const Job> job) override {
    if (job->state != JobState::kQueued || waits.HasBeenNotified()) return;
    reason = job->reason;
    waits.Notify();
  }
  void OnEnd(const absl::Status&) override {}
  absl::Notification waits;
  std::string reason;
};

TEST_F(HeldStoreTest, AJobThatNobodyCanWorkOnWaitsThoughItHasBegun) {
  store::Job job = StoredTune();
  job.id = "j2";
  job.request_id = "request-2";
  job.state = JobState::kRunning;
  job.start = store::JobStart{};
  ALT_CHECK_OK(store_.CommitAndWait({store::CreateJob{job}}));
  JobLoop jobs({.least_interval = absl::ZeroDuration()}, store_, dispatch_, clock_, metrics_);
  jobs.Start();
  const auto watcher = std::make_shared<WaitWatcher>();
  jobs.Watch("j2", watcher);
  watcher->waits.WaitForNotification();
  EXPECT_EQ(watcher->reason, "no worker for " + target::PrintTarget(TestTarget()));
  jobs.Stop();
  dispatch_.Stop();  // which calls `jobs`
  EXPECT_EQ(store_.GetJob("j2")->state, JobState::kRunning) << "it goes on as soon as it can";
}

TEST(JobLoopTest, SettingTheClockIsNoTimeOfRunning) {
  testing::FakeClock clock;
  const auto store = store::MakeMemoryTuningStore();
  store::Job job = StoredTune(absl::Hours(1));
  job.start = store::JobStart{.time = clock.Now()};
  ALT_CHECK_OK(store->CommitAndWait({store::CreateJob{job}}));
  metrics::Registry registry;
  ServerMetrics metrics(registry);
  DispatchLoop dispatch({.realm = "x"}, clock, metrics);
  JobLoop jobs({}, *store, dispatch, clock, metrics);
  dispatch.Start(jobs);
  jobs.Start();
  const auto cancel = [&](const std::string& id) {
    absl::Notification answered;
    absl::StatusOr<Job> out = absl::UnknownError("");
    jobs.CancelJob(id, [&](absl::StatusOr<Job> job) {
      out = std::move(job);
      answered.Notify();
    });
    answered.WaitForNotification();
    return out;
  };
  EXPECT_FALSE(cancel("nosuch").ok());  // the job runs by now
  clock.Advance(absl::Seconds(2));
  clock.SetWallTime(clock.Now() + absl::Hours(5));
  clock.Advance(absl::Seconds(3));
  ALT_ASSERT_OK(cancel("j1").status());
  ALT_ASSERT_OK_AND_ASSIGN(const store::Job stopped, store->GetJob("j1"));
  EXPECT_EQ(stopped.reason, "cancelled");
  EXPECT_EQ(stopped.active, absl::Seconds(5));
  EXPECT_EQ(stopped.finished, clock.Now());
  jobs.Stop();
  dispatch.Stop();
}

// A server that tells one state of an unfinished job, ends the stream, and so on.
class FickleServer : public v1::TuningService::Service {
 public:
  grpc::Status WatchJob(grpc::ServerContext*, const v1::WatchJobRequest* request,
                        grpc::ServerWriter<v1::WatchJobResponse>* writer) override {
    v1::WatchJobResponse response;
    Job job{.id = request->job_id(), .spec = TestTune(8), .state = JobState::kRunning};
    *response.mutable_job() = wire::ToProto(job);
    writer->Write(response);
    return grpc::Status::OK;
  }
};

TEST(TuningClientTest, StreamsThatEndAtOnceUsePatienceUp) {
  testing::TempDir dir;
  FickleServer service;
  grpc::ServerBuilder builder;
  const std::string address = "unix:" + dir.File("s");
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  const auto client = client::TuningClient::Connect(address);
  client->SetPatience(absl::Milliseconds(100));
  int states = 0;
  EXPECT_TRUE(StatusIs(client->WatchJob("j1",
                                        [&](const Job&) {
                                          if (++states == 1000) client->Interrupt();
                                        }),
                       absl::StatusCode::kUnavailable));
  EXPECT_GE(states, 1);
}

}  // namespace
}  // namespace alt::service
