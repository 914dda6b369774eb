// The in-memory side of a store: what questions are ranked and found by. Texts of candidates and
// whole results stay where they are stored, except those of the best answers: an exact question
// about a workload is answered without a read.
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
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "server/store/tuning_store.h"
#include "server/store/workload_shape.h"

namespace alt::store {

// A record as the index knows it, and where the rest stands.
struct RecordRef {
  StoredRecord record;   // without candidate, result and provenance
  int64_t row = 0;       // that the candidate is stored under
  int64_t measured = 0;  // sequence number of the measurement that counts
  int64_t found = 0;     // of the trial that found the candidate; `measured` where none is known
};

// An answer as the index knows it. Without candidate, that is to be read from `row`; and where
// `measured` is set, latency and peak from there.
struct AnswerRef {
  BestAnswer answer;
  uint32_t record = 0;
  int64_t row = 0;
  int64_t measured = 0;
};

// Holds what was acknowledged. Measurements, champions and deletions come in the order of their
// sequence numbers, and every question about the state at a number is answered by looking at those
// up to it. About 120 bytes a record (StoreIndexTest). One thread at a time, or many readers.
class StoreIndex {
 public:
  // ---- Changes.
  // A record's number, dense from 0; the same id has the same number. `row` is where the caller
  // finds it again.
  uint32_t AddRecord(uint64_t id, const RecordKey& key, int64_t row);
  struct Measurement {
    int64_t sequence = 0;
    measure::CacheState cache = measure::CacheState::kWarm;
    const measure::MeasureResult& result;
    const measure::Provenance& provenance;
    const measure::Validators& validators;
  };
  // `candidate` is the record's when it is at hand, else empty.
  void AddMeasured(uint32_t record, const Measurement& measurement, absl::string_view candidate);
  // The record is there; of the key the cache state counts, and champion.candidate may be empty.
  // `incumbent`: PutChampion's. `fixed_layouts`: job::PrintFixedLayouts of the key's.
  void AddChampion(Champion champion, absl::string_view fixed_layouts, absl::string_view incumbent);
  void AddDeletion(uint32_t record, int64_t sequence);
  void PutJob(Job job);
  // A job of that number is there, though it cannot be read.
  void NoteJobNumber(int64_t number) { last_job_number_ = std::max(last_job_number_, number); }

  // Gives the best answers that changes have left without candidate to `read`, and keeps what it
  // fills in.
  void ReadAnswers(absl::FunctionRef<void(AnswerRef&)> read);

  // ---- Questions; TuningStore says what they mean.
  int64_t last_sequence() const { return last_sequence_; }
  std::optional<uint32_t> FindRecord(absl::string_view id) const;
  std::string IdOf(uint32_t record) const;
  uint32_t record_count() const { return static_cast<uint32_t>(records_.size()); }
  int64_t RowOf(uint32_t record) const { return records_[record].row; }
  bool HasMeasurement(uint32_t record) const { return !records_[record].measured.empty(); }
  std::vector<RecordRef> RecordsAt(absl::string_view workload, absl::string_view target,
                                   measure::CacheState cache, int64_t sequence) const;
  // The candidate is still to be read from `row`.
  struct ChampionRef {
    Champion champion;
    int64_t row = 0;
  };
  std::optional<ChampionRef> ChampionAt(const ChampionKey& key, int64_t sequence) const;
  // The best one that is not among those refused.
  using Refused = absl::flat_hash_set<uint32_t>;
  std::optional<AnswerRef> FindBest(const ChampionKey& key, TuningStore::Trust trust,
                                    const Refused& refused) const;
  std::vector<AnswerRef> FindTop(const ChampionKey& key, int64_t limit) const;
  struct NeighbourRef {
    Neighbour neighbour;  // without best
    AnswerRef best;
  };
  std::vector<NeighbourRef> FindNearest(const ChampionKey& key, int64_t limit) const;
  std::vector<ChampionKey> AnsweredKeys() const;
  std::vector<std::string> TargetsOf(absl::string_view workload) const;
  std::optional<measure::Validators> NewestValidators(absl::string_view target) const;
  absl::StatusOr<RecordRef> GetRecord(absl::string_view id) const;
  std::vector<RecordRef> ListRecords(const RecordFilter& filter) const;
  job::Stats Stats() const;  // without bytes
  int64_t last_job_number() const { return last_job_number_; }
  const Job* FindJob(absl::string_view id) const;
  const Job* FindJobByRequest(absl::string_view request_id) const;
  std::vector<Job> ListJobs(absl::string_view before, int64_t limit) const;
  std::vector<Job> UnfinishedJobs() const;

