// Without faults.
#include "server/dispatch/dispatcher.h"

#include <gtest/gtest.h>

#include "tests/server/dispatch/harness.h"
#include "tests/testing/status_matchers.h"

namespace alt::dispatch {
namespace {

using measure::MeasureMode;
using measure::Outcome;
using testing::StatusIs;

TEST(DispatcherTest, ACandidateGoesToAWorkerAndItsResultComesBack) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 2));
  const Orders orders = harness.CallNow(worker);
  ASSERT_EQ(orders.execute.size(), 1u);
  EXPECT_TRUE(orders.execute[0].described);
  EXPECT_EQ(orders.execute[0].request->candidates.size(), 2u);
  EXPECT_EQ(orders.execute[0].candidates, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(orders.execute[0].duration, absl::Seconds(10));
  EXPECT_GT(orders.next_call_in, absl::ZeroDuration());
  EXPECT_LT(orders.next_call_in, absl::Seconds(5));
  worker.Finish(worker.Lease(), {Ok(7), Failed(Outcome::kCrashed)});
  const Orders after = harness.CallNow(worker);
  EXPECT_EQ(after.acknowledged.size(), 1u);
  EXPECT_TRUE(after.execute.empty());
  EXPECT_TRUE(worker.leases.empty());
  EXPECT_EQ(harness.OutcomeOf("j1", 0, 0), Outcome::kOk);
  EXPECT_EQ(harness.OutcomeOf("j1", 0, 1), Outcome::kCrashed);
  ASSERT_EQ(harness.result_effects().size(), 1u);
  EXPECT_EQ(harness.result_effects()[0].worker, "w0");
  EXPECT_EQ(harness.result_effects()[0].validators, worker.base.facts.validators);
}

TEST(DispatcherTest, AnIdleCallIsHeldAndAnsweredWhenThereIsWork) {
  Harness harness;
  FakeWorker worker("w0");
  const CallId call = harness.Call(worker);
  EXPECT_EQ(harness.AnswerTo(call), nullptr);
  harness.Advance(absl::Seconds(2));
  EXPECT_EQ(harness.AnswerTo(call), nullptr);
  harness.Submit(Unit("j1", 0, 0, 1));
  ASSERT_TRUE(harness.Deliver(call, worker));
  EXPECT_EQ(worker.leases.size(), 1u);
}

TEST(DispatcherTest, ACallIsHeldNoLongerThanAskedForNorThanFiveSeconds) {
  Harness harness;
  FakeWorker worker("w0");
  CallId call = harness.Call(worker);
  harness.Advance(absl::Milliseconds(4999));
  EXPECT_EQ(harness.AnswerTo(call), nullptr);
  harness.Advance(absl::Milliseconds(1));
  ASSERT_NE(harness.AnswerTo(call), nullptr);
  EXPECT_TRUE(harness.AnswerTo(call)->execute.empty());
  worker.base.max_wait = absl::Hours(1);
  call = harness.Call(worker);
  harness.Advance(absl::Seconds(5));
  EXPECT_NE(harness.AnswerTo(call), nullptr);
  worker.base.max_wait = absl::Milliseconds(150);
  call = harness.Call(worker);
  harness.Advance(absl::Milliseconds(149));
  EXPECT_EQ(harness.AnswerTo(call), nullptr);
  harness.Advance(absl::Milliseconds(1));
  EXPECT_NE(harness.AnswerTo(call), nullptr);
  worker.base.max_wait = absl::Seconds(-1);
  call = harness.Call(worker);
  EXPECT_NE(harness.AnswerTo(call), nullptr);
}

TEST(DispatcherTest, ANewCallTakesThePlaceOfAHeldOne) {
  Harness harness;
  FakeWorker worker("w0");
  const CallId first = harness.Call(worker);
  const CallId second = harness.Call(worker);
  EXPECT_NE(harness.AnswerTo(first), nullptr);
  EXPECT_EQ(harness.AnswerTo(second), nullptr);
  harness.Submit(Unit("j1", 0, 0, 1));
  EXPECT_NE(harness.AnswerTo(second), nullptr);
}

