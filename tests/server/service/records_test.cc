// What the service answers about records and jobs that are there already.
#include "tests/testing/records.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/server/service/harness.h"
#include "tests/testing/status_matchers.h"

namespace alt::service {
namespace {

using testing::StatusIs;

std::string WorkloadText(int64_t m) {
  return workload::Print(TestWorkload(absl::StrCat("matmul:m=", m, ",n=64,k=64")));
}

// A server whose database has `count` records of each of two workloads, the newest last.
class RecordsTest : public ::testing::Test {
 protected:
  void Add(int64_t m, int64_t count, const target::Target& target = TestTarget()) {
    for (int64_t n = 1; n <= count; ++n) {
      store::AddResult add = testing::MeasuredAt(++trials_, n, testing::OkResult(1000.0 * n));
      add.record->workload = WorkloadText(m);
      add.record->target = target::PrintTarget(target);
      ALT_ASSERT_OK(server_.store().CommitAndWait({add}));
    }
  }
  std::vector<measure::TuningRecord> List(const job::RecordQuery& query) {
    auto records = client_->ListRecords(query);
    EXPECT_TRUE(testing::IsOk(records));
    return records.ok() ? *std::move(records) : std::vector<measure::TuningRecord>();
  }

  TestServer server_;
  int64_t trials_ = 0;
  const std::unique_ptr<client::TuningClient> client_ = server_.Connect();
};

TEST_F(RecordsTest, AreListedNewestFirstByWorkloadAndTarget) {
  Add(64, 3);
  Add(128, 2);
  Add(64, 1, TestTarget(2));
  EXPECT_EQ(List({}).size(), 6u);
  EXPECT_EQ(List({.workload = TestWorkload()}).size(), 4u);
  EXPECT_EQ(List({.workload = TestWorkload(), .target = TestTarget()}).size(), 3u);
  EXPECT_EQ(List({.target = TestTarget(2)}).size(), 1u);
  EXPECT_TRUE(List({.workload = TestWorkload("matmul:m=1,n=1,k=1")}).empty());
  const auto newest = List({.workload = TestWorkload(), .target = TestTarget(), .limit = 1});
  ASSERT_EQ(newest.size(), 1u);
  EXPECT_EQ(workload::Print(newest[0].candidate), testing::CandidateText(3));
}

TEST_F(RecordsTest, AListLongerThanAPageComesWhole) {
  Add(64, 120);
  const auto all = List({.limit = 1000});
  std::set<std::string> ids;
  for (const measure::TuningRecord& record : all) ids.insert(record.id);
  EXPECT_EQ(ids.size(), 120u) << "each once";
  EXPECT_EQ(List({.limit = 101}).size(), 101u);
}

TEST_F(RecordsTest, ARecordSaysHowAndWhereItWasMeasured) {
  Add(64, 1);
  const std::string id = List({})[0].id;
  ALT_ASSERT_OK_AND_ASSIGN(const measure::TuningRecord record, client_->GetRecord(id));
  EXPECT_EQ(record.id, id);
  EXPECT_EQ(workload::Print(record.workload), WorkloadText(64));
  EXPECT_EQ(record.target, TestTarget());
  EXPECT_EQ(record.result, testing::OkResult(1000));
  EXPECT_EQ(record.provenance.worker, "w0");
  EXPECT_EQ(record.validators.at("llvm"), "19.1.7");
}

TEST_F(RecordsTest, TheFirstCharactersOfAnIdWillDoWhileTheyAreNotAmbiguous) {
  Add(64, 40);
  const auto all = List({});
  ALT_ASSERT_OK_AND_ASSIGN(const auto record, client_->GetRecord(all[7].id.substr(0, 12)));
  EXPECT_EQ(record.id, all[7].id);
  // Forty ids share sixteen first characters.
  std::map<char, int> first;
  for (const measure::TuningRecord& r : all) ++first[r.id[0]];
  const auto shared =
      std::find_if(first.begin(), first.end(), [](const auto& e) { return e.second > 1; });
  ASSERT_NE(shared, first.end());
  EXPECT_FALSE(client_->GetRecord(std::string(1, shared->first)).ok());
  EXPECT_FALSE(client_->GetRecord("").ok());
  EXPECT_FALSE(client_->GetRecord("not hexadecimal").ok());
}

TEST_F(RecordsTest, JobsAreListedNewestFirst) {
  for (int i = 1; i <= 5; ++i) {
    ALT_ASSERT_OK(client_->CreateJob(TestTune(8), absl::StrCat("request-", i)).status());
  }
  ALT_ASSERT_OK_AND_ASSIGN(const std::vector<job::Job> jobs, client_->ListJobs(3));
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0].id, "j5");
  EXPECT_EQ(jobs[2].id, "j3");
  EXPECT_EQ(std::get<job::TuneSpec>(jobs[0].spec).trials, 8);
}

