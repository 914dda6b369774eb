// Lost, repeated, late and hostile messages; workers that vanish, hang and return.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "server/dispatch/dispatcher.h"
#include "tests/server/dispatch/harness.h"
#include "tests/testing/status_matchers.h"

namespace alt::dispatch {
namespace {

using measure::MeasureMode;
using measure::Outcome;
using testing::StatusIs;

// Says that it has its lease, as a worker does before it can die of it.
void Confirm(Harness& harness, FakeWorker& worker) {
  const absl::Duration wait = std::exchange(worker.base.max_wait, absl::ZeroDuration());
  harness.CallNow(worker);
  worker.base.max_wait = wait;
}

constexpr absl::Duration kLost = absl::Seconds(21);  // lease + grace + one sweep

TEST(DispatcherFaultsTest, ASilentWorkersCandidatesGoToAnotherAfterLeaseAndGrace) {
  Harness harness;
  FakeWorker dead("dead"), other("other");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(dead);
  CallId call = harness.Call(other);
  const absl::Duration start = harness.now();
  while (!harness.AnswerTo(call) || harness.AnswerTo(call)->execute.empty()) {
    ASSERT_LT(harness.now() - start, absl::Seconds(22));
    if (harness.AnswerTo(call)) call = harness.Call(other);
    harness.Advance(absl::Milliseconds(100));
  }
  EXPECT_GE(harness.now() - start, absl::Seconds(20));
  EXPECT_EQ(harness.changes().back().change, WorkerChanged::Change::kLost);
  EXPECT_EQ(harness.changes().back().worker, "dead");
}

TEST(DispatcherFaultsTest, EachCallRenewsTheLease) {
  Harness harness;
  FakeWorker worker("w0");
  worker.base.max_wait = absl::ZeroDuration();
  harness.Submit(Unit("j1", 0, 0, 8));
  harness.CallNow(worker);
  const std::string lease = worker.Lease();
  for (int i = 0; i < 10; ++i) {
    harness.Advance(absl::Seconds(19));
    harness.CallNow(worker);
    EXPECT_EQ(worker.Lease(), lease);
  }
  EXPECT_EQ(harness.changes().size(), 1u);
}

TEST(DispatcherFaultsTest, AHeldCallIsASignOfLife) {
  Harness harness({.lease = absl::Seconds(1), .grace = absl::Seconds(1)});
  FakeWorker worker("w0");
  harness.Call(worker);
  harness.Advance(absl::Milliseconds(4900));
  EXPECT_EQ(harness.changes().size(), 1u);
}

TEST(DispatcherFaultsTest, ACandidateThatKillsWorkersIsGivenUpAndItsNeighboursAreNot) {
  Harness harness;
  harness.Submit(Unit("j1", 0, 0, 4));
  FakeWorker first("first");
  harness.CallNow(first);
  Confirm(harness, first);
  harness.Advance(kLost);
  // After one loss each goes alone; candidate 2 kills again.
  int killed = 0;
  for (int round = 0; round < 6 && harness.results().size() < 4; ++round) {
    FakeWorker worker(absl::StrCat("w", round));
    const Orders orders = harness.CallNow(worker);
    ASSERT_EQ(orders.execute.size(), 1u);
    ASSERT_EQ(orders.execute[0].candidates.size(), 1u);
    Confirm(harness, worker);
    if (orders.execute[0].candidates[0] == 2) {
      ++killed;
      harness.Advance(kLost);
    } else {
      worker.Finish(worker.Lease());
      worker.base.draining = true;
      harness.CallNow(worker);
    }
  }
  EXPECT_EQ(killed, 1);
  EXPECT_EQ(harness.OutcomeOf("j1", 0, 2), Outcome::kWorkerLost);
  for (const int64_t index : {0, 1, 3}) EXPECT_EQ(harness.OutcomeOf("j1", 0, index), Outcome::kOk);
  EXPECT_NE(harness.results().at({"j1", 0, 2})[0].message.find("2 losses"), std::string::npos);
}

TEST(DispatcherFaultsTest, MaxLossesIsTheUnits) {
  Harness harness;
  WorkUnit unit = Unit("j1", 0, 0, 2, MeasureMode::kCompare);
  unit.max_losses = 4;
  harness.Submit(unit);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(harness.results().empty());
    FakeWorker worker(absl::StrCat("w", i));
    EXPECT_EQ(harness.CallNow(worker).execute[0].candidates.size(), 2u) << "compared together";
    Confirm(harness, worker);
    harness.Advance(kLost);
  }
  EXPECT_EQ(harness.OutcomeOf("j1", 0, 0), Outcome::kWorkerLost);
  EXPECT_EQ(harness.OutcomeOf("j1", 0, 1), Outcome::kWorkerLost);
}

TEST(DispatcherFaultsTest, ResultsThatCameBeforeTheLossCount) {
  Harness harness;
  FakeWorker worker("w0"), other("w1");
  harness.Submit(Unit("j1", 0, 0, 3));
  harness.CallNow(worker);
  worker.AddResult(worker.Lease(), 0, Ok());
  Confirm(harness, worker);
  harness.Advance(kLost);
  other.base.capacity = 4;
  const Orders orders = harness.CallNow(other);
  ASSERT_EQ(orders.execute.size(), 2u);
  EXPECT_EQ(orders.execute[0].candidates, (std::vector<int64_t>{1}));
  EXPECT_EQ(orders.execute[1].candidates, (std::vector<int64_t>{2}));
}

TEST(DispatcherFaultsTest, AWorkerThatNeverHeardOfItsLeaseIsNotBlamedOnTheCandidate) {
  Harness harness;
  harness.Submit(Unit("j1", 0, 0, 2));
  for (int i = 0; i < 9; ++i) {
    FakeWorker worker(absl::StrCat("w", i));
    EXPECT_EQ(harness.CallNow(worker).execute[0].candidates.size(), 2u);
    harness.Advance(kLost);
  }
  EXPECT_TRUE(harness.results().empty());
  // But not for ever: it may be the description that kills.
  FakeWorker last("last");
  harness.CallNow(last);
  harness.Advance(kLost);
  EXPECT_EQ(harness.OutcomeOf("j1", 0, 0), Outcome::kWorkerLost);
}

TEST(DispatcherFaultsTest, WhatIsHandedBackGoesElsewhere) {
  Harness harness;
  FakeWorker broken("broken"), other("other");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(broken);
  const CallId busy = harness.Call(other);
  broken.HandBack(broken.Lease(), "no room on the device");
  harness.Call(broken);
  ASSERT_TRUE(harness.Deliver(busy, other));
  EXPECT_EQ(other.leases.size(), 1u);
}

TEST(DispatcherFaultsTest, AWorkerDoesNotGetAgainWhatItHandedBackWhileAnotherMayTakeIt) {
  Harness harness;
  FakeWorker broken("broken"), other("other");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(broken);
  harness.Submit(Unit("j2", 0, 0, 1));
  harness.CallNow(other);  // is at work on j2
  other.base.max_wait = absl::ZeroDuration();
  broken.HandBack(broken.Lease());
  harness.CallNow(broken);
  for (int i = 0; i < 10; ++i) {
    harness.Advance(absl::Seconds(5));
    harness.Call(broken);
    harness.CallNow(other);
    EXPECT_TRUE(broken.leases.empty());
  }
  EXPECT_EQ(harness.dispatcher().WhyUnserved(CpuTarget()), "") << "it is not suspended any more";
  other.Finish(other.Lease());
  const Orders orders = harness.CallNow(other);
  ASSERT_EQ(orders.execute.size(), 1u);
  EXPECT_NE(orders.execute[0].lease_id.find("/j1/"), std::string::npos);
}

TEST(DispatcherFaultsTest, AWorkerThatHandsEverythingBackBurnsNobodysCandidates) {
  Harness harness;
  FakeWorker broken("broken");
  harness.Submit(Unit("j1", 0, 0, 8));
  int64_t leases = 0;
  for (int second = 0; second < 600; ++second) {
    harness.Call(broken);
    harness.Advance(absl::Seconds(1));
    harness.Call(broken);
    if (broken.leases.empty()) continue;
    ++leases;
    broken.HandBack(broken.Lease(), "no room on the device");
  }
  EXPECT_TRUE(harness.results().empty());
  EXPECT_LE(leases, 15) << "its pauses grow to a minute";
  const JobView job = harness.dispatcher().JobStatus("j1");
  EXPECT_EQ(job.queued + job.leased, 8);
  for (; broken.leases.empty(); harness.Advance(absl::Seconds(1))) harness.Call(broken);
  broken.HandBack(broken.Lease(), "no room on the device");
  harness.CallNow(broken);
  EXPECT_EQ(harness.dispatcher().JobStatus("j1").waits_for, "broken: no room on the device");
  EXPECT_NE(harness.dispatcher()
                .WhyUnserved(CpuTarget())
                .find("broken is suspended for 1m4s: "
                      "handed back: no room"),
            std::string::npos)
      << harness.dispatcher().WhyUnserved(CpuTarget());
  EXPECT_EQ(harness.dispatcher().Workers()[0].takes_no_work.substr(0, 18), "suspended for 1m4s");
}

TEST(DispatcherFaultsTest, AResultMakesAWorkersHandBacksGood) {
  Harness harness;
  FakeWorker worker("w0");
  for (int i = 0; i < 20; ++i) {
    harness.Submit(Unit("j1", i, 0, 1));
    harness.CallNow(worker);
    worker.HandBack(worker.Lease(), "no room");
    harness.Call(worker);
    harness.Advance(absl::Seconds(2));
    harness.Call(worker);
    ASSERT_FALSE(worker.leases.empty()) << "after " << i << " hand-backs";
    worker.Finish(worker.Lease());
    harness.CallNow(worker);
  }
  EXPECT_EQ(harness.results().size(), 20u);
}

TEST(DispatcherFaultsTest, OneWorkerThatKeepsDyingIsNotBlamedOnTheCandidateSoon) {
  Harness harness;
  harness.Submit(Unit("j1", 0, 0, 1));
  int deaths = 0;
  for (; harness.results().empty(); ++deaths) {
    ASSERT_LT(deaths, kMaxLossesOfAll);
    FakeWorker worker("w0", deaths + 1);
    CallId call = harness.Call(worker);
    while (!harness.Deliver(call, worker) || worker.leases.empty()) {
      harness.Advance(absl::Seconds(1));
      if (harness.Deliver(call, worker) && worker.leases.empty()) call = harness.Call(worker);
    }
    Confirm(harness, worker);
    harness.Advance(kLost);
  }
  EXPECT_EQ(deaths, kMaxLossesOfAll);
  EXPECT_EQ(harness.OutcomeOf("j1", 0, 0), Outcome::kWorkerLost);
}

TEST(DispatcherFaultsTest, AWorkerDoesNotSayThatItIsLost) {
  Harness harness;
  FakeWorker liar("liar");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(liar);
  liar.Finish(liar.Lease(), {Failed(Outcome::kWorkerLost)});
  harness.CallNow(liar);
  EXPECT_TRUE(harness.results().empty());
  EXPECT_NE(harness.dispatcher().WhyUnserved(CpuTarget()), "");
}

TEST(DispatcherFaultsTest, NumbersThatCannotBeAreMeasuredElsewhere) {
  Harness harness;
  FakeWorker liar("liar"), honest("honest");
  harness.Submit(Unit("j1", 0, 0, 2));
  harness.Submit(Unit("j1", 1, 0, 2, MeasureMode::kCompare));
  for (int i = 0; i < 2; ++i) {
    for (; liar.leases.empty(); harness.Advance(absl::Seconds(1))) harness.Call(liar);
    liar.Finish(liar.Lease(), {Ok(1e-300), Ok()});
    harness.CallNow(liar);
    harness.CallNow(honest);
    honest.Finish(honest.Lease());
    harness.CallNow(honest);
    EXPECT_EQ(harness.OutcomeOf("j1", i, 0), Outcome::kOk);
    EXPECT_EQ(harness.OutcomeOf("j1", i, 1), Outcome::kOk);
    EXPECT_EQ(harness.results().at({"j1", i, 0})[0].latency->median_ns, 100);
    for (int k = 0; k < 3; ++k) harness.Call(liar);  // forgets what is acknowledged
  }
}

TEST(DispatcherFaultsTest, NumbersThatCannotBeTwiceAreImplausibleAndSuspendTheirWorker) {
  Harness harness;
  FakeWorker liar("liar");
  liar.base.capacity = 2;
  harness.Submit(Unit("j1", 0, 0, 2));
  harness.Submit(Unit("j1", 1, 0, 2));
  harness.CallNow(liar);
  liar.Finish(liar.Lease(), {Ok(1e-300), Ok()});
  harness.CallNow(liar);
  EXPECT_FALSE(harness.HasResult("j1", 0, 0)) << "somebody else may know better";
  EXPECT_EQ(harness.OutcomeOf("j1", 0, 1), Outcome::kOk);
  EXPECT_EQ(harness.dispatcher().JobStatus("j1").queued, 3) << "what else it had, too";
  harness.CallNow(liar);
  EXPECT_TRUE(liar.leases.empty());
  const std::string why = harness.dispatcher().Workers()[0].takes_no_work;
  EXPECT_NE(why.find("suspended for 1m: reported 1e-300 ns"), std::string::npos) << why;
  const absl::Duration start = harness.now();
  for (; liar.leases.empty(); harness.Advance(absl::Seconds(1))) harness.Call(liar);
  EXPECT_GE(harness.now() - start, absl::Minutes(1));
  for (int i = 0; i < 3600 && !harness.HasResult("j1", 0, 0); ++i) {
    if (!liar.leases.empty()) {
      const std::string lease = liar.leases[0].lease_id;
      liar.Finish(lease, std::vector(liar.work.at(lease).candidates.size(), Ok(1e-300)));
    }
    harness.Call(liar);
    harness.Advance(absl::Seconds(1));
  }
  EXPECT_EQ(harness.OutcomeOf("j1", 0, 0), Outcome::kImplausible);
  EXPECT_FALSE(harness.results().at({"j1", 0, 0})[0].latency.has_value());
}

TEST(DispatcherFaultsTest, ImplausibleLimitsOfAMachineAreMeasuredElsewhere) {
  Harness harness;
  FakeWorker liar("liar"), other("other");
  harness.Submit(PeakUnit("j1"));
  harness.CallNow(liar);
  liar.leases[0].state = LeaseReport::State::kFinished;
  liar.leases[0].peak = measure::Peak{.gflops_1t = 1e9, .gflops = 1e9, .threads = 1};
  harness.CallNow(liar);
  EXPECT_TRUE(harness.result_effects().empty());
  EXPECT_EQ(harness.CallNow(other).execute.size(), 1u);
}

TEST(DispatcherFaultsTest, WorkersThatLeaveAreNotHeldAgainstTheCandidate) {
  Harness harness;
  harness.Submit(Unit("j1", 0, 0, 1));
  for (int i = 1; i < 50; ++i) {
    FakeWorker worker("w0", i);
    harness.CallNow(worker);
    worker.base.draining = true;
    worker.HandBack(worker.Lease());
    harness.CallNow(worker);
  }
  EXPECT_TRUE(harness.results().empty());
}

TEST(DispatcherFaultsTest, ASessionThatLeavesDoesNotComeBack) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(worker);
  worker.base.draining = true;
  worker.HandBack(worker.Lease());
  harness.CallNow(worker);
  worker.base.draining = false;
  harness.Call(worker);
  EXPECT_TRUE(worker.leases.empty());
  FakeWorker next("w0", 2);
  EXPECT_EQ(harness.CallNow(next).execute.size(), 1u);
}

