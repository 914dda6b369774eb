// Records, champions and queries.
#include <gtest/gtest.h>

#include "tests/conformance/tuning_store_suite.h"
#include "tests/testing/records.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

using measure::CacheState;
using measure::Outcome;
using testing::CandidateText;
using testing::FailedResult;
using testing::IsOk;
using testing::kTargetText;
using testing::kWorkloadText;
using testing::Measured;
using testing::MeasuredAt;
using testing::OkResult;
using testing::StatusIs;

const ChampionKey kKey{kWorkloadText, kTargetText, CacheState::kWarm, {}};

bool Any(absl::string_view) { return true; }
bool All(const measure::Validators&) { return true; }

PutChampion Confirmed(int64_t candidate, double median_ns, std::optional<double> share = {},
                      std::string incumbent = "") {
  PutChampion champion{.key = kKey,
                       .candidate = CandidateText(candidate),
                       .result = OkResult(median_ns),
                       .peak_share = share,
                       .incumbent = std::move(incumbent)};
  champion.provenance = {.job = "j7", .worker = "w0", .time = absl::FromUnixSeconds(1767225600)};
  return champion;
}

std::string IdOf(int64_t candidate) {
  return RecordId(RecordKey{kWorkloadText, kTargetText, CandidateText(candidate)});
}

TEST_P(TuningStoreSuite, IsEmptyAtFirst) {
  NowAndReopened([&] {
    EXPECT_EQ(store().LastSequence(), 0);
    EXPECT_EQ(store().Stats().records, 0);
    EXPECT_EQ(store().FindBest(kKey, All, Any), std::nullopt);
    EXPECT_TRUE(store().FindNearest(kKey, 3).empty());
    EXPECT_TRUE(store().ListRecords({}).empty());
    EXPECT_TRUE(IsOk(store().WriteHealth()));
  });
}

TEST_P(TuningStoreSuite, ARecordKeepsEverythingThatWasMeasured) {
  AddResult in = Measured(3, OkResult(1234.5678901234567));
  in.cache = CacheState::kRotate;
  in.result.censored = true;
  in.result.disturbed = true;
  ALT_ASSERT_OK(store().CommitAndWait({in}));
  NowAndReopened([&] {
    ALT_ASSERT_OK_AND_ASSIGN(const StoredRecord record, store().GetRecord(IdOf(3)));
    EXPECT_EQ(record.id, IdOf(3));
    EXPECT_EQ(record.key, in.record);
    EXPECT_EQ(record.sequence, 1);
    EXPECT_EQ(record.measurements, 1);
    EXPECT_EQ(record.cache, CacheState::kRotate);
    EXPECT_EQ(record.result, in.result);
    EXPECT_EQ(record.provenance, in.provenance);
    EXPECT_EQ(record.validators, in.validators);
  });
}

TEST_P(TuningStoreSuite, FailuresAreKeptWithTheirReason) {
  for (int i = 1; i <= static_cast<int>(Outcome::kCancelled); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    ALT_ASSERT_OK(store().CommitAndWait({Measured(i, FailedResult(outcome))}));
  }
  NowAndReopened([&] {
    for (int i = 1; i <= static_cast<int>(Outcome::kCancelled); ++i) {
      ALT_ASSERT_OK_AND_ASSIGN(const StoredRecord record, store().GetRecord(IdOf(i)));
      EXPECT_EQ(record.result, FailedResult(static_cast<Outcome>(i)));
    }
    EXPECT_EQ(store().FindBest(kKey, All, Any), std::nullopt);
  });
}

TEST_P(TuningStoreSuite, MeasuringAgainAddsToTheRecord) {
  AddResult first = Measured(1, OkResult(100));
  AddResult again = MeasuredAt(5, 1, OkResult(90), "j2");
  ALT_ASSERT_OK(store().CommitAndWait({first, again}));
  NowAndReopened([&] {
    ALT_ASSERT_OK_AND_ASSIGN(const StoredRecord record, store().GetRecord(IdOf(1)));
    EXPECT_EQ(record.measurements, 2);
    EXPECT_EQ(record.sequence, 1);
    EXPECT_EQ(record.result.latency->median_ns, 90);
    EXPECT_EQ(record.provenance.job, "j2");
    EXPECT_EQ(store().Stats().records, 1);
    EXPECT_EQ(store().Stats().duplicates, 1);
    EXPECT_EQ(store().LastSequence(), 2);
  });
}

