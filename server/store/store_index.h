// The in-memory side of a store: everything that queries look at.
#ifndef SERVER_STORE_STORE_INDEX_H_
#define SERVER_STORE_STORE_INDEX_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "server/store/tuning_store.h"
#include "server/store/workload_shape.h"

namespace alt::store {

// Holds what was acknowledged. Measurements and champions come in the order of their sequence
// numbers, and every question about the state at a number is answered by looking at those up to it.
// One thread at a time, or many readers.
class StoreIndex {
 public:
  // ---- Changes.
  // Numbers of texts and records, dense from 0; the same text has the same number.
  uint32_t WorkloadNumber(absl::string_view text);
  uint32_t TargetNumber(absl::string_view text);
  uint32_t ValidatorsNumber(const measure::Validators& validators);
  uint32_t RecordNumber(uint64_t id, uint32_t workload, uint32_t target, std::string candidate);

  struct Measured {
    int64_t sequence = 0;
    measure::CacheState cache = measure::CacheState::kWarm;
    measure::MeasureResult result;
    measure::Provenance provenance;
    uint32_t validators = 0;
  };
  void AddMeasured(uint32_t record, Measured measured);
  // `incumbent`: PutChampion's.
  void AddChampion(Champion champion, std::string incumbent);
  void PutJob(Job job);
  // A job of that number is there, though it cannot be read.
  void NoteJobNumber(int64_t number) { last_job_number_ = std::max(last_job_number_, number); }

  // ---- Questions; TuningStore says what they mean.
  int64_t last_sequence() const { return last_sequence_; }
  std::optional<uint32_t> FindRecord(absl::string_view id) const;
  RecordKey KeyOf(uint32_t record) const;
  std::string IdOf(uint32_t record) const;
  // A record that nothing was measured of; there must be none.
  std::optional<uint32_t> UnmeasuredRecord() const;
  bool HasMeasurement(absl::string_view id, const measure::Provenance& provenance) const;
  std::vector<StoredRecord> RecordsAt(absl::string_view workload, absl::string_view target,
                                      measure::CacheState cache, int64_t sequence) const;
  std::optional<Champion> ChampionAt(const ChampionKey& key, int64_t sequence) const;
  std::optional<BestAnswer> FindBest(const ChampionKey& key, TuningStore::Accept accept) const;
  std::vector<Neighbour> FindNearest(const ChampionKey& key, int64_t limit) const;
  std::vector<std::string> TargetsOf(absl::string_view workload) const;
  absl::StatusOr<StoredRecord> GetRecord(absl::string_view id) const;
  std::vector<StoredRecord> ListRecords(const RecordFilter& filter) const;
  job::Stats Stats() const;  // without bytes
  int64_t last_job_number() const { return last_job_number_; }
  const Job* FindJob(absl::string_view id) const;
  const Job* FindJobByRequest(absl::string_view request_id) const;
  std::vector<Job> ListJobs(absl::string_view before, int64_t limit) const;
  std::vector<Job> UnfinishedJobs() const;

 private:
  struct Texts {
    std::deque<std::string> texts;
    absl::flat_hash_map<absl::string_view, uint32_t> numbers;  // views into texts
    uint32_t Number(absl::string_view text);
    std::optional<uint32_t> Find(absl::string_view text) const;
  };
  struct Record {
    uint64_t id = 0;
    uint32_t workload = 0, target = 0;
    std::string candidate;
    absl::InlinedVector<Measured, 1> measured;  // by sequence
  };
  struct OfferedChampion {
    Champion champion;
    std::string incumbent;
  };
  // What is known for one workload and target.
  struct Pair {
    std::vector<uint32_t> records;                // by first sequence
    std::array<std::optional<uint32_t>, 3> best;  // by cache state: lowest median
    std::vector<std::pair<ChampionKey, std::vector<OfferedChampion>>> champions;
  };

  const Pair* FindPair(absl::string_view workload, absl::string_view target) const;
  // The measurement of a record that counts, among those up to `sequence` (and under `cache`).
  const Measured* Counting(const Record& record, std::optional<measure::CacheState> cache,
                           int64_t sequence) const;
  std::optional<double> Median(uint32_t record, measure::CacheState cache) const;
  std::optional<uint32_t> LowestMedian(const Pair& pair, measure::CacheState cache,
                                       TuningStore::Accept accept) const;
  void UpdateBest(uint32_t record, measure::CacheState cache);
  StoredRecord Stored(const Record& record, const Measured& measured) const;
  std::optional<BestAnswer> BestOf(const Pair& pair, const ChampionKey& key,
                                   TuningStore::Accept accept) const;

  Texts workloads_, targets_;
  std::deque<WorkloadShape> shapes_;  // by workload
  std::deque<measure::Validators> validators_;
  std::map<measure::Validators, uint32_t> validator_numbers_;
  std::deque<Record> records_;
  absl::btree_map<uint64_t, uint32_t> record_numbers_;  // ordered: ids are found by prefix
  absl::node_hash_map<std::pair<uint32_t, uint32_t>, Pair> pairs_;  // workload, target
  absl::btree_map<int64_t, Job> jobs_;
  absl::flat_hash_map<std::string, int64_t> job_requests_;
  int64_t last_job_number_ = 0;
  int64_t last_sequence_ = 0;
  int64_t duplicates_ = 0;
};

// The id of a record as a number and back: 16 hex digits.
std::optional<uint64_t> RecordIdValue(absl::string_view id);
std::string RecordIdText(uint64_t value);

}  // namespace alt::store

#endif  // SERVER_STORE_STORE_INDEX_H_