TEST(DispatcherTest, ACallThatIsGoneGetsNoWork) {
  Harness harness;
  FakeWorker gone("gone"), there("there");
  const CallId call = harness.Call(gone);
  const CallId other = harness.Call(there);
  harness.Handle(CallEnded{call});
  harness.Handle(CallEnded{12345});
  harness.Submit(Unit("j1", 0, 0, 1));
  EXPECT_EQ(harness.AnswerTo(call), nullptr);
  EXPECT_NE(harness.AnswerTo(other), nullptr);
}

TEST(DispatcherTest, UnitsSpreadOverIdleWorkersFirst) {
  Harness harness;
  FakeWorker a("a"), b("b");
  a.base.capacity = b.base.capacity = 2;
  const CallId call_a = harness.Call(a), call_b = harness.Call(b);
  SubmitUnits two;
  two.units = {Unit("j1", 0, 0, 4), Unit("j1", 0, 4, 4)};
  harness.Handle(two);
  EXPECT_EQ(harness.AnswerTo(call_a)->execute.size(), 1u);
  EXPECT_EQ(harness.AnswerTo(call_b)->execute.size(), 1u);
}

TEST(DispatcherTest, AWorkerHoldsNoMoreLeasesThanItWants) {
  Harness harness;
  FakeWorker worker("w0");
  worker.base.capacity = 2;
  for (int64_t i = 0; i < 5; ++i) harness.Submit(Unit("j1", i, 0, 1));
  EXPECT_EQ(harness.CallNow(worker).execute.size(), 2u);
  worker.Finish(worker.Lease());
  EXPECT_EQ(harness.CallNow(worker).execute.size(), 2u);
  worker.base.capacity = 1000;
  EXPECT_EQ(harness.CallNow(worker).execute.size(), 4u);  // max_leases_of_worker
}

TEST(DispatcherTest, ALeaseIsDescribedUntilTheWorkerSaysThatItHasIt) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 1));
  const Orders first = harness.CallNow(worker);
  worker.leases.clear();  // the answer was lost
  const Orders again = harness.CallNow(worker);
  ASSERT_EQ(again.execute.size(), 1u);
  EXPECT_EQ(again.execute[0].lease_id, first.execute[0].lease_id);
  EXPECT_TRUE(again.execute[0].described);
  worker.base.max_wait = absl::ZeroDuration();
  const Orders known = harness.CallNow(worker);
  ASSERT_EQ(known.execute.size(), 1u);
  EXPECT_FALSE(known.execute[0].described);
  EXPECT_EQ(known.execute[0].request, nullptr);
}

TEST(DispatcherTest, ResultsMayComeOneByOne) {
  Harness harness;
  harness.set_auto_store(false);
  FakeWorker worker("w0");
  worker.base.max_wait = absl::ZeroDuration();
  harness.Submit(Unit("j1", 0, 0, 3));
  harness.CallNow(worker);
  const std::string lease = worker.Lease();
  worker.AddResult(lease, 1, Ok());
  EXPECT_TRUE(harness.CallNow(worker).acknowledged_results.empty()) << "not stored yet";
  EXPECT_TRUE(harness.HasResult("j1", 0, 1));
  EXPECT_FALSE(harness.HasResult("j1", 0, 0));
  harness.CallNow(worker);  // said again, taken once
  harness.Store("j1", 0, {1});
  const Orders orders = harness.CallNow(worker);
  ASSERT_EQ(orders.acknowledged_results.size(), 1u);
  EXPECT_EQ(orders.acknowledged_results[0], std::pair(lease, int64_t{1}));
  EXPECT_TRUE(worker.leases[0].results.empty());
  worker.Finish(lease);
  EXPECT_TRUE(harness.CallNow(worker).acknowledged.empty());
  EXPECT_EQ(harness.results().size(), 3u);
  harness.Store("j1", 0, {0, 2});
  EXPECT_EQ(harness.CallNow(worker).acknowledged, (std::vector<std::string>{lease}));
}

