#include "worker/agent/worker_agent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

#include "absl/synchronization/notification.h"
#include "common/wire/measure_wire.h"
#include "common/wire/time_wire.h"
#include "tests/testing/fake_measurer.h"
#include "tests/testing/status_matchers.h"

namespace alt::agent {
namespace {

using testing::StatusIs;

measure::MeasureRequest TestRequest(int candidates = 1) {
  measure::MeasureRequest request{.workload = *workload::Parse("matmul:m=8,n=8,k=8"),
                                  .target = *target::ParseTarget("cpu:mcpu=znver4")};
  for (int i = 0; i < candidates; ++i) {
    workload::Candidate candidate;
    candidate.trace.instructions.push_back(
        schedule::Split{.stage = "matmul", .axis = "m", .factors = {i + 1}});
    request.candidates.push_back(candidate);
  }
  return request;
}

// A server that answers by a script: `answer` sees each request.
class ScriptedChannel : public WorkerChannel {
 public:
  using Answer =
      std::function<absl::StatusOr<v1::SynchronizeResponse>(const v1::SynchronizeRequest&)>;
  explicit ScriptedChannel(Answer answer) : answer_(std::move(answer)) {}

  absl::StatusOr<v1::SynchronizeResponse> Synchronize(const v1::SynchronizeRequest& request,
                                                      absl::Duration) override {
    return answer_(request);
  }
  void Interrupt() override {}