TEST_P(TuningStoreSuite, ARecordNamesTheTrialThatFoundItThoughItWasTimedAgain) {
  const AddResult found = MeasuredAt(5, 1, OkResult(200));
  AddResult again = MeasuredAt(6, 1, OkResult(150));
  again.provenance = {.job = "j8", .worker = "w9", .time = absl::FromUnixSeconds(1767225600)};
  AddResult never = MeasuredAt(7, 2, OkResult(300));
  never.provenance.trial = 0;
  ALT_ASSERT_OK(store().CommitAndWait({found}));
  ALT_ASSERT_OK(store().CommitAndWait({again, never}));
  NowAndReopened([&] {
    measure::Provenance want = again.provenance;
    want.job = found.provenance.job;
    want.trial = found.provenance.trial;
    ALT_ASSERT_OK_AND_ASSIGN(const StoredRecord record, store().GetRecord(IdOf(1)));
    EXPECT_EQ(record.result, again.result);
    EXPECT_EQ(record.provenance, want);
    const std::vector<StoredRecord> all = store().ListRecords({});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].provenance, never.provenance);
    EXPECT_EQ(all[1].provenance, want);
  });
}

TEST_P(TuningStoreSuite, TheSameMeasurementTwiceIsStoredOnce) {
  ALT_ASSERT_OK(store().CommitAndWait({Measured(1, OkResult(100))}));
  ALT_ASSERT_OK(store().CommitAndWait({Measured(1, OkResult(100))}));
  NowAndReopened([&] {
    EXPECT_EQ(store().GetRecord(IdOf(1))->measurements, 1);
    EXPECT_EQ(store().Stats().duplicates, 0);
  });
}

TEST_P(TuningStoreSuite, AFailureDoesNotReplaceABetterAnswerButAWrongResultDoes) {
  const auto add = [&](measure::MeasureResult result, int64_t trial) {
    ALT_EXPECT_OK(store().CommitAndWait({MeasuredAt(trial, 1, std::move(result))}));
  };
  add(FailedResult(Outcome::kWorkerLost), 1);
  add(FailedResult(Outcome::kRunTimeout), 2);
  EXPECT_EQ(store().GetRecord(IdOf(1))->result.outcome, Outcome::kRunTimeout);
  add(OkResult(100), 3);
  measure::MeasureResult censored = OkResult(80);
  censored.censored = true;
  add(censored, 4);
  add(FailedResult(Outcome::kCrashed), 5);
  NowAndReopened([&] {
    EXPECT_EQ(store().GetRecord(IdOf(1))->result, OkResult(100));
    EXPECT_EQ(store().FindBest(kKey, All, Any)->latency.median_ns, 100);
  });
  add(FailedResult(Outcome::kWrongResult), 6);
  add(OkResult(100), 7);
  NowAndReopened([&] {
    EXPECT_EQ(store().GetRecord(IdOf(1))->result.outcome, Outcome::kWrongResult);
    EXPECT_EQ(store().FindBest(kKey, All, Any), std::nullopt);
  });
}

TEST_P(TuningStoreSuite, RecordsAreFoundByTheirFirstCharacters) {
  for (int i = 0; i < 40; ++i) {
    ALT_ASSERT_OK(store().CommitAndWait({Measured(i, OkResult(100 + i))}));
  }
  NowAndReopened([&] {
    for (int i = 0; i < 40; ++i) {
      const auto record = store().GetRecord(IdOf(i).substr(0, 12));
      ASSERT_TRUE(IsOk(record));
      EXPECT_EQ(record->key.candidate, CandidateText(i));
    }
    // 40 ids cannot all begin with a digit of their own.
    int ambiguous = 0;
    for (const char c : std::string("0123456789abcdef")) {
      const auto record = store().GetRecord(std::string(1, c));
      ambiguous += StatusIs(record, absl::StatusCode::kInvalidArgument, "several records");
    }
    EXPECT_GT(ambiguous, 0);
  });
  EXPECT_TRUE(StatusIs(store().GetRecord(""), absl::StatusCode::kNotFound));
  EXPECT_TRUE(StatusIs(store().GetRecord("0x12"), absl::StatusCode::kNotFound));
  EXPECT_TRUE(StatusIs(store().GetRecord("no such"), absl::StatusCode::kNotFound));
  EXPECT_TRUE(StatusIs(store().GetRecord("00000000000000001"), absl::StatusCode::kNotFound));
}