TEST(DispatcherFaultsTest, AHandBackThatIsRepeatedCountsOnce) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(worker);
  worker.HandBack(worker.Lease());
  worker.base.capacity = 0;
  for (int i = 0; i < 20; ++i) {
    Report report = worker.MakeReport();  // its answers are lost
    harness.Handle(Synchronize{1000 + i, report});
    EXPECT_EQ(harness.AnswerTo(1000 + i)->acknowledged.size(), 1u);
  }
  EXPECT_TRUE(harness.results().empty());
}

TEST(DispatcherFaultsTest, RepeatedResultsCountOnce) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 2));
  harness.CallNow(worker);
  worker.Finish(worker.Lease(), {Ok(1), Ok(2)});
  const Report report = worker.MakeReport();
  for (int i = 0; i < 5; ++i) harness.Handle(Synchronize{1000 + i, report});
  EXPECT_EQ(harness.results().size(), 2u);  // the harness fails on a second result
  for (int i = 0; i < 5; ++i) EXPECT_EQ(harness.AnswerTo(1000 + i)->acknowledged.size(), 1u);
}

TEST(DispatcherFaultsTest, AReportThatComesLateDoesNoHarm) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(worker);
  const Report executing = worker.MakeReport();
  worker.Finish(worker.Lease());
  harness.CallNow(worker);
  harness.Handle(Synchronize{1000, executing});
  ASSERT_NE(harness.AnswerTo(1000), nullptr);
  EXPECT_TRUE(harness.AnswerTo(1000)->execute.empty());
  EXPECT_EQ(harness.results().size(), 1u);
}

