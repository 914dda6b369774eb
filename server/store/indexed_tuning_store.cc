#include "server/store/indexed_tuning_store.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/base/status_macros.h"

namespace alt::store {

int64_t IndexedTuningStore::LastSequence() const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.last_sequence();
}

IndexedTuningStore::Stored IndexedTuningStore::ToRead(const AnswerRef& ref) {
  Stored stored;
  stored.row = ref.row;
  if (ref.measured > 0) stored.measured = ref.measured;
  return stored;
}

// ---- What is read. ------------------------------------------------------------------------------

std::vector<StoredRecord> IndexedTuningStore::Whole(std::vector<RecordRef> refs) const {
  std::vector<Stored> stored(refs.size()), found;
  std::vector<size_t> of;  // of each of `found`: its place in refs
  for (size_t i = 0; i < refs.size(); ++i) {
    stored[i].row = refs[i].row;
    stored[i].measured = refs[i].measured;
    if (refs[i].found == refs[i].measured) continue;
    found.emplace_back(stored[i]).measured = refs[i].found;
    of.push_back(i);
  }
  Read(absl::MakeSpan(stored));
  Read(absl::MakeSpan(found));
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].ok) continue;
    stored[of[i]].provenance.job = std::move(found[i].provenance.job);
    stored[of[i]].provenance.trial = found[i].provenance.trial;
  }
  std::vector<StoredRecord> records;
  records.reserve(refs.size());
  for (size_t i = 0; i < refs.size(); ++i) {
    if (!stored[i].ok) continue;
    StoredRecord& record = records.emplace_back(std::move(refs[i].record));
    record.key.candidate = std::move(stored[i].candidate);
    record.result = std::move(stored[i].result);
    record.provenance = std::move(stored[i].provenance);
  }
  return records;
}

bool IndexedTuningStore::Fill(Stored stored, AnswerRef* ref) {
  if (!stored.ok) return false;
  if (stored.measured) {
    if (!stored.result.latency) return false;
    ref->answer.latency = *stored.result.latency;
    ref->answer.peak_gflops = stored.result.peak_gflops;
  }
  ref->answer.candidate = std::move(stored.candidate);
  return true;
}

bool IndexedTuningStore::Complete(AnswerRef* ref) const {
  if (!ref->answer.candidate.empty()) return true;
  Stored stored = ToRead(*ref);
  Read(absl::MakeSpan(&stored, 1));
  return Fill(std::move(stored), ref);
}

std::vector<StoredRecord> IndexedTuningStore::RecordsAt(absl::string_view workload,
                                                        absl::string_view target,
                                                        measure::CacheState cache,
                                                        int64_t sequence) const {
  std::vector<RecordRef> refs;
  {
    absl::ReaderMutexLock lock(&mutex_);
    refs = index_.RecordsAt(workload, target, cache, sequence);
  }
  return Whole(std::move(refs));
}

std::optional<Champion> IndexedTuningStore::ChampionAt(const ChampionKey& key,
                                                       int64_t sequence) const {
  std::optional<StoreIndex::ChampionRef> ref;
  {
    absl::ReaderMutexLock lock(&mutex_);
    ref = index_.ChampionAt(key, sequence);
  }
  if (!ref) return std::nullopt;
  Stored stored;
  stored.row = ref->row;
  Read(absl::MakeSpan(&stored, 1));
  if (!stored.ok) return std::nullopt;
  ref->champion.candidate = std::move(stored.candidate);
  return std::move(ref->champion);
}

std::optional<BestAnswer> IndexedTuningStore::FindBest(const ChampionKey& key, Trust trust,
                                                       Accept accept) const {
  // So many in a row that nobody can use say that the others are no better.
  constexpr size_t kMostRefused = 64;
  StoreIndex::Refused refused;
  while (refused.size() < kMostRefused) {
    std::optional<AnswerRef> ref;
    {
      absl::ReaderMutexLock lock(&mutex_);
      ref = index_.FindBest(key, trust, refused);
    }
    if (!ref) return std::nullopt;
    if (Complete(&*ref) && accept(ref->answer.candidate)) return std::move(ref->answer);
    refused.insert(ref->record);
  }
  return std::nullopt;
}

std::vector<BestAnswer> IndexedTuningStore::FindTop(const ChampionKey& key, int64_t limit) const {
  std::vector<AnswerRef> refs;
  {
    absl::ReaderMutexLock lock(&mutex_);
    refs = index_.FindTop(key, limit);
  }
  std::vector<BestAnswer> found;
  for (AnswerRef& ref : refs) {
    if (Complete(&ref)) found.push_back(std::move(ref.answer));
  }
  return found;
}

