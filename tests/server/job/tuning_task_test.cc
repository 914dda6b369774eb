#include "server/job/tuning_task.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::job {
namespace {

using testing::StatusIs;

store::Job StartedJob() {
  store::Job job;
  job.id = "j1";
  TuneSpec spec = SmallSpec(77, 5);
  spec.patience = 9;
  spec.loops_only = true;
  spec.cache = measure::CacheState::kRotate;
  spec.fixed_layouts = {{"a", {}}, {"c", *layout::Parse("reorder(1,0)")}};
  job.spec = spec;
  job.start = {.sequence = 3, .l1_bytes = 48 << 10, .l2_bytes = 2 << 20};
  return job;
}

TEST(MakeTaskTest, TakesOverEverythingThatDeterminesProposals) {
  ALT_ASSERT_OK_AND_ASSIGN(search::TuningTask task, MakeTask(StartedJob(), {}));
  EXPECT_EQ(static_cast<const TuneSpec&>(task), std::get<TuneSpec>(StartedJob().spec));
  EXPECT_EQ(task.l1_bytes, 48 << 10);
  EXPECT_EQ(task.l2_bytes, 2 << 20);
  EXPECT_TRUE(task.known.empty());
  EXPECT_FALSE(task.incumbent.has_value());
}

TEST(MakeTaskTest, WhatTheSurroundingsDidIsNotKnownOfTheCandidate) {
  Snapshot snapshot;
  for (const measure::Outcome outcome :
       {measure::Outcome::kWorkerLost, measure::Outcome::kDeviceLost,
        measure::Outcome::kCancelled}) {
    store::StoredRecord record;
    record.key.candidate = "algorithm direct\nunroll(matmul.k)\n";
    record.result.outcome = outcome;
    snapshot.records.push_back(record);
  }
  ALT_ASSERT_OK_AND_ASSIGN(search::TuningTask task, MakeTask(StartedJob(), snapshot));
  EXPECT_TRUE(task.known.empty());
}

TEST(MakeTaskTest, TheFastestThatWereMeasuredUnderOtherFactsAreRefreshed) {
  store::Job job = StartedJob();
  std::get<TuneSpec>(job.spec).refresh = 2;
  job.start->validators = {{"llvm", "19"}};
  Snapshot snapshot;
  const auto add = [&](const char* loop, double ns, const char* llvm, const char* layout) {
    store::StoredRecord& record = snapshot.records.emplace_back();
    record.key.candidate = absl::StrCat("layout c: ", layout, "\nunroll(matmul.", loop, ")\n");
    record.result.outcome = measure::Outcome::kOk;
    record.result.latency = {.min_ns = ns, .median_ns = ns, .n = 3};
    record.validators = {{"llvm", llvm}};
  };
  add("k", 50, "18", "reorder(1,0)");
  add("m", 30, "18", "reorder(1,0)");
  add("n", 40, "18", "reorder(1,0)");
  add("k", 10, "18", "");  // not in the fixed layout
  add("m.0", 20, "19", "reorder(1,0)");
  ALT_ASSERT_OK_AND_ASSIGN(const search::TuningTask task, MakeTask(job, snapshot));
  ASSERT_EQ(task.known.size(), 1u) << "what is vouched for stays known";
  std::vector<std::string> stale;
  for (const workload::Candidate& candidate : task.stale) {
    stale.push_back(schedule::Print(candidate.trace));
  }
  EXPECT_EQ(stale, (std::vector<std::string>{"unroll(matmul.m)\n", "unroll(matmul.n)\n"}));
}

TEST(MakeTaskTest, TakesRecordsAndChampionOfTheSnapshot) {
  Snapshot snapshot;
  store::StoredRecord record;
  record.key.candidate = "algorithm direct\nunroll(matmul.k)\n";
  record.result.outcome = measure::Outcome::kCrashed;
  snapshot.records = {record};
  snapshot.champion.emplace().candidate = "algorithm direct\nvectorize(matmul.n)\n";
  ALT_ASSERT_OK_AND_ASSIGN(search::TuningTask task, MakeTask(StartedJob(), snapshot));
  ASSERT_EQ(task.known.size(), 1u);
  EXPECT_EQ(workload::Print(task.known[0].candidate), record.key.candidate);
  EXPECT_EQ(task.known[0].result, record.result);
  ASSERT_TRUE(task.incumbent.has_value());
  EXPECT_EQ(workload::Print(*task.incumbent), snapshot.champion->candidate);
}

TEST(MakeTaskTest, LeavesOutCandidatesThatNoLongerParse) {
  Snapshot snapshot;
  snapshot.records.resize(2);
  snapshot.records[0].key.candidate = "tensorize(matmul.k)\n";
  snapshot.records[1].key.candidate = "algorithm direct\n";
  for (store::StoredRecord& record : snapshot.records)
    record.result.outcome = measure::Outcome::kOk;
  snapshot.champion.emplace().candidate = "tensorize(matmul.k)\n";
  ALT_ASSERT_OK_AND_ASSIGN(search::TuningTask task, MakeTask(StartedJob(), snapshot));
  EXPECT_EQ(task.known.size(), 1u);
  EXPECT_FALSE(task.incumbent.has_value());
}

TEST(MakeTaskTest, AJobThatHasNotStartedHasNoTask) {
  store::Job job = StartedJob();
  job.start.reset();
  EXPECT_TRUE(StatusIs(MakeTask(job, {}), absl::StatusCode::kFailedPrecondition));
}

TEST(ChampionKeyTest, NamesFixedTensorsInOrder) {
  const auto spec = std::get<TuneSpec>(StartedJob().spec);
  const store::ChampionKey key = ChampionKeyOf(spec);
  EXPECT_EQ(key.workload, workload::Print(spec.workload));
  EXPECT_EQ(key.target, target::PrintTarget(spec.target));
  EXPECT_EQ(key.cache, measure::CacheState::kRotate);
  EXPECT_EQ(PrintFixedLayouts(key.fixed_layouts), "a=plain,c=reorder(1,0)");
  EXPECT_TRUE(ChampionKeyOf(SmallSpec()).fixed_layouts.empty());
}

TEST(ToLogTest, KeepsABatchAsText) {
  search::Batch batch;
  batch.number = 4;
  batch.kind = search::BatchKind::kFinalists;
  batch.mode = measure::MeasureMode::kCompare;
  batch.incumbent_ns = 12.5;
  batch.candidates.push_back(*workload::ParseCandidate("unroll(matmul.k)"));
  const store::LoggedProposal logged = ToLog(batch);
  EXPECT_EQ(logged.batch, 4);
  EXPECT_EQ(logged.kind, "finalists");
  EXPECT_EQ(logged.mode, measure::MeasureMode::kCompare);
  EXPECT_EQ(logged.incumbent_ns, 12.5);
  EXPECT_EQ(logged.candidates, (std::vector<std::string>{"algorithm direct\nunroll(matmul.k)\n"}));
}

TEST(ToLogTest, EveryKindHasAName) {
  EXPECT_STREQ(BatchKindName(search::BatchKind::kBaseline), "baseline");
  EXPECT_STREQ(BatchKindName(search::BatchKind::kTrials), "trials");
  EXPECT_STREQ(BatchKindName(search::BatchKind::kFinalists), "finalists");
}

TEST(SnapshotTest, ShowsWhatWasThereWhenTheJobStarted) {
  World world;
  const store::Job first = world.Run(SmallSpec(16, 1));
  store::Job second = first;
  second.start->sequence = world.store->LastSequence();
  const Snapshot after = ReadSnapshot(*world.store, second);
  EXPECT_EQ(after.records.size(), 17u);
  EXPECT_TRUE(after.champion.has_value());
  const Snapshot before = ReadSnapshot(*world.store, first);
  EXPECT_TRUE(before.records.empty());
  EXPECT_FALSE(before.champion.has_value());
}

}  // namespace
}  // namespace alt::job