TEST(DispatcherFaultsTest, AnotherWorkersLeaseIsNotAnybodys) {
  Harness harness;
  FakeWorker holder("holder"), thief("thief");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(holder);
  thief.leases = holder.leases;
  thief.work = holder.work;
  thief.Finish(thief.leases[0].lease_id, {Failed(Outcome::kWrongResult)});
  harness.Call(thief);
  EXPECT_TRUE(harness.results().empty());
  holder.Finish(holder.Lease());
  harness.CallNow(holder);
  EXPECT_EQ(harness.OutcomeOf("j1", 0, 0), Outcome::kOk);
}

TEST(DispatcherFaultsTest, ANewSessionTakesOverAtOnceAndTheOldOneIsRefused) {
  Harness harness;
  FakeWorker old_one("w0", 1), new_one("w0", 2);
  harness.Submit(Unit("j1", 0, 0, 2));
  harness.CallNow(old_one);
  Confirm(harness, old_one);
  const CallId held = harness.Call(old_one);
  const Orders orders = harness.CallNow(new_one);
  ASSERT_NE(harness.AnswerTo(held), nullptr);
  EXPECT_TRUE(StatusIs(harness.AnswerTo(held)->status, absl::StatusCode::kFailedPrecondition,
                       "started anew"));
  ASSERT_EQ(orders.execute.size(), 1u) << "without waiting for the lease to run out";
  old_one.Finish(old_one.Lease());
  EXPECT_TRUE(StatusIs(harness.CallNow(old_one).status, absl::StatusCode::kFailedPrecondition,
                       "heard of later"));
  EXPECT_TRUE(harness.results().empty());
  EXPECT_EQ(harness.changes().size(), 3u);
  EXPECT_EQ(harness.changes()[1].change, WorkerChanged::Change::kReplaced);
}

