// Jobs and their logs.
#include <gtest/gtest.h>

#include "tests/conformance/tuning_store_suite.h"
#include "tests/testing/jobs.h"
#include "tests/testing/records.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

using testing::CandidateText;
using testing::IsOk;
using testing::kTargetText;
using testing::kWorkloadText;
using testing::MakeJob;
using testing::OkResult;
using testing::ResultAt;
using testing::StatusIs;

// The best candidate is that of ResultAt(0, 0, 7, 77.7).
job::TuneProgress SomeProgress() {
  const workload::Candidate candidate = *workload::ParseCandidate(CandidateText(7));
  return {
      .trials = 12,
      .proposals = 20,
      .outcomes = {{measure::Outcome::kOk, 11}, {measure::Outcome::kCrashed, 1}},
      .propose_seconds = 0.1,
      .seconds = {.build = 1.5, .check = 0.2, .run = 3, .wait = 0.7},
      .best = job::BestCandidate{.record = RecordId(
                                     RecordKey{kWorkloadText, kTargetText, CandidateText(7)}),
                                 .candidate = candidate,
                                 .latency = *OkResult(77.7).latency,
                                 .peak_gflops = 1.0 / 3},
      .default_latency = OkResult(500).latency,
      .curve = {{1, 0.5, 300}, {7, 2.25, 77.7}},
  };
}

TEST_P(TuningStoreSuite, AJobIsKeptAsItWasCreated) {
  ALT_ASSERT_OK(store().CommitAndWait({CreateJob{MakeJob(1)}}));
  NowAndReopened([&] {
    ALT_ASSERT_OK_AND_ASSIGN(const Job job, store().GetJob("j1"));
    EXPECT_EQ(job, MakeJob(1));
    EXPECT_EQ(store().Stats().jobs, 1);
  });
  EXPECT_TRUE(StatusIs(store().GetJob("j2"), absl::StatusCode::kNotFound, "no job 'j2'"));
  EXPECT_TRUE(StatusIs(store().GetJob(""), absl::StatusCode::kNotFound));
}

TEST_P(TuningStoreSuite, ARequestMakesOneJob) {
  ALT_ASSERT_OK(store().CommitAndWait({CreateJob{MakeJob(1)}}));
  Job retry = MakeJob(2);
  retry.request_id = "request-1";
  EXPECT_TRUE(StatusIs(store().CommitAndWait({CreateJob{retry}}), absl::StatusCode::kAlreadyExists,
                       "request-1"));
  Job other = MakeJob(3);
  other.id = "j1";
  EXPECT_TRUE(
      StatusIs(store().CommitAndWait({CreateJob{other}}), absl::StatusCode::kAlreadyExists, "j1"));
  NowAndReopened([&] {
    EXPECT_EQ(store().FindJobByRequest("request-1")->id, "j1");
    EXPECT_EQ(store().FindJobByRequest("request-2"), std::nullopt);
    EXPECT_EQ(store().ListJobs("", 10).size(), 1u);
  });
}

TEST_P(TuningStoreSuite, OfTwoRequestsWrittenTogetherOneWins) {
  int ok = 0, refused = 0;
  for (int i = 1; i <= 10; ++i) {
    Job job = MakeJob(i);
    job.request_id = "the same";
    store().Commit({CreateJob{job}}, [&](const absl::Status& status) {
      ok += status.ok();
      refused += absl::IsAlreadyExists(status);
    });
  }
  ALT_ASSERT_OK(store().CommitAndWait({}));  // behind them all
  EXPECT_EQ(ok, 1);
  EXPECT_EQ(refused, 9);
}

TEST_P(TuningStoreSuite, AJobHasOneSpelling) {
  ALT_ASSERT_OK(store().CommitAndWait({CreateJob{MakeJob(1)}}));
  ALT_EXPECT_OK(store().GetJob("j1").status());
  for (const char* id : {"j1\n", "j1 ", "j 1", "j+1", "j01", "j-1", "J1", "1", "j"}) {
    EXPECT_TRUE(StatusIs(store().GetJob(id), absl::StatusCode::kNotFound)) << id;
    EXPECT_TRUE(StatusIs(store().ReadLog(id), absl::StatusCode::kNotFound)) << id;
  }
}

