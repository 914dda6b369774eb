// What stores share: questions answered from the index.
#ifndef SERVER_STORE_INDEXED_TUNING_STORE_H_
#define SERVER_STORE_INDEXED_TUNING_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/store/store_index.h"
#include "server/store/tuning_store.h"

namespace alt::store {

class IndexedTuningStore : public TuningStore {
 public:
  int64_t LastSequence() const override;
  std::vector<StoredRecord> RecordsAt(absl::string_view workload, absl::string_view target,
                                      measure::CacheState cache, int64_t sequence) const override;
  std::optional<Champion> ChampionAt(const ChampionKey& key, int64_t sequence) const override;
  std::optional<BestAnswer> FindBest(const ChampionKey& key, Accept accept) const override;
  std::vector<Neighbour> FindNearest(const ChampionKey& key, int64_t limit) const override;
  std::vector<std::string> TargetsOf(absl::string_view workload) const override;
  absl::StatusOr<StoredRecord> GetRecord(absl::string_view id) const override;
  std::vector<StoredRecord> ListRecords(const RecordFilter& filter) const override;
  job::Stats Stats() const override;

  int64_t NextJobNumber() override;
  absl::StatusOr<Job> GetJob(absl::string_view id) const override;
  std::optional<Job> FindJobByRequest(absl::string_view request_id) const override;
  std::vector<Job> ListJobs(absl::string_view before, int64_t limit) const override;
  std::vector<Job> UnfinishedJobs() const override;

 protected:
  mutable absl::Mutex mutex_;
  StoreIndex index_ ABSL_GUARDED_BY(mutex_);

 private:
  int64_t last_job_number_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace alt::store

#endif  // SERVER_STORE_INDEXED_TUNING_STORE_H_
