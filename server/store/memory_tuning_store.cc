#include "server/store/memory_tuning_store.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "common/base/status_macros.h"
#include "server/store/index_apply.h"
#include "server/store/indexed_tuning_store.h"
#include "server/store/mutation_check.h"

namespace alt::store {
namespace {

class MemoryTuningStore : public IndexedTuningStore {
 public:
  void Commit(WriteBatch batch, Done done) override { done(Write(std::move(batch))); }
  absl::Status WriteHealth() const override { return absl::OkStatus(); }
  std::vector<std::string> FoundDamage() const override { return {}; }

  absl::StatusOr<JobLog> ReadLog(absl::string_view job) const override;

  absl::StatusOr<job::VerifyReport> Verify() override {
    absl::ReaderMutexLock lock(&mutex_);
    return job::VerifyReport{.records = index_.Stats().records};
  }
  absl::Status Backup(const std::string&) override {
    return absl::UnimplementedError("a store in memory has no file to copy");
  }
  std::string NewScratchFile() override { return ""; }
  std::string Id() const override { return "0000000000000000"; }
  int64_t Epoch() const override { return 1; }
  absl::Status AnnounceAddress(absl::string_view) override { return absl::OkStatus(); }

 private:
  // What the index does not hold of a measurement.
  struct Kept {
    measure::MeasureResult result;
    measure::Provenance provenance;
  };

  void Read(absl::Span<Stored> wanted) const override;
  absl::Status Write(WriteBatch batch);
  absl::Status Check(const WriteBatch& batch) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  void ApplyOne(Mutation mutation) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsRepeated(const Mutation& mutation) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  std::map<std::string, std::vector<LogEvent>, std::less<>> events_ ABSL_GUARDED_BY(mutex_);
  std::map<std::tuple<std::string, int64_t, int64_t>, LoggedResult> results_
      ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> candidates_ ABSL_GUARDED_BY(mutex_);  // by row, which is its record
  std::map<int64_t, Kept> measured_ ABSL_GUARDED_BY(mutex_);     // by sequence number
  int64_t last_sequence_ ABSL_GUARDED_BY(mutex_) = 0;
};

absl::StatusOr<JobLog> MemoryTuningStore::ReadLog(absl::string_view job) const {
  absl::ReaderMutexLock lock(&mutex_);
  if (!index_.FindJob(job)) return absl::NotFoundError(absl::StrCat("no job '", job, "'"));
  JobLog log;
  if (const auto it = events_.find(job); it != events_.end()) log.events = it->second;
  for (auto it = results_.lower_bound({std::string(job), 0, 0});
       it != results_.end() && std::get<0>(it->first) == job; ++it) {
    log.results.push_back(it->second);
  }
  return log;
}

absl::Status MemoryTuningStore::Write(WriteBatch batch) {
  ALT_RETURN_IF_ERROR(CheckAndNormalize(&batch));
  absl::MutexLock lock(&mutex_);
  ALT_RETURN_IF_ERROR(Check(batch));
  for (Mutation& mutation : batch) {
    if (!IsRepeated(mutation)) ApplyOne(std::move(mutation));
  }
  return absl::OkStatus();
}

// Everything that can refuse a batch, before anything of it is applied.
absl::Status MemoryTuningStore::Check(const WriteBatch& batch) const {
  std::set<absl::string_view> ids, requests;
  std::map<std::string, int64_t, std::less<>> log_sizes;
  for (const Mutation& mutation : batch) {
    const auto known = [&](absl::string_view id) { return ids.contains(id) || index_.FindJob(id); };
    if (const auto* create = std::get_if<CreateJob>(&mutation)) {
      const Job& job = create->job;
      if (known(job.id) || requests.contains(job.request_id) ||
          index_.FindJobByRequest(job.request_id)) {
        return absl::AlreadyExistsError(
            absl::StrCat("there is a job ", job.id, " or one of request ", job.request_id));
      }
      ids.insert(job.id);
      requests.insert(job.request_id);
    } else if (const auto* update = std::get_if<UpdateJob>(&mutation)) {
      if (!known(update->job.id)) {
        return absl::NotFoundError(absl::StrCat("no job '", update->job.id, "'"));
      }
    } else if (const auto* append = std::get_if<AppendLog>(&mutation)) {
      if (!known(append->job)) {
        return absl::NotFoundError(absl::StrCat("no job '", append->job, "'"));
      }
      const auto events = events_.find(append->job);
      const int64_t stored =
          events == events_.end() ? 0 : static_cast<int64_t>(events->second.size());
      int64_t& size = log_sizes.emplace(append->job, stored).first->second;
      if (append->number > size) {
        return absl::InvalidArgumentError(
            absl::StrCat("log of ", append->job, " has ", size, " events, not ", append->number));
      }
      size = std::max(size, append->number + 1);
    } else if (const auto* remove = std::get_if<DeleteRecord>(&mutation)) {
      if (!index_.FindRecord(remove->record)) {
        return absl::NotFoundError(absl::StrCat("no record '", remove->record, "'"));
      }
    }
  }
  return absl::OkStatus();
}

bool MemoryTuningStore::IsRepeated(const Mutation& mutation) const {
  if (const auto* m = std::get_if<AddResult>(&mutation)) {
    return results_.contains({m->place.job, m->place.batch, m->place.index});
  }
  if (const auto* m = std::get_if<AppendLog>(&mutation)) {
    const auto events = events_.find(m->job);
    return events != events_.end() && m->number < static_cast<int64_t>(events->second.size());
  }
  return false;
}

void MemoryTuningStore::ApplyOne(Mutation mutation) {
  Sequenced change{.mutation = std::move(mutation), .sequence = last_sequence_ + 1};
  std::optional<RecordKey> key;
  if (const auto* m = std::get_if<AddResult>(&change.mutation)) {
    key = m->record;
    results_[{m->place.job, m->place.batch, m->place.index}] = {
        m->place, m->result, m->provenance, m->active, key ? RecordId(*key) : ""};
    if (key) measured_[change.sequence] = {m->result, m->provenance};
  } else if (const auto* append = std::get_if<AppendLog>(&change.mutation)) {
    events_[append->job].push_back(append->event);
  } else if (const auto* champion = std::get_if<PutChampion>(&change.mutation)) {
    key = {champion->key.workload, champion->key.target, champion->candidate};
    measured_[change.sequence] = {champion->result, champion->provenance};
  }
  if (key && !index_.FindRecord(RecordId(*key))) {
    change.row = static_cast<int64_t>(candidates_.size());
    candidates_.push_back(key->candidate);
  }
  last_sequence_ += SequencesOf(change.mutation);
  Apply(std::move(change), &index_);
}

void MemoryTuningStore::Read(absl::Span<Stored> wanted) const {
  absl::ReaderMutexLock lock(&mutex_);
  for (Stored& stored : wanted) {
    const auto row = static_cast<size_t>(stored.row);
    if (row >= candidates_.size()) continue;
    stored.candidate = candidates_[row];
    if (stored.measured) {
      const Kept& kept = measured_.at(*stored.measured);
      stored.result = kept.result;
      stored.provenance = kept.provenance;
    }
    stored.ok = true;
  }
}

}  // namespace

std::unique_ptr<TuningStore> MakeMemoryTuningStore() {
  return std::make_unique<MemoryTuningStore>();
}

}  // namespace alt::store