TEST_P(TuningStoreSuite, JobNumbersGrow) {
  EXPECT_EQ(store().NextJobNumber(), 1);
  EXPECT_EQ(store().NextJobNumber(), 2);
  ALT_ASSERT_OK(store().CommitAndWait({CreateJob{MakeJob(41)}}));
  NowAndReopened([&] { EXPECT_GE(store().NextJobNumber(), 42); });
}

TEST_P(TuningStoreSuite, AnUpdateChangesWhatMayChange) {
  ALT_ASSERT_OK(store().CommitAndWait({CreateJob{MakeJob(1)}}));
  Job update = MakeJob(1);
  update.request_id = "another";
  testing::TuneOf(update).trials = 7;
  update.created = absl::UnixEpoch();
  update.start = {.sequence = 5, .l1_bytes = 49152, .l2_bytes = 2 << 20};
  update.start->time = absl::FromUnixMicros(1767225600123456);
  update.state = job::JobState::kRunning;
  update.reason = "why\nnot";
  update.active = absl::Microseconds(1234567);
  update.finished = absl::FromUnixMicros(1767225600999999);
  update.progress = SomeProgress();
  ALT_ASSERT_OK(store().CommitAndWait({ResultAt(0, 0, 7, 77.7), UpdateJob{update}}));
  Job expected = update;
  expected.request_id = "request-1";
  expected.spec = MakeJob(1).spec;
  expected.created = MakeJob(1).created;
  NowAndReopened([&] { EXPECT_EQ(*store().GetJob("j1"), expected); });
  update.start->sequence = 9;  // it has started once and for ever
  update.state = job::JobState::kSucceeded;
  update.finished.reset();
  ALT_ASSERT_OK(store().CommitAndWait({UpdateJob{update}}));
  expected.state = job::JobState::kSucceeded;
  expected.finished.reset();
  NowAndReopened([&] { EXPECT_EQ(*store().GetJob("j1"), expected); });
}

TEST_P(TuningStoreSuite, ThereIsNoUpdateWithoutAJob) {
  EXPECT_TRUE(
      StatusIs(store().CommitAndWait({UpdateJob{MakeJob(1)}}), absl::StatusCode::kNotFound, "j1"));
  EXPECT_TRUE(StatusIs(store().CommitAndWait({AppendLog{"j1", 0, LoggedFinishEarly{}}}),
                       absl::StatusCode::kNotFound, "j1"));
  EXPECT_TRUE(StatusIs(store().ReadLog("j1"), absl::StatusCode::kNotFound, "j1"));
  Job odd = MakeJob(1);
  for (const char* id : {"", "1", "j", "j0", "j01", "x1", "j1x"}) {
    odd.id = id;
    EXPECT_TRUE(
        StatusIs(store().CommitAndWait({CreateJob{odd}}), absl::StatusCode::kInvalidArgument))
        << id;
  }
}

TEST_P(TuningStoreSuite, JobsAreListedNewestFirstInPages) {
  for (int i = 1; i <= 12; ++i) {
    Job job = MakeJob(i);
    job.state = i % 3 == 0   ? job::JobState::kSucceeded
                : i % 3 == 1 ? job::JobState::kQueued
                             : job::JobState::kRunning;
    ALT_ASSERT_OK(store().CommitAndWait({CreateJob{job}}));
  }
  NowAndReopened([&] {
    const auto page = store().ListJobs("", 5);
    ASSERT_EQ(page.size(), 5u);
    EXPECT_EQ(page[0].id, "j12");
    EXPECT_EQ(page[4].id, "j8");
    EXPECT_EQ(store().ListJobs("j8", 100).size(), 7u);
    EXPECT_EQ(store().ListJobs("j1", 100).size(), 0u);
    const auto unfinished = store().UnfinishedJobs();
    ASSERT_EQ(unfinished.size(), 8u);
    EXPECT_EQ(unfinished[0].id, "j1");
    EXPECT_EQ(unfinished[7].id, "j11");
  });
}