TEST(DispatcherFaultsTest, AWorkerThatReturnsInTimeGoesOn) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 2));
  harness.CallNow(worker);
  Confirm(harness, worker);
  const std::string lease = worker.Lease();
  harness.Advance(absl::Seconds(60));
  EXPECT_EQ(harness.changes().back().change, WorkerChanged::Change::kLost);
  EXPECT_EQ(harness.dispatcher().JobStatus("j1").queued, 2);
  Confirm(harness, worker);
  EXPECT_EQ(worker.Lease(), lease) << "nobody else has it yet";
  worker.Finish(lease);
  harness.CallNow(worker);
  EXPECT_EQ(harness.results().size(), 2u);
  // The loss that was none is not held against the candidates.
  harness.Submit(Unit("j1", 1, 0, 1));
}

TEST(DispatcherFaultsTest, AWorkerThatReturnsTooLateIsToldToDropIt) {
  Harness harness;
  FakeWorker late("late"), other("other");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(late);
  Confirm(harness, late);
  harness.Advance(kLost);
  harness.CallNow(other);
  late.Finish(late.Lease(), {Failed(Outcome::kCrashed)});
  EXPECT_EQ(harness.CallNow(late).acknowledged.size(), 1u) << "of no use any more";
  EXPECT_TRUE(harness.results().empty());
  other.Finish(other.Lease());
  harness.CallNow(other);
  EXPECT_EQ(harness.OutcomeOf("j1", 0, 0), Outcome::kOk);
}

