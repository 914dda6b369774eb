#include "server/store/indexed_tuning_store.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace alt::store {

int64_t IndexedTuningStore::LastSequence() const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.last_sequence();
}

std::vector<StoredRecord> IndexedTuningStore::RecordsAt(absl::string_view workload,
                                                        absl::string_view target,
                                                        measure::CacheState cache,
                                                        int64_t sequence) const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.RecordsAt(workload, target, cache, sequence);
}

std::optional<Champion> IndexedTuningStore::ChampionAt(const ChampionKey& key,
                                                       int64_t sequence) const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.ChampionAt(key, sequence);
}

std::optional<BestAnswer> IndexedTuningStore::FindBest(const ChampionKey& key,
                                                       Accept accept) const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.FindBest(key, accept);
}

std::vector<Neighbour> IndexedTuningStore::FindNearest(const ChampionKey& key,
                                                       int64_t limit) const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.FindNearest(key, limit);
}

std::vector<std::string> IndexedTuningStore::TargetsOf(absl::string_view workload) const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.TargetsOf(workload);
}

absl::StatusOr<StoredRecord> IndexedTuningStore::GetRecord(absl::string_view id) const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.GetRecord(id);
}

std::vector<StoredRecord> IndexedTuningStore::ListRecords(const RecordFilter& filter) const {
  absl::ReaderMutexLock lock(&mutex_);
  return index_.ListRecords(filter);
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

}  // namespace alt::store