TEST_P(TuningStoreSuite, BestIsTheLowestMedianThatIsNotCensored) {
  measure::MeasureResult censored = OkResult(10);
  censored.censored = true;
  ALT_ASSERT_OK(store().CommitAndWait({Measured(1, OkResult(300)), Measured(2, OkResult(200)),
                                       Measured(3, censored), Measured(4, OkResult(250)),
                                       Measured(5, FailedResult(Outcome::kCrashed))}));
  NowAndReopened([&] {
    const auto best = store().FindBest(kKey, All, Any);
    ASSERT_TRUE(best.has_value());
    EXPECT_EQ(best->record, IdOf(2));
    EXPECT_EQ(best->candidate, CandidateText(2));
    EXPECT_EQ(best->latency, *OkResult(200).latency);
    EXPECT_EQ(best->peak_gflops, 100.25);
    EXPECT_FALSE(best->confirmed);
  });
}

TEST_P(TuningStoreSuite, BestFollowsWhatIsMeasuredAgain) {
  ALT_ASSERT_OK(store().CommitAndWait({Measured(1, OkResult(200)), Measured(2, OkResult(210))}));
  ALT_ASSERT_OK(store().CommitAndWait({MeasuredAt(9, 1, OkResult(400))}));
  NowAndReopened([&] { EXPECT_EQ(store().FindBest(kKey, All, Any)->record, IdOf(2)); });
}

TEST_P(TuningStoreSuite, OnlyAcceptableCandidatesAreAnswers) {
  ALT_ASSERT_OK(store().CommitAndWait(
      {Measured(1, OkResult(300)), Measured(2, OkResult(200)), Measured(3, OkResult(250))}));
  const auto not_two = [](absl::string_view text) { return text != CandidateText(2); };
  const auto none = [](absl::string_view) { return false; };
  EXPECT_EQ(store().FindBest(kKey, All, not_two)->record, IdOf(3));
  EXPECT_EQ(store().FindBest(kKey, All, none), std::nullopt);
  ALT_ASSERT_OK(store().CommitAndWait({Confirmed(2, 200)}));
  EXPECT_EQ(store().FindBest(kKey, All, not_two)->record, IdOf(3));
}

TEST_P(TuningStoreSuite, CacheStatesAreApart) {
  AddResult warm = Measured(1, OkResult(100));
  AddResult rotated = MeasuredAt(2, 1, OkResult(150));
  rotated.cache = CacheState::kRotate;
  ALT_ASSERT_OK(store().CommitAndWait({warm, rotated}));
  ChampionKey cold = kKey, rotate = kKey;
  cold.cache = CacheState::kCold;
  rotate.cache = CacheState::kRotate;
  NowAndReopened([&] {
    EXPECT_EQ(store().FindBest(kKey, All, Any)->latency.median_ns, 100);
    EXPECT_EQ(store().FindBest(rotate, All, Any)->latency.median_ns, 150);
    EXPECT_EQ(store().FindBest(cold, All, Any), std::nullopt);
    EXPECT_EQ(store().RecordsAt(kWorkloadText, kTargetText, CacheState::kRotate, 2).size(), 1u);
    EXPECT_EQ(store().RecordsAt(kWorkloadText, kTargetText, CacheState::kRotate, 1).size(), 0u);
    EXPECT_EQ(store().Stats().duplicates, 0);
  });
}