TEST(DispatcherFaultsTest, AStuckWorkerLosesItsLeaseAndDoesNotGetItBack) {
  Harness harness;
  FakeWorker stuck("stuck");
  stuck.base.max_wait = absl::ZeroDuration();
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(stuck);
  const std::string lease = stuck.Lease();
  // 10 s to prepare, 20 s to compile, 10 s to run, 60 s of slack; it calls all the time.
  for (int i = 0; i < 17; ++i) {
    harness.Advance(absl::Seconds(5));
    harness.CallNow(stuck);
  }
  EXPECT_EQ(stuck.Lease(), lease);
  harness.Advance(absl::Seconds(16));
  EXPECT_TRUE(harness.CallNow(stuck).execute.empty()) << "nor another";
  EXPECT_NE(harness.dispatcher().WhyUnserved(CpuTarget()).find("no result within 1m40s"),
            std::string::npos)
      << harness.dispatcher().WhyUnserved(CpuTarget());
  harness.Advance(absl::Seconds(11));
  const Orders orders = harness.CallNow(stuck);
  ASSERT_EQ(orders.execute.size(), 1u);
  EXPECT_NE(orders.execute[0].lease_id, lease) << "a new try";
}

TEST(DispatcherFaultsTest, AWorkerWhoseStepsStandStillIsStuck) {
  Harness harness;
  FakeWorker worker("w0");
  worker.base.max_wait = absl::ZeroDuration();
  harness.Submit(Unit("j1", 0, 0, 8));
  harness.CallNow(worker);
  const auto call_for = [&](absl::Duration duration, int64_t steps) {
    for (const absl::Duration end = harness.now() + duration; harness.now() < end;) {
      if (worker.leases.empty()) return;
      worker.leases[0].activity = "compiling";
      worker.leases[0].steps += steps;
      harness.CallNow(worker);
      harness.Advance(absl::Seconds(2));
    }
  };
  call_for(absl::Seconds(200), 1);
  EXPECT_EQ(worker.leases.size(), 1u) << "within the limits of eight candidates";
  EXPECT_EQ(harness.dispatcher().JobStatus("j1").activity, "compiling");
  call_for(absl::Seconds(58), 0);
  EXPECT_EQ(worker.leases.size(), 1u);
  call_for(absl::Seconds(8), 0);
  EXPECT_TRUE(worker.leases.empty());
  EXPECT_EQ(harness.dispatcher().JobStatus("j1").activity, "");
  EXPECT_EQ(harness.dispatcher().JobStatus("j1").waits_for, "w0: no step within 1m, compiling");
}

