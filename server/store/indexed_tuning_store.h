// What stores share: questions answered from the index, which the store fills with what it reads.
#ifndef SERVER_STORE_INDEXED_TUNING_STORE_H_
#define SERVER_STORE_INDEXED_TUNING_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "server/store/store_index.h"
#include "server/store/tuning_store.h"

namespace alt::store {

class IndexedTuningStore : public TuningStore {
 public:
  int64_t LastSequence() const override;
  std::vector<StoredRecord> RecordsAt(absl::string_view workload, absl::string_view target,
                                      measure::CacheState cache, int64_t sequence) const override;
  std::optional<Champion> ChampionAt(const ChampionKey& key, int64_t sequence) const override;
  std::optional<BestAnswer> FindBest(const ChampionKey& key, Trust trust,
                                     Accept accept) const override;
  std::vector<BestAnswer> FindTop(const ChampionKey& key, int64_t limit) const override;
  std::vector<Neighbour> FindNearest(const ChampionKey& key, int64_t limit) const override;
  std::vector<ChampionKey> AnsweredKeys() const override;
  std::vector<std::string> TargetsOf(absl::string_view workload) const override;
  std::optional<measure::Validators> NewestValidators(absl::string_view target) const override;
  absl::StatusOr<StoredRecord> GetRecord(absl::string_view id) const override;
  std::vector<StoredRecord> ListRecords(const RecordFilter& filter) const override;
  job::Stats Stats() const override;

  int64_t NextJobNumber() override;
  absl::StatusOr<Job> GetJob(absl::string_view id) const override;
  std::optional<Job> FindJobByRequest(absl::string_view request_id) const override;
  std::vector<Job> ListJobs(absl::string_view before, int64_t limit) const override;
  std::vector<Job> UnfinishedJobs() const override;
  absl::StatusOr<std::vector<job::Trial>> ListTrials(absl::string_view job, int64_t after,
                                                     int64_t limit) const override;

 protected:
  // What is stored of a record beside what the index holds.
  struct Stored {
    int64_t row = 0;
    std::optional<int64_t> measured;  // sequence number; none: the candidate alone is wanted
    // Filled in. False: it is gone or damaged.
    bool ok = false;
    std::string candidate;
    measure::MeasureResult result;
    measure::Provenance provenance;
  };
  // Called without mutex_.
  virtual void Read(absl::Span<Stored> wanted) const = 0;
  // What an answer lacks, and what was read of it. False: it is none.
  static Stored ToRead(const AnswerRef& ref);
  static bool Fill(Stored stored, AnswerRef* ref);

  mutable absl::Mutex mutex_;
  StoreIndex index_ ABSL_GUARDED_BY(mutex_);

 private:
  std::vector<StoredRecord> Whole(std::vector<RecordRef> refs) const;
  bool Complete(AnswerRef* ref) const;

  int64_t last_job_number_ ABSL_GUARDED_BY(mutex_) = 0;
};

// "winograd(4,4)" of a candidate's canonical text.
std::string AlgorithmOf(absl::string_view candidate);

}  // namespace alt::store

#endif  // SERVER_STORE_INDEXED_TUNING_STORE_H_