std::vector<Neighbour> IndexedTuningStore::FindNearest(const ChampionKey& key,
                                                       int64_t limit) const {
  std::vector<StoreIndex::NeighbourRef> refs;
  {
    absl::ReaderMutexLock lock(&mutex_);
    refs = index_.FindNearest(key, limit);
  }
  std::vector<Neighbour> found;
  for (StoreIndex::NeighbourRef& ref : refs) {
    if (!Complete(&ref.best)) continue;
    ref.neighbour.best = std::move(ref.best.answer);
    found.push_back(std::move(ref.neighbour));
  }
  return found;
}

absl::StatusOr<StoredRecord> IndexedTuningStore::GetRecord(absl::string_view id) const {
  absl::StatusOr<RecordRef> ref = absl::UnknownError("");
  {
    absl::ReaderMutexLock lock(&mutex_);
    ref = index_.GetRecord(id);
  }
  ALT_RETURN_IF_ERROR(ref.status());
  const std::string whole_id = ref->record.id;
  std::vector<StoredRecord> found = Whole({*std::move(ref)});
  if (!found.empty()) return std::move(found.front());
  return absl::DataLossError(absl::StrCat("record ", whole_id,
                                          " is damaged; `alt db verify` tells ",
                                          "what else is, `alt db recover` keeps the rest"));
}

std::vector<StoredRecord> IndexedTuningStore::ListRecords(const RecordFilter& filter) const {
  std::vector<RecordRef> refs;
  {
    absl::ReaderMutexLock lock(&mutex_);
    refs = index_.ListRecords(filter);
  }
  return Whole(std::move(refs));
}

absl::StatusOr<std::vector<job::Trial>> IndexedTuningStore::ListTrials(absl::string_view job,
                                                                       int64_t after,
                                                                       int64_t limit) const {
  ALT_ASSIGN_OR_RETURN(const JobLog log, ReadLog(job));
  std::vector<job::Trial> trials;
  std::vector<Stored> stored;
  for (const LoggedResult& result : log.results) {
    if (result.provenance.trial <= after) continue;
    trials.push_back({.trial = result.provenance.trial,
                      .record = result.record,
                      .outcome = result.result.outcome,
                      .censored = result.result.censored,
                      .algorithm = "",
                      .latency = result.result.latency,
                      .reason = result.result.message,
                      .time = result.provenance.time});
  }
  std::sort(trials.begin(), trials.end(),
            [](const job::Trial& a, const job::Trial& b) { return a.trial < b.trial; });
  if (static_cast<int64_t>(trials.size()) > limit) trials.resize(static_cast<size_t>(limit));
  {
    absl::ReaderMutexLock lock(&mutex_);
    for (const job::Trial& trial : trials) {
      const auto record = index_.FindRecord(trial.record);
      stored.emplace_back().row = record ? index_.RowOf(*record) : -1;
    }
  }
  Read(absl::MakeSpan(stored));
  for (size_t i = 0; i < trials.size(); ++i) {
    if (stored[i].ok) trials[i].algorithm = AlgorithmOf(stored[i].candidate);
  }
  return trials;
}

// ---- What the index answers. --------------------------------------------------------------------

std::vector<ChampionKey> IndexedTuningStore::AnsweredKeys() const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.AnsweredKeys();
}

std::vector<std::string> IndexedTuningStore::TargetsOf(absl::string_view workload) const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.TargetsOf(workload);
}

std::optional<measure::Validators> IndexedTuningStore::NewestValidators(
    absl::string_view target) const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.NewestValidators(target);
}

job::Stats IndexedTuningStore::Stats() const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.Stats();
}

int64_t IndexedTuningStore::NextJobNumber() {
  absl::MutexLock lock(&mutex_);
  last_job_number_ = std::max(last_job_number_, index_.last_job_number()) + 1;
  return last_job_number_;
}

absl::StatusOr<Job> IndexedTuningStore::GetJob(absl::string_view id) const {
  absl::ReaderMutexLock lock(&mutex_);
  if (const Job* job = index_.FindJob(id)) return *job;
  return absl::NotFoundError(absl::StrCat("no job '", id, "'"));
}

std::optional<Job> IndexedTuningStore::FindJobByRequest(absl::string_view request_id) const {
  absl::ReaderMutexLock lock(&mutex_);
  if (const Job* job = index_.FindJobByRequest(request_id)) return *job;
  return std::nullopt;
}

std::vector<Job> IndexedTuningStore::ListJobs(absl::string_view before, int64_t limit) const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.ListJobs(before, limit);
}

std::vector<Job> IndexedTuningStore::UnfinishedJobs() const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.UnfinishedJobs();
}

std::string AlgorithmOf(absl::string_view candidate) {
  absl::string_view line = candidate.substr(0, candidate.find('\n'));
  return absl::ConsumePrefix(&line, "algorithm ") ? std::string(line) : "direct";
}

}  // namespace alt::store