TEST_F(RecordsTest, AListOfJobsIsShort) {
  TestWorker worker(server_.address(), {});
  ALT_ASSERT_OK_AND_ASSIGN(const job::Job job, client_->CreateJob(TestTune(8), "request-1"));
  ALT_ASSERT_OK_AND_ASSIGN(const job::Job done, client_->WatchJob(job.id, [](const job::Job&) {}));
  EXPECT_TRUE(std::get<job::TuneProgress>(done.progress).best.has_value());
  ALT_ASSERT_OK_AND_ASSIGN(const std::vector<job::Job> jobs, client_->ListJobs(3));
  ASSERT_EQ(jobs.size(), 1u);
  const auto& listed = std::get<job::TuneProgress>(jobs[0].progress);
  EXPECT_EQ(listed.trials, 8);
  EXPECT_TRUE(listed.best.has_value());
  EXPECT_TRUE(listed.curve.empty());
}

TEST_F(RecordsTest, StatsCountWhatIsThere) {
  Add(64, 3);
  Add(128, 1, TestTarget(2));
  ALT_ASSERT_OK_AND_ASSIGN(const job::Stats stats, client_->GetStats());
  EXPECT_EQ(stats.records, 4);
  EXPECT_EQ(stats.workloads, 2);
  EXPECT_EQ(stats.targets.size(), 2u);
  EXPECT_EQ(stats.duplicates, 0);
  EXPECT_EQ(stats.jobs, 0);
}

TEST_F(RecordsTest, OnlyTuningJobsReplay) {
  ALT_ASSERT_OK_AND_ASSIGN(const job::Job job,
                           client_->CreateJob(job::PeakSpec{.target = TestTarget()}, "request-1"));
  EXPECT_TRUE(
      StatusIs(client_->Replay(job.id), absl::StatusCode::kFailedPrecondition, "no tuning job"));
  ALT_ASSERT_OK_AND_ASSIGN(const job::Job tune, client_->CreateJob(TestTune(8), "request-2"));
  EXPECT_TRUE(
      StatusIs(client_->Replay(tune.id), absl::StatusCode::kFailedPrecondition, "has not started"));
}

TEST_F(RecordsTest, ADeletedRecordIsGoneFromEveryAnswer) {
  Add(64, 3);
  const auto best = client_->Query({.workload = TestWorkload(), .target = TestTarget()});
  ASSERT_TRUE(testing::IsOk(best));
  ALT_ASSERT_OK_AND_ASSIGN(const std::string id, client_->DeleteRecord(best->record.substr(0, 9)));
  EXPECT_EQ(id, best->record);
  EXPECT_TRUE(testing::StatusIs(client_->GetRecord(id), absl::StatusCode::kNotFound));
  EXPECT_EQ(List({}).size(), 2u);
  EXPECT_NE(client_->Query({.workload = TestWorkload(), .target = TestTarget()})->record, id);
  EXPECT_TRUE(testing::StatusIs(client_->DeleteRecord(id), absl::StatusCode::kNotFound, id));
}

TEST_F(RecordsTest, TrialsOfAJobComeWholeAndInOrder) {
  Add(64, 1);
  ALT_ASSERT_OK(server_.store().CommitAndWait({store::CreateJob{testing::MakeJob(1)}}));
  store::WriteBatch batch;
  for (int64_t n = 250; n >= 2; --n) batch.push_back(testing::Measured(n, testing::OkResult(10)));
  ALT_ASSERT_OK(server_.store().CommitAndWait(std::move(batch)));
  ALT_ASSERT_OK_AND_ASSIGN(const std::vector<job::Trial> trials, client_->ListTrials("j1"));
  ASSERT_EQ(trials.size(), 250u);
  for (int64_t n = 1; n <= 250; ++n) EXPECT_EQ(trials[static_cast<size_t>(n - 1)].trial, n);
  EXPECT_EQ(trials[7].outcome, measure::Outcome::kOk);
  EXPECT_EQ(trials[7].latency, testing::OkResult(10).latency);
  EXPECT_EQ(trials[7].algorithm, "direct");
  EXPECT_EQ(trials[7].record.size(), 16u);
  EXPECT_TRUE(testing::StatusIs(client_->ListTrials("j7"), absl::StatusCode::kNotFound, "j7"));
}

}  // namespace
}  // namespace alt::service