TEST_P(TuningStoreSuite, RecordsAtASequenceNumberNeverChange) {
  ALT_ASSERT_OK(store().CommitAndWait({Measured(1, OkResult(100)), Measured(2, OkResult(200))}));
  const int64_t then = store().LastSequence();
  const auto before = store().RecordsAt(kWorkloadText, kTargetText, CacheState::kWarm, then);
  ASSERT_EQ(before.size(), 2u);
  const AddResult again = MeasuredAt(7, 1, OkResult(50), "j3");
  ALT_ASSERT_OK(store().CommitAndWait({again, Measured(3, OkResult(40)), Confirmed(3, 41)}));
  NowAndReopened([&] {
    const auto after = store().RecordsAt(kWorkloadText, kTargetText, CacheState::kWarm, then);
    ASSERT_EQ(after.size(), 2u);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(after[i].id, before[i].id);
      EXPECT_EQ(after[i].result, before[i].result);
    }
    EXPECT_EQ(store().ChampionAt(kKey, then), std::nullopt);
    const auto now =
        store().RecordsAt(kWorkloadText, kTargetText, CacheState::kWarm, store().LastSequence());
    ASSERT_EQ(now.size(), 3u);
    EXPECT_EQ(now[0].result.latency->median_ns, 50);
    EXPECT_EQ(store().ChampionAt(kKey, store().LastSequence())->record, IdOf(3));
  });
}

TEST_P(TuningStoreSuite, AChampionBeatsALowerMedian) {
  ALT_ASSERT_OK(store().CommitAndWait({Measured(1, OkResult(100)), Measured(2, OkResult(120))}));
  ALT_ASSERT_OK(store().CommitAndWait({Confirmed(2, 110, 0.9)}));
  NowAndReopened([&] {
    const auto best = store().FindBest(kKey, All, Any);
    EXPECT_EQ(best->record, IdOf(2));
    EXPECT_TRUE(best->confirmed);
    EXPECT_EQ(best->latency.median_ns, 110);
    const auto champion = store().ChampionAt(kKey, store().LastSequence());
    ASSERT_TRUE(champion.has_value());
    EXPECT_EQ(champion->peak_share, 0.9);
    EXPECT_EQ(champion->peak_gflops, 100.25);
    EXPECT_EQ(champion->job, "j7");
    EXPECT_EQ(champion->candidate, CandidateText(2));
    EXPECT_EQ(store().GetRecord(IdOf(2))->measurements, 1);
  });
}

TEST_P(TuningStoreSuite, AChampionWithoutRecordMakesOne) {
  ALT_ASSERT_OK(store().CommitAndWait({Confirmed(8, 110)}));
  NowAndReopened([&] {
    ALT_ASSERT_OK_AND_ASSIGN(const StoredRecord record, store().GetRecord(IdOf(8)));
    EXPECT_EQ(record.result, OkResult(110));
    EXPECT_EQ(record.provenance.trial, 0);
    EXPECT_EQ(store().Stats().records, 1);
    EXPECT_EQ(store().LastSequence(), 2);
  });
}

TEST_P(TuningStoreSuite, AChampionIsReplacedWhenItTookPartOrIsSlower) {
  const auto champion = [&] { return store().ChampionAt(kKey, store().LastSequence())->record; };
  ALT_ASSERT_OK(store().CommitAndWait({Confirmed(1, 100, 0.80)}));
  // Found slower without a comparison: stays out.
  ALT_ASSERT_OK(store().CommitAndWait({Confirmed(2, 120, 0.70)}));
  EXPECT_EQ(champion(), IdOf(1));
  // Slower on a slower day, but a larger share of that day's peak.
  ALT_ASSERT_OK(store().CommitAndWait({Confirmed(3, 130, 0.85)}));
  EXPECT_EQ(champion(), IdOf(3));
  // Beaten in a comparison, whatever the numbers say.
  ALT_ASSERT_OK(store().CommitAndWait({Confirmed(4, 140, 0.60, IdOf(3))}));
  EXPECT_EQ(champion(), IdOf(4));
  // Confirmed anew.
  ALT_ASSERT_OK(store().CommitAndWait({Confirmed(4, 150, 0.58)}));
  EXPECT_EQ(store().FindBest(kKey, All, Any)->latency.median_ns, 150);
  // Without shares the medians decide.
  ALT_ASSERT_OK(store().CommitAndWait({Confirmed(5, 151)}));
  NowAndReopened([&] { EXPECT_EQ(champion(), IdOf(4)); });
  ALT_ASSERT_OK(store().CommitAndWait({Confirmed(6, 149)}));
  NowAndReopened([&] { EXPECT_EQ(champion(), IdOf(6)); });
}