TEST_P(TuningStoreSuite, ALogIsReadAsItWasWritten) {
  const LogEvent proposal = LoggedProposal{.batch = 0,
                                           .kind = "trials",
                                           .mode = measure::MeasureMode::kSearch,
                                           .incumbent_ns = 0.1,
                                           .candidates = {CandidateText(1), CandidateText(2)}};
  const LogEvent finalists = LoggedProposal{.batch = 1,
                                            .kind = "finalists",
                                            .mode = measure::MeasureMode::kCompare,
                                            .candidates = {"a\\n\nb"}};
  ALT_ASSERT_OK(store().CommitAndWait({CreateJob{MakeJob(1)}, CreateJob{MakeJob(10)},
                                       AppendLog{"j1", 0, proposal},
                                       AppendLog{"j1", 1, LoggedObservation{0}}}));
  ALT_ASSERT_OK(store().CommitAndWait({AppendLog{"j1", 2, LoggedFinishEarly{}},
                                       AppendLog{"j10", 0, LoggedFinishEarly{}},
                                       AppendLog{"j1", 3, finalists}}));
  NowAndReopened([&] {
    ALT_ASSERT_OK_AND_ASSIGN(const JobLog log, store().ReadLog("j1"));
    ASSERT_EQ(log.events.size(), 4u);
    EXPECT_EQ(log.events[0], proposal);
    EXPECT_EQ(log.events[1], LogEvent(LoggedObservation{0}));
    EXPECT_EQ(log.events[2], LogEvent(LoggedFinishEarly{}));
    EXPECT_EQ(log.events[3], finalists);
    EXPECT_TRUE(log.results.empty());
  });
}

TEST_P(TuningStoreSuite, AnEventIsLoggedOnceAndInOrder) {
  ALT_ASSERT_OK(store().CommitAndWait({CreateJob{MakeJob(1)}}));
  ALT_ASSERT_OK(store().CommitAndWait({AppendLog{"j1", 0, LoggedObservation{7}}}));
  ALT_ASSERT_OK(store().CommitAndWait(
      {AppendLog{"j1", 0, LoggedObservation{8}}, AppendLog{"j1", 1, LoggedObservation{9}}}));
  EXPECT_TRUE(StatusIs(store().CommitAndWait({AppendLog{"j1", 3, LoggedObservation{10}}}),
                       absl::StatusCode::kInvalidArgument, "log of j1 has 2 events, not 3"));
  NowAndReopened([&] {
    const auto log = store().ReadLog("j1");
    ASSERT_TRUE(IsOk(log));
    ASSERT_EQ(log->events.size(), 2u);
    EXPECT_EQ(log->events[0], LogEvent(LoggedObservation{7}));
    EXPECT_EQ(log->events[1], LogEvent(LoggedObservation{9}));
  });
}

TEST_P(TuningStoreSuite, AResultIsStoredOnceAtItsPlace) {
  ALT_ASSERT_OK(store().CommitAndWait({CreateJob{MakeJob(1)}, CreateJob{MakeJob(2)}}));
  const AddResult first = ResultAt(1, 0, 2, 100);
  AddResult again = ResultAt(1, 0, 3, 90);  // came late, from another worker
  AddResult baseline = ResultAt(0, 0, 0, 500);
  baseline.record.reset();
  ALT_ASSERT_OK(store().CommitAndWait({first}));
  ALT_ASSERT_OK(store().CommitAndWait({again, baseline, ResultAt(1, 0, 5, 80, "j2")}));
  NowAndReopened([&] {
    const auto log = store().ReadLog("j1");
    ASSERT_TRUE(IsOk(log));
    ASSERT_EQ(log->results.size(), 2u);
    EXPECT_EQ(log->results[0].place, baseline.place);
    EXPECT_EQ(log->results[0].result, baseline.result);
    EXPECT_EQ(log->results[1].place, first.place);
    EXPECT_EQ(log->results[1].result, first.result);
    EXPECT_EQ(log->results[1].provenance, first.provenance);
    EXPECT_EQ(log->results[1].active, first.active);
    // Only trials are records.
    EXPECT_EQ(store().Stats().records, 2);
    EXPECT_EQ(store().ReadLog("j2")->results.size(), 1u);
  });
  AddResult lost = ResultAt(0, 0, 1, 1);
  lost.place.job = "";
  EXPECT_TRUE(
      StatusIs(store().CommitAndWait({lost}), absl::StatusCode::kInvalidArgument, "id of a job"));
}