TEST(DispatcherFaultsTest, WhatAWorkerOnlyWaitedWithIsNotBlamed) {
  Harness harness;
  harness.Submit(Unit("j1", 0, 0, 1));
  for (int i = 0; i < 4; ++i) {
    FakeWorker worker(absl::StrCat("w", i));
    worker.base.max_wait = absl::ZeroDuration();
    for (int k = 0; k < 1000 && harness.dispatcher().WhyUnserved(CpuTarget()).empty() + !k; ++k) {
      if (!worker.leases.empty()) {
        worker.leases[0].activity = "waiting for cpu:0, held by pid 7";
        worker.leases[0].waiting = true;
      }
      harness.CallNow(worker);
      harness.Advance(absl::Seconds(2));
      if (k == 100) {
        EXPECT_EQ(harness.dispatcher().JobStatus("j1").waits_for,
                  absl::StrCat("w", i, " is waiting for cpu:0, held by pid 7"));
      }
    }
    EXPECT_NE(harness.dispatcher().WhyUnserved(CpuTarget()).find("no result within 11m40s"),
              std::string::npos);
    worker.base.draining = true;
    harness.CallNow(worker);
  }
  EXPECT_TRUE(harness.results().empty());
}

TEST(DispatcherFaultsTest, AMuteWorkersOtherLeasesGoToOthersToo) {
  Harness harness;
  FakeWorker mute("mute");
  mute.base.capacity = 2;
  mute.base.max_wait = absl::ZeroDuration();
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.Submit(Unit("j1", 1, 0, 1));
  for (int i = 0; i < 21; ++i) {
    harness.CallNow(mute);
    harness.Advance(absl::Seconds(5));
  }
  FakeWorker other("other");
  other.base.capacity = 2;
  EXPECT_EQ(harness.CallNow(other).execute.size(), 2u);
}