// Candidate n has layout a: split(1,n), and b is plain in all.
TEST_P(TuningStoreSuite, ChampionsUnderFixedLayoutsAnswerTheirOwnQueryFirst) {
  PutChampion fixed = Confirmed(2, 150, 0.5);
  fixed.key.fixed_layouts = {{"b", {}}};
  ALT_ASSERT_OK(store().CommitAndWait({Confirmed(1, 100, 0.8), fixed}));
  NowAndReopened([&] {
    EXPECT_EQ(store().FindBest(kKey, All, Any)->record, IdOf(1));
    EXPECT_EQ(store().FindBest(fixed.key, All, Any)->record, IdOf(2));
    EXPECT_EQ(store().ChampionAt(fixed.key, store().LastSequence())->key, fixed.key);
    ChampionKey other = kKey;
    other.fixed_layouts = {{"c", {}}};
    EXPECT_EQ(store().FindBest(other, All, Any)->record, IdOf(1));
    EXPECT_EQ(store().ChampionAt(other, store().LastSequence()), std::nullopt);
    other.fixed_layouts = *job::ParseFixedLayouts("a=split(1,2)");
    EXPECT_EQ(store().FindBest(other, All, Any)->record, IdOf(2));
  });
}

TEST_P(TuningStoreSuite, FixedLayoutsAreLookedForAmongAllRecords) {
  ALT_ASSERT_OK(store().CommitAndWait(
      {Measured(1, OkResult(100)), Measured(2, OkResult(200)), Measured(3, OkResult(300))}));
  ChampionKey key = kKey;
  NowAndReopened([&] {
    key.fixed_layouts = *job::ParseFixedLayouts("a=split(1,3),b=plain");
    EXPECT_EQ(store().FindBest(key, All, Any)->record, IdOf(3));
    EXPECT_EQ(store().FindBest(key, All, Any)->latency, *OkResult(300).latency);
    for (const char* nowhere : {"a=plain", "a=split(1,4)", "b=split(1,2)"}) {
      key.fixed_layouts = *job::ParseFixedLayouts(nowhere);
      EXPECT_EQ(store().FindBest(key, All, Any), std::nullopt);
    }
  });
}

TEST_P(TuningStoreSuite, OnlyMeasurementsUnderTrustedFactsAreAnswers) {
  const measure::Validators here{{"llvm", "19"}}, there{{"llvm", "18"}};
  const auto add = [&](int64_t trial, int64_t n, double ns, const measure::Validators& facts) {
    AddResult m = MeasuredAt(trial, n, OkResult(ns));
    m.validators = facts;
    ALT_EXPECT_OK(store().CommitAndWait({m}));
  };
  add(1, 1, 100, there);
  add(2, 2, 200, here);
  add(3, 3, 300, there);
  add(4, 3, 250, here);
  add(5, 2, 50, there);  // measured again elsewhere
  const auto trusts = [](const measure::Validators& trusted) {
    return [trusted](const measure::Validators& facts) { return facts == trusted; };
  };
  NowAndReopened([&] {
    EXPECT_EQ(store().FindBest(kKey, All, Any)->record, IdOf(2));
    EXPECT_EQ(store().FindBest(kKey, All, Any)->validators, there);
    const auto best = store().FindBest(kKey, trusts(here), Any);
    EXPECT_EQ(best->record, IdOf(2));
    EXPECT_EQ(best->latency.median_ns, 200);
    EXPECT_EQ(best->validators, here);
    EXPECT_EQ(store().FindBest(kKey, trusts({}), Any), std::nullopt);
    EXPECT_EQ(store().NewestValidators(kTargetText), there);
    EXPECT_EQ(store().NewestValidators("cpu:other"), std::nullopt);
  });
  PutChampion champion = Confirmed(3, 260);
  champion.validators = here;
  ALT_ASSERT_OK(store().CommitAndWait({champion}));
  NowAndReopened([&] {
    EXPECT_EQ(store().FindBest(kKey, trusts(here), Any)->record, IdOf(3));
    EXPECT_TRUE(store().FindBest(kKey, trusts(here), Any)->confirmed);
    EXPECT_EQ(store().FindBest(kKey, trusts(there), Any)->record, IdOf(2));
    EXPECT_EQ(store().ChampionAt(kKey, store().LastSequence())->validators, here);
  });
}