TEST(DispatcherTest, AResultIsAcknowledgedWhenItIsStoredAndNotBefore) {
  Harness harness;
  harness.set_auto_store(false);
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(worker);
  worker.Finish(worker.Lease());
  const CallId call = harness.Call(worker);
  EXPECT_EQ(harness.AnswerTo(call), nullptr) << "nothing to tell yet";
  EXPECT_TRUE(harness.HasResult("j1", 0, 0));
  harness.Store("j1", 0, {0});
  ASSERT_TRUE(harness.Deliver(call, worker));
  EXPECT_TRUE(worker.leases.empty());
}

TEST(DispatcherTest, AWorkerWithUnstoredResultsGetsNewWork) {
  Harness harness;
  harness.set_auto_store(false);
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.Submit(Unit("j1", 1, 0, 1));
  harness.CallNow(worker);
  worker.Finish(worker.Lease());
  const Orders orders = harness.CallNow(worker);
  EXPECT_TRUE(orders.acknowledged.empty());
  EXPECT_EQ(orders.execute.size(), 1u);
}

TEST(DispatcherTest, WhatIsSubmittedTwiceIsMeasuredOnce) {
  Harness harness;
  FakeWorker worker("w0");
  worker.base.capacity = 4;
  harness.Submit(Unit("j1", 0, 0, 4));
  harness.Submit(Unit("j1", 0, 2, 4));
  const Orders orders = harness.CallNow(worker);
  ASSERT_EQ(orders.execute.size(), 2u);
  EXPECT_EQ(orders.execute[0].candidates, (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(orders.execute[1].candidates, (std::vector<int64_t>{2, 3})) << "of the second unit";
  worker.Finish(orders.execute[0].lease_id);
  worker.Finish(orders.execute[1].lease_id);
  harness.CallNow(worker);
  EXPECT_EQ(harness.results().size(), 6u);
}

TEST(DispatcherTest, ACancelledJobIsTakenFromItsWorkers) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 2));
  harness.Submit(Unit("j1", 1, 0, 2));
  harness.Submit(Unit("j2", 0, 0, 1));
  harness.CallNow(worker);
  worker.base.max_wait = absl::Seconds(5);
  const CallId call = harness.Call(worker);
  EXPECT_EQ(harness.AnswerTo(call), nullptr);
  harness.Handle(CancelJob{"j1"});
  ASSERT_TRUE(harness.Deliver(call, worker));
  EXPECT_NE(worker.Lease().find("/j2/"), std::string::npos);
  EXPECT_EQ(worker.leases.size(), 1u);
  worker.Finish(worker.Lease());
  harness.CallNow(worker);
  EXPECT_EQ(harness.results().size(), 1u);
  EXPECT_EQ(harness.dispatcher().JobStatus("j1").queued, 0);
}

TEST(DispatcherTest, ResultsOfACancelledJobAreOfNoUse) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(worker);
  harness.Handle(CancelJob{"j1"});
  worker.Finish(worker.Lease());
  EXPECT_EQ(harness.CallNow(worker).acknowledged.size(), 1u);
  EXPECT_TRUE(harness.results().empty());
  // The job goes on later: everything anew.
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(worker);
  worker.Finish(worker.Lease());
  harness.CallNow(worker);
  EXPECT_EQ(harness.results().size(), 1u);
}

TEST(DispatcherTest, ADrainingWorkerFinishesAndGetsNothingNew) {
  Harness harness;
  FakeWorker worker("w0");
  worker.base.capacity = 2;
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(worker);
  harness.Submit(Unit("j1", 1, 0, 1));
  worker.base.draining = true;
  worker.Finish(worker.Lease());
  const Orders orders = harness.CallNow(worker);
  EXPECT_EQ(orders.acknowledged.size(), 1u);
  EXPECT_TRUE(orders.execute.empty());
  harness.Advance(absl::Seconds(30));
  ASSERT_EQ(harness.changes().size(), 2u);
  EXPECT_EQ(harness.changes()[1].change, WorkerChanged::Change::kLeft);
}