TEST(DispatcherFaultsTest, ALargeReferenceGetsTheTimeItTakes) {
  Harness harness;
  FakeWorker worker("w0");
  worker.base.max_wait = absl::ZeroDuration();
  WorkUnit unit = Unit("j1", 0, 0, 1);
  auto request = std::make_shared<measure::MeasureRequest>(*unit.request);
  request->workload = {workload::Matmul{.m = 4096, .n = 4096, .k = 4096}};  // 137 GFLOP
  unit.request = request;
  harness.Submit(unit);
  harness.CallNow(worker);
  const std::string lease = worker.Lease();
  for (int i = 0; i < 34; ++i) {
    harness.Advance(absl::Seconds(5));
    harness.CallNow(worker);
  }
  EXPECT_EQ(worker.Lease(), lease) << "170 s: 90 for the candidate, the rest for the reference";
}

TEST(DispatcherFaultsTest, ADroppedLeaseIsAskedAfterInPeace) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(worker);
  const std::vector<LeaseReport> executing = worker.leases;
  harness.Handle(CancelJob{"j1"});
  worker.leases = executing;  // its kernel has not ended yet
  const Orders orders = harness.CallNow(worker);
  EXPECT_TRUE(orders.execute.empty());
  EXPECT_EQ(orders.next_call_in, absl::Milliseconds(100));
}

TEST(DispatcherFaultsTest, EachResultGivesTheRestMoreTime) {
  Harness harness;
  FakeWorker worker("w0");
  worker.base.max_wait = absl::ZeroDuration();
  harness.Submit(Unit("j1", 0, 0, 4));
  harness.CallNow(worker);
  const std::string lease = worker.Lease();
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 8; ++k) {
      harness.Advance(absl::Seconds(10));
      harness.CallNow(worker);
    }
    ASSERT_EQ(worker.Lease(), lease);
    worker.AddResult(lease, i, Ok());
    harness.CallNow(worker);
  }
  EXPECT_EQ(harness.results().size(), 4u);
}

TEST(DispatcherFaultsTest, OurOwnPauseIsNobodysFault) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(worker);
  Confirm(harness, worker);
  harness.Jump(absl::Hours(24));  // stopped, or the clock was set
  harness.Handle(Tick{});
  EXPECT_EQ(harness.changes().size(), 1u);
  harness.Jump(-absl::Hours(48));
  harness.Handle(Tick{});
  EXPECT_EQ(harness.changes().size(), 1u);
  harness.Advance(absl::Seconds(15));
  EXPECT_EQ(harness.changes().size(), 1u);
  harness.Advance(absl::Seconds(8));
  EXPECT_EQ(harness.changes().size(), 2u) << "silent for the time that counts";
}