TEST_P(TuningStoreSuite, ADeletedRecordIsNoAnswerAnyMore) {
  ALT_ASSERT_OK(store().CommitAndWait({Measured(1, OkResult(100)), Measured(2, OkResult(200)),
                                       Measured(3, OkResult(300)), Confirmed(2, 190),
                                       Confirmed(1, 95, {}, IdOf(2))}));
  const int64_t then = store().LastSequence();
  ALT_ASSERT_OK(store().CommitAndWait({DeleteRecord{IdOf(1)}}));
  NowAndReopened([&] {
    EXPECT_TRUE(StatusIs(store().GetRecord(IdOf(1)), absl::StatusCode::kNotFound));
    EXPECT_EQ(store().Stats().records, 2);
    EXPECT_EQ(store().ListRecords({}).size(), 2u);
    EXPECT_EQ(store().LastSequence(), then + 1);
    // The champion is the one that it had replaced.
    EXPECT_EQ(store().FindBest(kKey, All, Any)->record, IdOf(2));
    EXPECT_TRUE(store().FindBest(kKey, All, Any)->confirmed);
    EXPECT_EQ(store().FindBest(kKey, All, Any)->candidate, CandidateText(2));
    // A job that began before still sees what it saw.
    EXPECT_EQ(store().RecordsAt(kWorkloadText, kTargetText, CacheState::kWarm, then).size(), 3u);
    EXPECT_EQ(store().ChampionAt(kKey, then)->record, IdOf(1));
    EXPECT_EQ(store().ChampionAt(kKey, then + 1)->record, IdOf(2));
  });
  ALT_ASSERT_OK(store().CommitAndWait({DeleteRecord{IdOf(2)}}));
  NowAndReopened([&] {
    const auto best = store().FindBest(kKey, All, Any);
    EXPECT_EQ(best->record, IdOf(3));
    EXPECT_EQ(best->candidate, CandidateText(3));
    EXPECT_EQ(best->latency, *OkResult(300).latency);
  });
  // Measured anew it is a record again.
  ALT_ASSERT_OK(store().CommitAndWait({MeasuredAt(9, 1, OkResult(120))}));
  NowAndReopened([&] {
    EXPECT_EQ(store().FindBest(kKey, All, Any)->record, IdOf(1));
    EXPECT_EQ(store().FindBest(kKey, All, Any)->latency.median_ns, 120);
  });
  EXPECT_TRUE(StatusIs(store().CommitAndWait({DeleteRecord{"0123456789abcdef"}}),
                       absl::StatusCode::kNotFound, "0123456789abcdef"));
  EXPECT_TRUE(StatusIs(store().CommitAndWait({DeleteRecord{"no such"}}),
                       absl::StatusCode::kNotFound, "no such"));
}

TEST_P(TuningStoreSuite, TheBestFewBeginWithTheChampion) {
  ALT_ASSERT_OK(store().CommitAndWait({Measured(1, OkResult(100)), Measured(2, OkResult(200)),
                                       Measured(3, OkResult(300)), Confirmed(2, 190)}));
  ChampionKey cold = kKey;
  cold.cache = CacheState::kCold;
  NowAndReopened([&] {
    std::vector<std::string> ids;
    for (const BestAnswer& answer : store().FindTop(kKey, 2)) {
      ids.push_back(answer.record);
      EXPECT_FALSE(answer.candidate.empty());
    }
    EXPECT_EQ(ids, (std::vector{IdOf(2), IdOf(1)}));
    EXPECT_EQ(store().FindTop(kKey, 9).size(), 3u);
    EXPECT_TRUE(store().FindTop(cold, 9).empty());
    EXPECT_EQ(store().AnsweredKeys(), std::vector<ChampionKey>{kKey});
  });
}