 private:
  const Answer answer_;
};

v1::SynchronizeResponse Execute(const std::string& id, const measure::MeasureRequest* request) {
  v1::SynchronizeResponse response;
  v1::Lease& lease = *response.add_execute();
  lease.set_lease_id(id);
  if (request != nullptr) *lease.mutable_measure() = wire::ToProto(*request);
  *response.mutable_next_call_in() = wire::ToProto(absl::Milliseconds(1));
  return response;
}

const v1::LeaseReport* Find(const v1::SynchronizeRequest& request, const std::string& id) {
  for (const v1::LeaseReport& lease : request.leases()) {
    if (lease.lease_id() == id) return &lease;
  }
  return nullptr;
}

AgentOptions TestOptions() {
  return {.name = "w0",
          .session_id = "s",
          .facts = {.target = *target::ParseTarget("cpu:mcpu=znver4,threads=4")},
          .drain_grace = absl::Milliseconds(50),
          .drain_alone = absl::Milliseconds(20),
          .first_backoff = absl::Milliseconds(1),
          .last_backoff = absl::Milliseconds(2)};
}

absl::StatusOr<measure::Peak> TestPeak(int threads, absl::FunctionRef<bool()>) {
  return measure::Peak{.gflops_1t = 7, .gflops = 7.0 * threads, .threads = threads};
}

TEST(WorkerAgentTest, MeasuresALeaseAndRepeatsTheResultUntilAcknowledged) {
  testing::FakeMeasurer measurer;
  const measure::MeasureRequest work = TestRequest(2);
  WorkerAgent* agent = nullptr;
  int reported = 0;
  auto channel = std::make_unique<ScriptedChannel>(
      [&](const v1::SynchronizeRequest& request) -> absl::StatusOr<v1::SynchronizeResponse> {
        const v1::LeaseReport* lease = Find(request, "a");
        if (request.has_draining()) return v1::SynchronizeResponse();
        if (lease == nullptr) return Execute("a", &work);
        if (lease->has_executing()) return Execute("a", nullptr);
        EXPECT_TRUE(lease->has_finished());
        EXPECT_EQ(lease->results_size(), 2);
        EXPECT_EQ(lease->results(1).position(), 1);
        v1::SynchronizeResponse response;
        if (++reported < 3) return absl::UnavailableError("lost on the way");
        response.add_acknowledged_lease_ids("a");
        agent->Drain();
        return response;
      });
  WorkerAgent worker(TestOptions(), std::move(channel), measurer, TestPeak);
  agent = &worker;
  ALT_EXPECT_OK(worker.Run());
  EXPECT_EQ(reported, 3);
  EXPECT_EQ(measurer.measured(), 2);
}

TEST(WorkerAgentTest, ALeaseThatIsNotNamedAnyMoreIsDroppedAndHandedBack) {
  absl::Notification started;
  class Endless : public measure::Measurer {
   public:
    explicit Endless(absl::Notification& started) : started_(started) {}
    std::vector<measure::MeasureResult> Measure(const measure::MeasureRequest& request,
                                                absl::FunctionRef<bool()> cancelled) override {
      started_.Notify();
      while (!cancelled()) std::this_thread::yield();
      std::vector<measure::MeasureResult> results(request.candidates.size());
      // The first one was done already.
      results[0].outcome = measure::Outcome::kCrashed;
      return results;
    }

   private:
    absl::Notification& started_;
  } measurer(started);
  const measure::MeasureRequest work = TestRequest(2);
  WorkerAgent* agent = nullptr;
  bool dropped = false;
  auto channel = std::make_unique<ScriptedChannel>(
      [&](const v1::SynchronizeRequest& request) -> absl::StatusOr<v1::SynchronizeResponse> {
        const v1::LeaseReport* lease = Find(request, "a");
        v1::SynchronizeResponse nothing;
        *nothing.mutable_next_call_in() = wire::ToProto(absl::Milliseconds(1));
        if (request.has_draining()) return nothing;
        if (lease == nullptr && !dropped) return Execute("a", &work);
        if (lease == nullptr) return nothing;
        if (lease->has_executing()) {
          if (!started.HasBeenNotified()) return Execute("a", nullptr);
          dropped = true;
          return nothing;
        }
        EXPECT_TRUE(lease->has_handed_back());
        EXPECT_EQ(lease->results_size(), 1);
        nothing.add_acknowledged_lease_ids("a");
        agent->Drain();
        return nothing;
      });
  WorkerAgent worker(TestOptions(), std::move(channel), measurer, TestPeak);
  agent = &worker;
  ALT_EXPECT_OK(worker.Run());
  EXPECT_TRUE(dropped);
}

TEST(WorkerAgentTest, TellsWhatItIsAtAndThatItGoesOn) {
  worker::Activity activity;
  std::atomic<bool> seen = false;
  class Waiting : public measure::Measurer {
   public:
    Waiting(worker::Activity& activity, std::atomic<bool>& seen)
        : activity_(activity), seen_(seen) {}
    std::vector<measure::MeasureResult> Measure(const measure::MeasureRequest& request,
                                                absl::FunctionRef<bool()> cancelled) override {
      activity_.Set({.what = "waiting for cpu:0", .waiting = true});
      while (!seen_ && !cancelled()) std::this_thread::yield();
      activity_.Set({});
      return std::vector<measure::MeasureResult>(request.candidates.size(),
                                                 {.outcome = measure::Outcome::kCrashed});
    }

   private:
    worker::Activity& activity_;
    std::atomic<bool>& seen_;
  } measurer(activity, seen);
  const measure::MeasureRequest work = TestRequest();
  WorkerAgent* agent = nullptr;
  int64_t steps = 0;
  auto channel = std::make_unique<ScriptedChannel>(
      [&](const v1::SynchronizeRequest& request) -> absl::StatusOr<v1::SynchronizeResponse> {
        const v1::LeaseReport* lease = Find(request, "a");
        v1::SynchronizeResponse response;
        if (request.has_draining()) return response;
        if (lease == nullptr) return Execute("a", &work);
        if (lease->has_executing()) {
          const v1::ExecutingLease& executing = lease->executing();
          EXPECT_GE(executing.steps(), std::max<int64_t>(steps, 1));
          const bool waits = executing.waiting() && executing.activity() == "waiting for cpu:0";
          if (waits && steps > 0 && executing.steps() > steps) seen = true;
          if (waits) steps = executing.steps();
          return Execute("a", nullptr);
        }
        response.add_acknowledged_lease_ids("a");
        agent->Drain();
        return response;
      });
  AgentOptions options = TestOptions();
  options.activity = &activity;
  WorkerAgent worker(std::move(options), std::move(channel), measurer, TestPeak);
  agent = &worker;
  ALT_EXPECT_OK(worker.Run());
  EXPECT_TRUE(seen);
}

TEST(WorkerAgentTest, WorkThatCannotBeReadIsHandedBackWithTheReason) {
  testing::FakeMeasurer measurer;
  measure::MeasureRequest work = TestRequest();
  WorkerAgent* agent = nullptr;
  std::string reason;
  auto channel = std::make_unique<ScriptedChannel>(
      [&](const v1::SynchronizeRequest& request) -> absl::StatusOr<v1::SynchronizeResponse> {
        const v1::LeaseReport* lease = Find(request, "a");
        if (request.has_draining() && lease == nullptr) return v1::SynchronizeResponse();
        if (lease == nullptr) {
          v1::SynchronizeResponse response = Execute("a", &work);
          response.mutable_execute(0)->mutable_measure()->clear_workload();
          return response;
        }
        reason = lease->handed_back().reason();
        v1::SynchronizeResponse response;
        response.add_acknowledged_lease_ids("a");
        agent->Drain();
        return response;
      });
  WorkerAgent worker(TestOptions(), std::move(channel), measurer, TestPeak);
  agent = &worker;
  ALT_EXPECT_OK(worker.Run());
  EXPECT_NE(reason.find("workload"), std::string::npos) << reason;
  EXPECT_EQ(measurer.measured(), 0);
}

// The last report of a lease to measure the limits of the machine, and the request it came in.
std::pair<v1::LeaseReport, v1::SynchronizeRequest> RunPeakLease(int threads) {
  testing::FakeMeasurer measurer;
  WorkerAgent* agent = nullptr;
  std::pair<v1::LeaseReport, v1::SynchronizeRequest> out;
  auto channel = std::make_unique<ScriptedChannel>(
      [&](const v1::SynchronizeRequest& request) -> absl::StatusOr<v1::SynchronizeResponse> {
        const v1::LeaseReport* lease = Find(request, "p");
        v1::SynchronizeResponse response;
        *response.mutable_next_call_in() = wire::ToProto(absl::Milliseconds(1));
        if (request.has_draining() && lease == nullptr) return response;
        if (lease == nullptr) {
          response.add_execute()->set_lease_id("p");
          response.mutable_execute(0)->mutable_peak()->set_threads(threads);
        } else if (lease->has_executing()) {
          return Execute("p", nullptr);
        } else {
          out = {*lease, request};
          response.add_acknowledged_lease_ids("p");
          agent->Drain();
        }
        return response;
      });
  WorkerAgent worker(TestOptions(), std::move(channel), measurer, TestPeak);
  agent = &worker;
  ALT_EXPECT_OK(worker.Run());
  return out;
}

TEST(WorkerAgentTest, MeasuresThePeakAndTellsItFromThenOn) {
  const auto [lease, request] = RunPeakLease(4);
  EXPECT_TRUE(lease.has_finished());
  EXPECT_EQ(lease.peak().gflops(), 28);
  EXPECT_EQ(request.facts().peak().gflops(), 28);
}

TEST(WorkerAgentTest, ThePeakOfFewerThreadsIsNotThatOfTheWorker) {
  const auto [lease, request] = RunPeakLease(1);
  EXPECT_TRUE(lease.has_finished());
  EXPECT_EQ(lease.peak().threads(), 1);
  EXPECT_EQ(lease.peak().gflops(), 7);
  EXPECT_EQ(request.facts().peak().threads(), 4);
}

TEST(WorkerAgentTest, ThePeakOfMoreThreadsThanItLendsIsHandedBack) {
  for (const int threads : {0, 5}) {
    const auto [lease, request] = RunPeakLease(threads);
    EXPECT_NE(lease.handed_back().reason().find("lends 4"), std::string::npos)
        << lease.DebugString();
  }
}

TEST(WorkerAgentTest, AFaultOfItsOwnIsHandedBackAndItTakesNothingForAWhile) {
  class Broken : public measure::Measurer {
    std::vector<measure::MeasureResult> Measure(const measure::MeasureRequest& request,
                                                absl::FunctionRef<bool()>) override {
      std::vector<measure::MeasureResult> results(request.candidates.size());
      for (measure::MeasureResult& result : results) {
        result.outcome = measure::Outcome::kWorkerLost;
        result.message = "no alt-runner";
      }
      return results;
    }
  } measurer;
  const measure::MeasureRequest work = TestRequest(2);
  WorkerAgent* agent = nullptr;
  std::string reason, state;
  auto channel = std::make_unique<ScriptedChannel>(
      [&](const v1::SynchronizeRequest& request) -> absl::StatusOr<v1::SynchronizeResponse> {
        const v1::LeaseReport* lease = Find(request, "a");
        if (request.has_draining()) return v1::SynchronizeResponse();
        if (lease == nullptr) return Execute("a", &work);
        if (lease->has_executing()) return Execute("a", nullptr);
        EXPECT_EQ(lease->results_size(), 0);
        reason = lease->handed_back().reason();
        state = request.unhealthy().reason();
        v1::SynchronizeResponse response;
        response.add_acknowledged_lease_ids("a");
        agent->Drain();
        return response;
      });
  WorkerAgent worker(TestOptions(), std::move(channel), measurer, TestPeak);
  agent = &worker;
  ALT_EXPECT_OK(worker.Run());
  EXPECT_EQ(reason, "no alt-runner");
  EXPECT_EQ(state, "no alt-runner");
}

TEST(WorkerAgentTest, ARefusalEndsTheWorker) {
  testing::FakeMeasurer measurer;
  WorkerAgent worker(TestOptions(),
                     std::make_unique<ScriptedChannel>([](const v1::SynchronizeRequest&) {
                       return absl::FailedPreconditionError("another process has this name");
                     }),
                     measurer, TestPeak);
  EXPECT_TRUE(StatusIs(worker.Run(), absl::StatusCode::kFailedPrecondition, "another process"));
}

TEST(WorkerAgentTest, AServerThatIsAwayIsSaidAtOnceAndThenEverySoOften) {
  testing::FakeMeasurer measurer;
  WorkerAgent* agent = nullptr;
  int calls = 0;
  AgentOptions options = TestOptions();
  options.server = "head:7440";
  options.say_every = absl::Milliseconds(1);
  auto channel = std::make_unique<ScriptedChannel>([&](const v1::SynchronizeRequest&) {
    if (++calls == 20) agent->Drain();
    return absl::UnavailableError("connection refused");
  });
  WorkerAgent worker(std::move(options), std::move(channel), measurer, TestPeak);
  agent = &worker;
  ::testing::internal::CaptureStderr();
  ALT_EXPECT_OK(worker.Run());
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("cannot reach the server head:7440: connection refused; trying again"),
            std::string::npos)
      << log;
  EXPECT_NE(log.find("cannot reach the server head:7440 for "), std::string::npos) << log;
}

TEST(WorkerAgentTest, WhatIsNoServerIsNotTriedAgain) {
  testing::FakeMeasurer measurer;
  AgentOptions options = TestOptions();
  options.server = "web:80";
  WorkerAgent worker(std::move(options),
                     std::make_unique<ScriptedChannel>([](const v1::SynchronizeRequest&) {
                       return absl::UnimplementedError("status: 404");
                     }),
                     measurer, TestPeak);
  EXPECT_TRUE(StatusIs(worker.Run(), absl::StatusCode::kUnimplemented, "web:80 is no alt-server"));
}

TEST(WorkerAgentTest, AMachineThatCannotBeCalibratedIsAFaultOfTheWorker) {
  testing::FakeMeasurer measurer;
  const measure::MeasureRequest work = TestRequest();
  WorkerAgent* agent = nullptr;
  std::string reason;
  auto channel = std::make_unique<ScriptedChannel>(
      [&](const v1::SynchronizeRequest& request) -> absl::StatusOr<v1::SynchronizeResponse> {
        const v1::LeaseReport* lease = Find(request, "a");
        v1::SynchronizeResponse response;
        if (request.has_draining()) return response;
        if (lease == nullptr) return Execute("a", &work);
        if (lease->has_executing()) return Execute("a", nullptr);
        EXPECT_EQ(request.unhealthy().reason(), lease->handed_back().reason());
        reason = lease->handed_back().reason();
        response.add_acknowledged_lease_ids("a");
        agent->Drain();
        return response;
      });
  WorkerAgent worker(TestOptions(), std::move(channel), measurer,
                     [](int, absl::FunctionRef<bool()>) -> absl::StatusOr<measure::Peak> {
                       return absl::UnavailableError("cpu:0 is held");
                     });
  agent = &worker;
  ALT_EXPECT_OK(worker.Run());
  EXPECT_EQ(reason, "measure the limits of this machine: cpu:0 is held");
  EXPECT_EQ(measurer.measured(), 0);
}

TEST(GrpcWorkerChannelTest, ARefusedConnectionAndAnUnknownNameAreSaidAtOnce) {
  const auto call = [](const std::string& address) {
    return MakeGrpcWorkerChannel(address)->Synchronize({}, absl::Minutes(1)).status();
  };
  EXPECT_TRUE(StatusIs(call("127.0.0.1:1"), absl::StatusCode::kUnavailable, "connection refused"));
  EXPECT_TRUE(StatusIs(call("unix:/nowhere/at/all"), absl::StatusCode::kUnavailable,
                       "no such file or directory"));
}

TEST(WorkerAgentTest, ADrainDoesNotWaitForAServerThatIsAway) {
  testing::FakeMeasurer measurer;
  WorkerAgent* agent = nullptr;
  int calls = 0;
  WorkerAgent worker(TestOptions(),
                     std::make_unique<ScriptedChannel>([&](const v1::SynchronizeRequest&) {
                       if (++calls == 3) agent->Drain();
                       return absl::UnavailableError("away");
                     }),
                     measurer, TestPeak);
  agent = &worker;
  ALT_EXPECT_OK(worker.Run());
}

}  // namespace
}  // namespace alt::agent
