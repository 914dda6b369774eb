// The server is started anew; workers were not.
#include <gtest/gtest.h>

#include "server/dispatch/dispatcher.h"
#include "tests/server/dispatch/harness.h"

namespace alt::dispatch {
namespace {

using measure::MeasureMode;
using measure::Outcome;

DispatcherOptions Epoch(int64_t epoch) {
  DispatcherOptions options;
  options.epoch = epoch;
  return options;
}

// A worker that holds 0 .. count-1 of j1's batch 0 from the server's first life.
FakeWorker WorkerOfFirstLife(int64_t count, MeasureMode mode = MeasureMode::kSearch) {
  Harness first(Epoch(1));
  FakeWorker worker("w0");
  first.Submit(Unit("j1", 0, 0, count, mode));
  first.CallNow(worker);
  worker.base.max_wait = absl::ZeroDuration();
  return worker;
}

// Ends what it holds; its calls wait for the acknowledgement.
void FinishAll(FakeWorker& worker, std::vector<measure::MeasureResult> results) {
  worker.Finish(worker.Lease(), std::move(results));
  worker.base.max_wait = absl::Seconds(5);
}

TEST(DispatcherRecoveryTest, AWorkerGoesOnWithItsLeaseWhenItsJobComesBack) {
  FakeWorker worker = WorkerOfFirstLife(2);
  const std::string lease = worker.Lease();
  Harness second(Epoch(2), false);
  second.CallNow(worker);  // before the job is resumed
  EXPECT_EQ(worker.Lease(), lease) << "kept: its job may still come";
  second.Submit(Unit("j1", 0, 0, 2));
  second.Handle(RecoveryDone{});
  second.CallNow(worker);
  EXPECT_EQ(worker.Lease(), lease);
  FinishAll(worker, {Ok(), Ok()});
  EXPECT_EQ(second.CallNow(worker).acknowledged.size(), 1u);
  EXPECT_EQ(second.results().size(), 2u);
}

TEST(DispatcherRecoveryTest, FinishedResultsAreNotMeasuredAgain) {
  FakeWorker worker = WorkerOfFirstLife(3);
  FinishAll(worker, {Ok(1), Ok(2), Failed(Outcome::kCrashed)});
  Harness second(Epoch(2), false);
  const CallId held = second.Call(worker);
  EXPECT_EQ(second.AnswerTo(held), nullptr) << "kept: its job may still come";
  second.Submit(Unit("j1", 0, 0, 3));
  FakeWorker other("other");
  const CallId call = second.Call(other);
  second.Handle(RecoveryDone{});
  EXPECT_TRUE(second.AnswerTo(call)->execute.empty()) << "the holder has a moment to call";
  EXPECT_EQ(second.CallNow(worker).acknowledged.size(), 1u);
  EXPECT_EQ(second.results().size(), 3u);
  const CallId later = second.Call(other);
  second.Advance(absl::Seconds(4));
  EXPECT_EQ(second.AnswerTo(later), nullptr) << "nothing is left";
}

TEST(DispatcherRecoveryTest, ACallThatIsHeldUntilTheJobIsThereForgetsNothing) {
  FakeWorker finished = WorkerOfFirstLife(2), executing = WorkerOfFirstLife(2);
  FinishAll(finished, {Ok(1), Ok(2)});
  executing.base.worker = "w1";
  executing.base.max_wait = absl::Seconds(5);
  Harness second(Epoch(2), false);
  const CallId first_call = second.Call(finished), other_call = second.Call(executing);
  EXPECT_EQ(second.AnswerTo(first_call), nullptr);
  EXPECT_EQ(second.AnswerTo(other_call), nullptr);
  second.Submit(Unit("j1", 0, 0, 2));
  second.Handle(RecoveryDone{});
  ASSERT_TRUE(second.Deliver(first_call, finished) && second.Deliver(other_call, executing));
  EXPECT_EQ(second.AnswerTo(first_call)->next_call_in, absl::ZeroDuration());
  EXPECT_EQ(second.AnswerTo(other_call)->next_call_in, absl::ZeroDuration());
  EXPECT_EQ(executing.leases.size(), 1u) << "nothing is dropped yet";
  EXPECT_EQ(second.CallNow(finished).acknowledged.size(), 1u);
  EXPECT_EQ(second.results().size(), 2u);
  second.CallNow(executing);
  EXPECT_TRUE(executing.leases.empty()) << "done by the other one";
}

TEST(DispatcherRecoveryTest, WhatNobodyClaimsIsGivenAwayAfterAMoment) {
  Harness second(Epoch(2), false);
  second.Submit(Unit("j1", 0, 0, 3));
  FakeWorker other("other");
  CallId call = second.Call(other);
  second.Handle(RecoveryDone{});
  second.Deliver(call, other);
  call = second.Call(other);
  second.Advance(absl::Milliseconds(2900));
  EXPECT_EQ(second.AnswerTo(call), nullptr);
  second.Advance(absl::Milliseconds(200));
  ASSERT_TRUE(second.Deliver(call, other));
  EXPECT_EQ(other.leases.size(), 1u);
}

TEST(DispatcherRecoveryTest, NewJobsDoNotWaitForTheMoment) {
  Harness second(Epoch(2), false);
  second.Submit(Unit("j1", 0, 0, 1));
  second.Handle(RecoveryDone{});
  second.Submit(Unit("j2", 0, 0, 1));
  FakeWorker worker("w0");
  second.CallNow(worker);
  EXPECT_NE(worker.Lease().find("/j2/"), std::string::npos);
}

TEST(DispatcherRecoveryTest, OnlyWhatIsStillWantedIsClaimed) {
  FakeWorker worker = WorkerOfFirstLife(4);
  Harness second(Epoch(2), false);
  second.Submit(Unit("j1", 0, 2, 2));  // 0 and 1 were stored before the end
  FinishAll(worker, {Ok(1), Ok(2), Ok(3), Ok(4)});
  second.Call(worker);
  EXPECT_EQ(second.results().size(), 2u);
  second.Handle(RecoveryDone{});
  EXPECT_EQ(second.CallNow(worker).acknowledged.size(), 1u);
  EXPECT_EQ(second.results().at({"j1", 0, 2})[0].latency->median_ns, 3);
  EXPECT_EQ(second.results().at({"j1", 0, 3})[0].latency->median_ns, 4);
}

TEST(DispatcherRecoveryTest, ALeaseMaySpanSeveralNewUnits) {
  FakeWorker worker = WorkerOfFirstLife(4);
  Harness second(Epoch(2), false);
  second.Submit(Unit("j1", 0, 0, 2));
  second.Submit(Unit("j1", 0, 2, 2));
  second.CallNow(worker);
  second.Handle(RecoveryDone{});
  FinishAll(worker, std::vector<measure::MeasureResult>(
                        worker.work.at(worker.Lease()).candidates.size(), Ok()));
  second.CallNow(worker);
  EXPECT_EQ(second.results().size(), 4u);
}

TEST(DispatcherRecoveryTest, AMixedLeaseThatItsWorkerForgotIsTakenApart) {
  FakeWorker worker = WorkerOfFirstLife(4);
  Harness second(Epoch(2), false);
  second.Submit(Unit("j1", 0, 0, 2));
  second.Submit(Unit("j1", 0, 2, 2));
  second.CallNow(worker);
  second.Handle(RecoveryDone{});
  worker.leases.clear();
  worker.base.capacity = 4;
  EXPECT_TRUE(second.CallNow(worker).execute.empty());
  const Orders orders = second.CallNow(worker);
  ASSERT_EQ(orders.execute.size(), 2u);
  EXPECT_EQ(orders.execute[0].candidates, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(orders.execute[1].candidates, (std::vector<int64_t>{0, 1}));
}

TEST(DispatcherRecoveryTest, AComparisonIsClaimedWholeOrNotAtAll) {
  FakeWorker worker = WorkerOfFirstLife(3, MeasureMode::kCompare);
  Harness second(Epoch(2), false);
  second.Submit(Unit("j1", 0, 0, 2, MeasureMode::kCompare));
  second.Handle(RecoveryDone{});
  FinishAll(worker, {Ok(), Ok(), Ok()});
  second.CallNow(worker);
  EXPECT_EQ(second.results().size(), 2u) << "all that is wanted of it is there";

  FakeWorker part = WorkerOfFirstLife(2, MeasureMode::kCompare);
  Harness third(Epoch(2), false);
  third.Submit(Unit("j1", 0, 0, 3, MeasureMode::kCompare));
  third.Handle(RecoveryDone{});
  FinishAll(part, {Ok(), Ok()});
  EXPECT_EQ(third.CallNow(part).acknowledged.size(), 1u);
  EXPECT_TRUE(third.results().empty()) << "two of three were compared";
}

TEST(DispatcherRecoveryTest, LeasesOfAnotherDatabaseMeanNothing) {
  FakeWorker worker = WorkerOfFirstLife(1);
  DispatcherOptions options = Epoch(2);
  options.realm = "another";
  Harness second(options, false);
  second.Submit(Unit("j1", 0, 0, 1));
  FinishAll(worker, {Failed(Outcome::kWrongResult)});
  EXPECT_EQ(second.CallNow(worker).acknowledged.size(), 1u);
  EXPECT_TRUE(second.results().empty());
}

TEST(DispatcherRecoveryTest, WithoutItsJobALeaseIsDroppedOnceRecoveryIsDone) {
  FakeWorker executing = WorkerOfFirstLife(1), finished = WorkerOfFirstLife(1);
  finished.base.worker = "w1";
  FinishAll(finished, std::vector<measure::MeasureResult>(
                          finished.work.at(finished.Lease()).candidates.size(), Ok()));
  Harness second(Epoch(2), false);
  EXPECT_EQ(second.CallNow(executing).execute.size(), 1u);
  EXPECT_EQ(second.AnswerTo(second.Call(finished)), nullptr);
  second.Handle(RecoveryDone{});
  EXPECT_TRUE(second.CallNow(executing).execute.empty());
  EXPECT_EQ(second.CallNow(finished).acknowledged.size(), 1u);
  EXPECT_TRUE(executing.leases.empty());
}

TEST(DispatcherRecoveryTest, AWorkerThatKeepsALeaseGetsNoSecondOne) {
  FakeWorker worker = WorkerOfFirstLife(1);
  Harness second(Epoch(2), false);
  second.CallNow(worker);
  second.Handle(RecoveryDone{});
  second.Submit(Unit("j2", 0, 0, 1));
  EXPECT_EQ(second.CallNow(worker).execute.size(), 1u);
}

TEST(DispatcherRecoveryTest, RecoveryEndsByItself) {
  FakeWorker worker = WorkerOfFirstLife(1);
  Harness second(Epoch(2), false);
  second.Submit(Unit("j2", 0, 0, 1));
  for (int i = 0; i < 30; ++i) {
    second.CallNow(worker);
    second.Advance(absl::Seconds(1));
  }
  EXPECT_NE(worker.Lease().find("/j1/"), std::string::npos) << "kept for its job";
  for (int i = 0; i < 40; ++i) {
    second.CallNow(worker);
    second.Advance(absl::Seconds(1));
  }
  EXPECT_NE(worker.Lease().find("/j2/"), std::string::npos);
}

TEST(DispatcherRecoveryTest, ACancelledJobDoesNotComeBack) {
  Harness second(Epoch(2), false);
  second.Submit(Unit("j1", 0, 0, 1));
  second.Handle(CancelJob{"j1"});
  second.Handle(RecoveryDone{});
  FakeWorker worker("w0");
  const CallId call = second.Call(worker);
  second.Advance(absl::Seconds(4));
  EXPECT_EQ(second.AnswerTo(call), nullptr);
}

}  // namespace
}  // namespace alt::dispatch