TEST_P(TuningStoreSuite, ABatchIsAllOrNothing) {
  ALT_ASSERT_OK(store().CommitAndWait({CreateJob{MakeJob(1)}}));
  EXPECT_TRUE(StatusIs(
      store().CommitAndWait({testing::Measured(1, OkResult(5)), CreateJob{MakeJob(2)},
                             AppendLog{"j2", 0, LoggedFinishEarly{}}, CreateJob{MakeJob(1)}}),
      absl::StatusCode::kAlreadyExists));
  NowAndReopened([&] {
    EXPECT_EQ(store().Stats().records, 0);
    EXPECT_EQ(store().Stats().workloads, 0);
    EXPECT_EQ(store().LastSequence(), 0);
    EXPECT_TRUE(StatusIs(store().GetJob("j2"), absl::StatusCode::kNotFound));
  });
  ALT_ASSERT_OK(store().CommitAndWait({testing::Measured(1, OkResult(5))}));
  NowAndReopened([&] { EXPECT_EQ(store().Stats().records, 1); });
}

TEST_P(TuningStoreSuite, VerifyFindsNothingWrongInAGoodStore) {
  ALT_ASSERT_OK(
      store().CommitAndWait({CreateJob{MakeJob(1)}, AppendLog{"j1", 0, LoggedFinishEarly{}},
                             ResultAt(0, 0, 1, 100), testing::Measured(2, OkResult(9))}));
  NowAndReopened([&] {
    ALT_ASSERT_OK_AND_ASSIGN(const job::VerifyReport report, store().Verify());
    EXPECT_EQ(report.records, 2);
    EXPECT_TRUE(report.problems.empty()) << report.problems.front();
  });
}

TEST_P(TuningStoreSuite, TrialsAreListedInOrderWithWhatBecameOfThem) {
  AddResult crashed = ResultAt(0, 1, 2, 100);
  crashed.result = testing::FailedResult(measure::Outcome::kCrashed);
  AddResult baseline = ResultAt(1, 0, 0, 80);
  baseline.record.reset();
  AddResult winograd = ResultAt(0, 2, 3, 90);
  winograd.record->candidate = "algorithm winograd(4,4)\n";
  ALT_ASSERT_OK(store().CommitAndWait({CreateJob{MakeJob(1)}, ResultAt(0, 0, 1, 100), baseline,
                                       winograd, crashed, ResultAt(0, 0, 1, 5, "j2")}));
  NowAndReopened([&] {
    ALT_ASSERT_OK_AND_ASSIGN(const std::vector<job::Trial> trials, store().ListTrials("j1", 0, 10));
    ASSERT_EQ(trials.size(), 3u);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(trials[i].trial, i + 1);
    EXPECT_EQ(trials[0].record, RecordId(RecordKey{kWorkloadText, kTargetText, CandidateText(1)}));
    EXPECT_EQ(trials[0].algorithm, "direct");
    EXPECT_EQ(trials[0].latency, OkResult(100).latency);
    EXPECT_EQ(trials[1].outcome, measure::Outcome::kCrashed);
    EXPECT_FALSE(trials[1].reason.empty());
    EXPECT_EQ(trials[2].algorithm, "winograd(4,4)");
    EXPECT_EQ(store().ListTrials("j1", 1, 1)->front().trial, 2);
    EXPECT_TRUE(store().ListTrials("j1", 3, 10)->empty());
    EXPECT_TRUE(StatusIs(store().ListTrials("j2", 0, 10), absl::StatusCode::kNotFound));
  });
}

}  // namespace
}  // namespace alt::store