 private:
  class Texts {
   public:
    uint32_t Number(absl::string_view text);
    std::optional<uint32_t> Find(absl::string_view text) const;
    const std::string& operator[](uint32_t number) const { return texts_[number]; }
    uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }

   private:
    std::deque<std::string> texts_;
    absl::flat_hash_map<absl::string_view, uint32_t> numbers_;  // views into texts_
  };
  struct Measured {
    int64_t sequence = 0;
    double median_ns = 0;  // when it is OK
    uint32_t validators = 0;
    uint32_t job = 0;
    measure::CacheState cache = measure::CacheState::kWarm;
    uint8_t weight = 0;  // how much it says; see Weight
    bool trial = false;
  };
  struct Record {
    uint64_t id = 0;
    int64_t row = 0;
    uint32_t pair = 0;
    absl::InlinedVector<uint32_t, 3> layouts;  // numbers in layouts_, of tensors that are not plain
    absl::InlinedVector<Measured, 1> measured;  // by sequence
  };
  struct Offer {
    Champion champion;  // without key and candidate
    uint32_t record = 0;
    uint32_t validators = 0;
    uint64_t incumbent = 0;  // id; 0 for none
  };
  // Verdicts among candidates with the same fixed layouts.
  struct Verdicts {
    measure::CacheState cache = measure::CacheState::kWarm;
    std::string fixed_layouts;  // text
    std::vector<Offer> offers;  // by sequence
    AnswerRef winner;           // of all offers; empty when every one was deleted
  };
  // What is known for one workload and target.
  struct Pair {
    uint32_t workload = 0, target = 0;
    std::vector<uint32_t> records;                 // by first sequence
    std::array<std::optional<AnswerRef>, 3> best;  // by cache state: lowest median
    std::vector<Verdicts> verdicts;
    absl::InlinedVector<uint32_t, 1> validators;  // that anything was measured under
  };
  // A tensor's layout that --fix asks for, as numbers.
  struct Wanted {
    uint32_t tensor = 0;
    std::optional<uint32_t> layout;  // none: plain
  };
  // Measurements that count for a question.
  struct Scope {
    std::optional<measure::CacheState> cache;
    int64_t sequence;
    const std::vector<bool>* trusted = nullptr;  // by number of validators; null: all
  };
  uint32_t PairNumber(absl::string_view workload, absl::string_view target);
  const Pair* FindPair(absl::string_view workload, absl::string_view target) const;
  uint32_t ValidatorsNumber(const measure::Validators& validators);
  // When the record was deleted last, as seen at a sequence number; 0: never.
  int64_t DeletedAt(uint32_t record, int64_t sequence) const;
  const Measured* Counting(uint32_t record, const Scope& scope) const;
  // The one that counts, when it is OK and not censored.
  const Measured* Ranked(uint32_t record, const Scope& scope) const;
  const Offer* Winner(const Verdicts& verdicts, const Scope& scope) const;
  void UpdateWinner(uint32_t pair, Verdicts& verdicts);
  void UpdateBest(uint32_t record, measure::CacheState cache);
  // None when no candidate has them.
  std::optional<std::vector<Wanted>> WantedLayouts(const job::FixedLayouts& fixed_layouts) const;
  bool HasLayouts(uint32_t record, const std::vector<Wanted>& wanted) const;
  std::optional<uint32_t> LowestMedian(const Pair& pair, const Scope& scope,
                                       absl::FunctionRef<bool(uint32_t)> accept) const;
  RecordRef RefTo(uint32_t record, const Measured& measured) const;
  AnswerRef AnswerOf(uint32_t record, const Measured& measured) const;
  AnswerRef AnswerOf(const Offer& offer) const;
  std::optional<AnswerRef> BestOf(const Pair& pair, const ChampionKey& key, const Scope& scope,
                                  const Refused& refused) const;
  bool HasAnswer(const Pair& pair) const;

  Texts workloads_, targets_, job_names_, tensors_;
  Texts layouts_;                        // "tensor layout"
  std::vector<uint32_t> layout_tensor_;  // by layout: number of the tensor
  std::deque<WorkloadShape> shapes_;     // by workload
  std::deque<measure::Validators> validators_;
  std::map<measure::Validators, uint32_t> validator_numbers_;
  std::vector<uint32_t> newest_validators_;  // by target; ~0: none
  std::deque<Record> records_;
  absl::btree_map<uint64_t, uint32_t> record_numbers_;  // ordered: ids are found by prefix
  std::deque<Pair> pairs_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> pair_numbers_;
  absl::flat_hash_set<uint32_t> unread_;  // pairs whose best answers may lack their candidate
  absl::flat_hash_map<uint32_t, std::vector<int64_t>> deletions_;  // by record: sequence numbers
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