TEST(DispatcherTest, AnUnhealthyWorkerGetsNothing) {
  Harness harness;
  FakeWorker worker("w0");
  worker.base.unhealthy = "cannot kill a candidate";
  harness.Submit(Unit("j1", 0, 0, 1));
  const CallId call = harness.Call(worker);
  harness.Advance(absl::Seconds(5));
  ASSERT_NE(harness.AnswerTo(call), nullptr);
  EXPECT_TRUE(harness.AnswerTo(call)->execute.empty());
  EXPECT_EQ(harness.AnswerTo(call)->next_call_in, absl::Seconds(5));
  EXPECT_EQ(harness.dispatcher().Workers()[0].takes_no_work, "unhealthy: cannot kill a candidate");
  worker.base.unhealthy.clear();
  EXPECT_EQ(harness.CallNow(worker).execute.size(), 1u);
}

TEST(DispatcherTest, HandedBackCandidatesGoToAnotherWorker) {
  Harness harness;
  FakeWorker leaving("leaving"), staying("staying");
  harness.Submit(Unit("j1", 0, 0, 3));
  harness.CallNow(leaving);
  const std::string lease = leaving.Lease();
  leaving.AddResult(lease, 0, Ok());
  leaving.AddResult(lease, 1, Failed(Outcome::kCancelled));
  leaving.base.draining = true;
  leaving.HandBack(lease);
  harness.CallNow(leaving);
  EXPECT_TRUE(leaving.leases.empty());
  const Orders orders = harness.CallNow(staying);
  ASSERT_EQ(orders.execute.size(), 1u);
  EXPECT_EQ(orders.execute[0].candidates, (std::vector<int64_t>{1, 2}));
  staying.Finish(staying.Lease());
  harness.CallNow(staying);
  EXPECT_EQ(harness.OutcomeOf("j1", 0, 1), Outcome::kOk);
  EXPECT_EQ(harness.results().size(), 3u);
}

TEST(DispatcherTest, AMissingResultCountsAsHandedBack) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 3));
  harness.CallNow(worker);
  worker.Finish(worker.Lease(), {Ok(), Ok()});
  const Orders orders = harness.CallNow(worker);
  ASSERT_EQ(orders.execute.size(), 1u) << "it brought results: nothing is held against it";
  EXPECT_EQ(orders.execute[0].candidates, (std::vector<int64_t>{2}));
}

TEST(DispatcherTest, AComparisonIsWholeOrNothing) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 3, MeasureMode::kCompare));
  harness.CallNow(worker);
  std::string lease = worker.Lease();
  worker.AddResult(lease, 0, Ok());
  worker.base.max_wait = absl::ZeroDuration();
  harness.CallNow(worker);
  EXPECT_TRUE(harness.results().empty()) << "a part of a comparison";
  worker.Finish(lease, {Ok(), Ok(), Failed(Outcome::kCancelled)});
  harness.CallNow(worker);
  EXPECT_TRUE(harness.results().empty());
  harness.Advance(absl::Seconds(2));
  EXPECT_EQ(harness.CallNow(worker).execute[0].candidates.size(), 3u);
  worker.Finish(worker.Lease());
  harness.CallNow(worker);
  EXPECT_EQ(harness.results().size(), 3u);
}

TEST(DispatcherTest, ThePeakOfAMachineIsMeasuredLikeACandidate) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(PeakUnit("j1"));
  const Orders orders = harness.CallNow(worker);
  ASSERT_EQ(orders.execute.size(), 1u);
  EXPECT_EQ(orders.execute[0].peak_threads, CpuTarget().threads);
  EXPECT_EQ(orders.execute[0].request, nullptr);
  LeaseReport& lease = worker.leases[0];
  lease.state = LeaseReport::State::kFinished;
  lease.peak = measure::Peak{.gflops_1t = 100, .gflops = 190, .threads = 2};
  EXPECT_EQ(harness.CallNow(worker).acknowledged.size(), 1u);
  ASSERT_EQ(harness.result_effects().size(), 1u);
  EXPECT_EQ(harness.result_effects()[0].peak->gflops, 190);
  EXPECT_EQ(harness.result_effects()[0].job, "j1");
}