TEST_P(TuningStoreSuite, NearestAreOfTheSameOperatorByDistance) {
  const auto add = [&](const std::string& workload, const std::string& target, double ns) {
    AddResult m = MeasuredAt(static_cast<int64_t>(ns), 1, OkResult(ns));
    m.record->workload = workload;
    m.record->target = target;
    ALT_EXPECT_OK(store().CommitAndWait({m}));
  };
  add("matmul:m=128,n=64,k=64,batch=1,dtype=f32", kTargetText, 1);
  add("matmul:m=256,n=64,k=64,batch=1,dtype=f32", kTargetText, 2);
  add("matmul:m=65,n=64,k=64,batch=1,dtype=f32", "cpu:other", 3);
  add("matmul:m=64,n=64,k=64,batch=1,dtype=f16", kTargetText, 4);
  add("conv2d:m=64,n=64,k=64,batch=1,dtype=f32", kTargetText, 5);
  add(kWorkloadText, kTargetText, 6);
  NowAndReopened([&] {
    const auto near = store().FindNearest(kKey, 10);
    ASSERT_EQ(near.size(), 2u);
    EXPECT_EQ(near[0].best.latency.median_ns, 1);
    EXPECT_EQ(near[0].distance, 1);
    EXPECT_EQ(near[1].best.latency.median_ns, 2);
    EXPECT_EQ(near[1].workload, "matmul:m=256,n=64,k=64,batch=1,dtype=f32");
    EXPECT_EQ(store().FindNearest(kKey, 1).size(), 1u);
    ChampionKey any_target = kKey;
    any_target.target.clear();
    const auto all = store().FindNearest(any_target, 10);
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].distance, 0);
    EXPECT_EQ(all[1].target, "cpu:other");
    EXPECT_EQ(store().TargetsOf(kWorkloadText), std::vector<std::string>{kTargetText});
    EXPECT_TRUE(store().TargetsOf("matmul:m=1").empty());
  });
}

TEST_P(TuningStoreSuite, RecordsAreListedNewestFirstInPages) {
  for (int i = 1; i <= 5; ++i) {
    AddResult m = MeasuredAt(i, i, OkResult(100), i == 2 ? "j2" : "j1");
    if (i == 4) m.record->workload = "matmul:m=1,n=1,k=1,batch=1,dtype=f32";
    ALT_ASSERT_OK(store().CommitAndWait({m}));
  }
  NowAndReopened([&] {
    const auto page = store().ListRecords({.limit = 2});
    ASSERT_EQ(page.size(), 2u);
    EXPECT_EQ(page[0].id, IdOf(5));
    const auto next = store().ListRecords({.before_sequence = page[1].sequence});
    ASSERT_EQ(next.size(), 3u);
    EXPECT_EQ(next[0].id, IdOf(3));
    EXPECT_EQ(store().ListRecords({.workload = kWorkloadText}).size(), 4u);
    EXPECT_EQ(store().ListRecords({.target = "cpu:other"}).size(), 0u);
    EXPECT_EQ(store().ListRecords({.job = "j2"}).size(), 1u);
    EXPECT_EQ(store().Stats().workloads, 2);
    EXPECT_EQ(store().Stats().targets,
              std::vector<target::Target>{*target::ParseTarget(kTargetText)});
  });
}

TEST_P(TuningStoreSuite, WhatNoQueryCouldFindIsRefused) {
  const auto refused = [&](Mutation mutation, absl::string_view why) {
    return StatusIs(store().CommitAndWait({Measured(99, OkResult(1)), std::move(mutation)}),
                    absl::StatusCode::kInvalidArgument, why);
  };
  AddResult m = Measured(1, OkResult(100));
  m.record->candidate.clear();
  EXPECT_TRUE(refused(m, "candidate is empty"));
  m = Measured(1, OkResult(100));
  m.record->workload = std::string("a\0b", 3);
  EXPECT_TRUE(refused(m, "NUL"));
  m.record->workload = std::string((1 << 20) + 1, 'x');
  EXPECT_TRUE(refused(m, "workload has 1048577 bytes"));
  m = Measured(1, OkResult(100));
  m.result.latency.reset();
  EXPECT_TRUE(refused(m, "a result that is OK has no latency"));
  EXPECT_TRUE(refused(Measured(1, OkResult(-1)), "a median of -1 ns"));
  m.result = FailedResult(Outcome::kCrashed);
  m.result.latency.emplace();
  EXPECT_TRUE(refused(m, "CRASHED has a latency"));
  m = Measured(1, OkResult(100));
  m.validators = {{"a name", "x"}};
  EXPECT_TRUE(refused(m, "has a space"));
  PutChampion champion = Confirmed(1, 100);
  champion.result = FailedResult(Outcome::kCrashed);
  EXPECT_TRUE(refused(champion, "not OK"));
  NowAndReopened([&] { EXPECT_EQ(store().Stats().records, 0); });
}

}  // namespace
}  // namespace alt::store
