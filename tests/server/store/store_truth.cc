#include "tests/server/store/store_truth.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "server/store/index_apply.h"
#include "tests/testing/records.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

constexpr char kOther[] = "matmul:m=128,n=64,k=64,batch=1,dtype=f32";

std::vector<ChampionKey> Keys() {
  std::vector<ChampionKey> keys;
  for (const char* workload : {testing::kWorkloadText, kOther}) {
    keys.push_back({workload, testing::kTargetText, measure::CacheState::kWarm, {}});
    keys.push_back({workload, testing::kTargetText, measure::CacheState::kWarm, {{"b", {}}}});
  }
  return keys;
}

bool TrustAll(const measure::Validators&) { return true; }
bool AcceptAll(absl::string_view) { return true; }

}  // namespace

void FillStore(TuningStore& store) {
  Job rests = testing::MakeJob(1);
  rests.state = job::JobState::kSucceeded;
  rests.start = JobStart{.sequence = 3, .l1_bytes = 1, .l2_bytes = 2, .time = rests.created};
  ALT_ASSERT_OK(store.CommitAndWait({CreateJob{rests}, CreateJob{testing::MakeJob(2)}}));
  for (int64_t i = 1; i <= 12; ++i) {
    AddResult result = testing::MeasuredAt(i, i, testing::OkResult(100.0 + static_cast<double>(i)),
                                           i % 2 ? "j1" : "j2");
    if (i % 3 == 0) result.record->workload = kOther;
    if (i % 5 == 0) result.result = testing::FailedResult(measure::Outcome::kCrashed);
    if (i == 7) result.validators["llvm"] = "18";
    ALT_ASSERT_OK(store.CommitAndWait({result}));
  }
  for (int64_t i = 0; i < 4; ++i) {
    const LogEvent proposal = LoggedProposal{.batch = i,
                                             .kind = "trials",
                                             .mode = measure::MeasureMode::kSearch,
                                             .incumbent_ns = 1.5,
                                             .candidates = {testing::CandidateText(i)}};
    ALT_ASSERT_OK(
        store.CommitAndWait({AppendLog{"j1", i, proposal}, AppendLog{"j2", i, proposal}}));
  }
  int64_t champion = 1;
  for (const ChampionKey& key : Keys()) {
    PutChampion put{.key = key,
                    .candidate = testing::CandidateText(champion++),
                    .result = testing::OkResult(90),
                    .peak_share = 0.75,
                    .validators = {{"llvm", "19.1.7"}}};
    put.provenance = {.job = "j1", .worker = "w0", .time = rests.created};
    ALT_ASSERT_OK(store.CommitAndWait({put}));
  }
  ALT_ASSERT_OK(store.CommitAndWait({DeleteRecord{RecordId(
      RecordKey{testing::kWorkloadText, testing::kTargetText, testing::CandidateText(4)})}}));
}

StoreTruth::StoreTruth(TuningStore& store) {
  for (StoredRecord& record : store.ListRecords({})) records_.emplace(record.id, record);
  // Deletion or not is one row's word: what was deleted is no damage when it shows again.
  for (const char* workload : {testing::kWorkloadText, kOther}) {
    for (StoredRecord& record :
         store.RecordsAt(workload, testing::kTargetText, measure::CacheState::kWarm,
                         store.LastSequence() - 1)) {
      records_.emplace(record.id, record);
    }
  }
  for (const ChampionKey& key : Keys()) {
    const auto champion = store.ChampionAt(key, store.LastSequence());
    EXPECT_TRUE(champion.has_value());
    if (!champion) continue;
    champions_.emplace(champion->record + job::PrintFixedLayouts(key.fixed_layouts), *champion);
  }
  for (Job& job : store.ListJobs("", 100)) {
    logs_[job.id] = *store.ReadLog(job.id);
    jobs_.emplace(job.id, job);
  }
}

void StoreTruth::ExpectNothingElse(TuningStore& store) const {
  for (const StoredRecord& record : store.ListRecords({})) {
    const auto it = records_.find(record.id);
    ASSERT_NE(it, records_.end()) << record.id;
    const StoredRecord& truth = it->second;
    EXPECT_EQ(record.key, truth.key);
    EXPECT_EQ(record.result, truth.result);
    EXPECT_EQ(record.provenance, truth.provenance);
    // Not known, or what they were.
    EXPECT_TRUE(record.validators.empty() || record.validators == truth.validators);
  }
  for (const ChampionKey& key : Keys()) {
    if (const auto champion = store.ChampionAt(key, store.LastSequence())) {
      const auto it = champions_.find(champion->record + job::PrintFixedLayouts(key.fixed_layouts));
      ASSERT_NE(it, champions_.end());
      EXPECT_EQ(champion->candidate, it->second.candidate);
      EXPECT_EQ(champion->latency, it->second.latency);
      EXPECT_EQ(champion->peak_share, it->second.peak_share);
    }
    if (const auto best = store.FindBest(key, TrustAll, AcceptAll)) {
      const auto it = records_.find(best->record);
      ASSERT_NE(it, records_.end());
      EXPECT_EQ(best->candidate, it->second.key.candidate);
      EXPECT_EQ(key.workload, it->second.key.workload);
      EXPECT_TRUE(best->confirmed || best->latency == it->second.result.latency);
    }
  }
  for (const Job& job : store.ListJobs("", 100)) {
    const auto it = jobs_.find(job.id);
    ASSERT_NE(it, jobs_.end());
    // Recovering fails jobs that can no longer go on.
    if (job.reason != "its log was damaged") {
      EXPECT_EQ(job, it->second);
    }
    const absl::StatusOr<JobLog> log = store.ReadLog(job.id);
    if (!log.ok()) {
      EXPECT_TRUE(testing::StatusIs(log, absl::StatusCode::kDataLoss, job.id));
      continue;
    }
    const JobLog& truth = logs_.at(job.id);
    ASSERT_LE(log->events.size(), truth.events.size());
    EXPECT_TRUE(std::equal(log->events.begin(), log->events.end(), truth.events.begin()));
    for (const LoggedResult& result : log->results) {
      const bool same =
          std::any_of(truth.results.begin(), truth.results.end(), [&](LoggedResult other) {
            if (result.record.empty()) other.record.clear();  // its record is gone
            return result == other;
          });
      EXPECT_TRUE(same) << result.place.job << " " << result.place.batch << "."
                        << result.place.index << " of record " << result.record;
    }
  }
}

}  // namespace alt::store