TEST(DispatcherTest, WorkIsMatchedByTarget) {
  Harness harness;
  FakeWorker small("small", 1, 2), large("large", 1, 8);
  WorkUnit unit = Unit("j1", 0, 0, 1);
  unit.target = CpuTarget(4);
  EXPECT_FALSE(harness.dispatcher().Serves(CpuTarget(4)));
  const CallId call = harness.Call(small);
  harness.Submit(unit);
  EXPECT_EQ(harness.AnswerTo(call), nullptr);
  EXPECT_FALSE(harness.dispatcher().Serves(CpuTarget(4)));
  EXPECT_EQ(harness.CallNow(large).execute.size(), 1u);
  EXPECT_TRUE(harness.dispatcher().Serves(CpuTarget(4)));
  EXPECT_TRUE(harness.dispatcher().Serves(CpuTarget(2)));
}

TEST(DispatcherTest, ItSaysWhyNobodyTakesWorkOfATarget) {
  Harness harness;
  const auto why = [&](int threads) {
    return harness.dispatcher().WhyUnserved(CpuTarget(threads));
  };
  EXPECT_EQ(why(1), "no worker for cpu:mcpu=znver4,vec=512,threads=1");
  FakeWorker a("a"), b("b");
  harness.Call(a);
  EXPECT_EQ(why(1), "");
  EXPECT_EQ(why(8), "no worker for cpu:mcpu=znver4,vec=512,threads=8; 1 of other kinds");
  a.base.unhealthy = "/dev/shm is full";
  harness.Call(a);
  b.base.draining = true;
  harness.Call(b);
  EXPECT_EQ(why(1), "no worker takes work: a is unhealthy: /dev/shm is full; b is leaving");
}

TEST(DispatcherTest, DrainAnswersEverybodyAndLeasesNothing) {
  Harness harness;
  FakeWorker idle("idle"), busy("busy");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(busy);
  const CallId held = harness.Call(idle), held_busy = harness.Call(busy);
  harness.Handle(Drain{});
  EXPECT_TRUE(harness.AnswerTo(held)->execute.empty());
  EXPECT_EQ(harness.AnswerTo(held)->next_call_in, absl::Seconds(5));
  EXPECT_EQ(harness.AnswerTo(held_busy)->execute.size(), 1u);
  harness.Submit(Unit("j1", 1, 0, 1));
  EXPECT_TRUE(harness.CallNow(idle).execute.empty());
  busy.Finish(busy.Lease());
  EXPECT_EQ(harness.CallNow(busy).acknowledged.size(), 1u);
  EXPECT_EQ(harness.results().size(), 1u);
}

TEST(DispatcherTest, ViewsShowWhoWorksOnWhat) {
  Harness harness;
  FakeWorker a("a"), b("b");
  harness.Submit(Unit("j1", 0, 0, 3));
  harness.Submit(Unit("j1", 1, 0, 2));
  harness.CallNow(a);
  harness.Call(b);
  harness.Advance(absl::Seconds(2));
  const auto workers = harness.dispatcher().Workers();
  ASSERT_EQ(workers.size(), 2u);
  EXPECT_EQ(workers[0].name, "a");
  EXPECT_EQ(workers[0].job, "j1");
  EXPECT_EQ(workers[0].since_last_call, absl::Seconds(2));
  const JobView job = harness.dispatcher().JobStatus("j1");
  EXPECT_EQ(job.leased, 5);
  EXPECT_EQ(job.queued, 0);
  EXPECT_EQ(job.workers, 2);
  a.Finish(a.Lease());
  harness.Call(a);
  EXPECT_EQ(harness.dispatcher().Workers()[0].measured, 3);
  EXPECT_EQ(harness.dispatcher().JobStatus("j1").workers, 1);
  EXPECT_EQ(harness.dispatcher().JobStatus("j9").workers, 0);
}

TEST(DispatcherTest, WithoutWorkersNothingIsDue) {
  Harness harness;
  EXPECT_EQ(harness.dispatcher().NextWake(), absl::InfiniteDuration());
  FakeWorker worker("w0");
  harness.Call(worker);
  EXPECT_LE(harness.dispatcher().NextWake(), harness.now() + absl::Seconds(1));
}

}  // namespace
}  // namespace alt::dispatch