TEST(DispatcherFaultsTest, ReportsOutOfBoundsAreRefused) {
  Harness harness;
  const auto refused = [&](FakeWorker worker, absl::string_view why) {
    return StatusIs(harness.CallNow(worker).status, absl::StatusCode::kInvalidArgument, why);
  };
  EXPECT_TRUE(refused(FakeWorker(""), "name"));
  EXPECT_TRUE(refused(FakeWorker(std::string(300, 'x')), "name"));
  FakeWorker worker("w0");
  worker.base.session.clear();
  EXPECT_TRUE(refused(worker, "session"));
  worker = FakeWorker("w0");
  worker.leases.resize(65);
  EXPECT_TRUE(refused(worker, "too many leases"));
  worker.leases.resize(1);
  worker.leases[0].results.resize(static_cast<size_t>(kMaxLeaseSize) + 1);
  EXPECT_TRUE(refused(worker, "too many results"));
  worker.leases[0].results = {{0, Ok()}};
  worker.leases[0].results[0].second.latency.reset();
  EXPECT_TRUE(refused(worker, "latency"));
  EXPECT_TRUE(harness.changes().empty());
}

TEST(DispatcherFaultsTest, PositionsOutsideALeaseAreIgnored) {
  Harness harness;
  FakeWorker worker("w0");
  worker.base.max_wait = absl::ZeroDuration();
  harness.Submit(Unit("j1", 0, 0, 2));
  harness.CallNow(worker);
  worker.AddResult(worker.Lease(), -1, Ok());
  worker.AddResult(worker.Lease(), 2, Ok());
  worker.AddResult(worker.Lease(), INT64_MAX, Ok());
  harness.CallNow(worker);
  EXPECT_TRUE(harness.results().empty());
}

TEST(DispatcherFaultsTest, InventedLeasesAreDropped) {
  Harness harness;
  harness.Submit(Unit("j1", 0, 0, 1));
  FakeWorker liar("liar", 1, 1);
  liar.base.facts.target.mcpu = "another";
  for (const char* id : {"", "x", "db.1.99/j1/0/0", "other.0.1/j1/0/0", "db.5.1/j1/0/0"}) {
    liar.leases = {{.lease_id = id,
                    .state = LeaseReport::State::kFinished,
                    .results = {{0, Failed(Outcome::kWrongResult)}}}};
    EXPECT_EQ(harness.CallNow(liar).acknowledged.size(), 1u) << id;
  }
  EXPECT_TRUE(harness.results().empty());
}

TEST(DispatcherFaultsTest, LongMessagesAreCut) {
  Harness harness;
  FakeWorker worker("w0");
  harness.Submit(Unit("j1", 0, 0, 1));
  harness.CallNow(worker);
  measure::MeasureResult result = Failed(Outcome::kCompileError);
  result.message = std::string(1 << 20, 'x');
  worker.Finish(worker.Lease(), {result});
  harness.CallNow(worker);
  EXPECT_EQ(harness.results().begin()->second[0].message.size(), 4096u);
}

TEST(DispatcherFaultsTest, TheQueueIsBounded) {
  Harness harness({.max_candidates = 10});
  harness.Submit(Unit("j1", 0, 0, 8));
  harness.Submit(Unit("j1", 1, 0, 8));
  ASSERT_EQ(harness.refused().size(), 1u);
  EXPECT_EQ(harness.refused()[0].batch, 1);
  EXPECT_NE(harness.refused()[0].reason.find("10 candidates"), std::string::npos);
  harness.Submit(Unit("j1", 2, 0, 2));
  EXPECT_EQ(harness.refused().size(), 1u);
}

TEST(DispatcherFaultsTest, TheNumberOfWorkersIsBounded) {
  Harness harness({.max_workers = 2});
  FakeWorker a("a"), b("b"), c("c");
  harness.Call(a);
  harness.Call(b);
  EXPECT_TRUE(StatusIs(harness.CallNow(c).status, absl::StatusCode::kResourceExhausted, "limit"));
}

}  // namespace
}  // namespace alt::dispatch
