// A store in memory whose writes can be refused or held up.
#ifndef TESTS_SERVER_SERVICE_FAULTY_STORE_H_
#define TESTS_SERVER_SERVICE_FAULTY_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/store/memory_tuning_store.h"

namespace alt::service {

class FaultyStore : public store::TuningStore {
 public:
  // Writes end so until another status is set; OK: they are made.
  void SetFault(const absl::Status& fault) {
    absl::MutexLock lock(&mutex_);
    fault_ = fault;
  }
  int64_t refused() const {
    absl::MutexLock lock(&mutex_);
    return refused_;
  }
  // Writes wait until Release.
  void Hold() {
    absl::MutexLock lock(&mutex_);
    held_.emplace();
  }
  void Release() {
    std::vector<std::pair<store::WriteBatch, Done>> held;
    {
      absl::MutexLock lock(&mutex_);
      held = std::move(held_).value();
      held_.reset();
    }
    for (auto& [batch, done] : held) Commit(std::move(batch), std::move(done));
  }

  // Verify and Backup wait until ReleaseReads.
  void HoldReads() {
    absl::MutexLock lock(&mutex_);
    reads_held_ = true;
  }
  void ReleaseReads() {
    absl::MutexLock lock(&mutex_);
    reads_held_ = false;
  }
  // Verify and Backup so far.
  int64_t reads() const {
    absl::MutexLock lock(&mutex_);
    return reads_;
  }

  void Commit(store::WriteBatch batch, Done done) override {
    absl::Status fault;
    {
      absl::MutexLock lock(&mutex_);
      if (held_) {
        held_->emplace_back(std::move(batch), std::move(done));
        return;
      }
      fault = fault_;
      refused_ += !fault.ok();
    }
    if (!fault.ok()) return done(fault);
    inner_->Commit(std::move(batch), std::move(done));
  }
  absl::Status WriteHealth() const override { return inner_->WriteHealth(); }
  std::vector<std::string> FoundDamage() const override { return inner_->FoundDamage(); }
  int64_t LastSequence() const override { return inner_->LastSequence(); }
  std::vector<store::StoredRecord> RecordsAt(absl::string_view workload, absl::string_view target,
                                             measure::CacheState cache,
                                             int64_t sequence) const override {
    return inner_->RecordsAt(workload, target, cache, sequence);
  }
  std::optional<store::Champion> ChampionAt(const store::ChampionKey& key,
                                            int64_t sequence) const override {
    return inner_->ChampionAt(key, sequence);
  }
  std::optional<store::BestAnswer> FindBest(const store::ChampionKey& key, Trust trust,
                                            Accept accept) const override {
    return inner_->FindBest(key, trust, accept);
  }
  std::vector<store::BestAnswer> FindTop(const store::ChampionKey& key,
                                         int64_t limit) const override {
    return inner_->FindTop(key, limit);
  }
  std::vector<store::ChampionKey> AnsweredKeys() const override { return inner_->AnsweredKeys(); }
  std::optional<measure::Validators> NewestValidators(absl::string_view target) const override {
    return inner_->NewestValidators(target);
  }
  std::vector<store::Neighbour> FindNearest(const store::ChampionKey& key,
                                            int64_t limit) const override {
    return inner_->FindNearest(key, limit);
  }
  std::vector<std::string> TargetsOf(absl::string_view workload) const override {
    return inner_->TargetsOf(workload);
  }
  absl::StatusOr<store::StoredRecord> GetRecord(absl::string_view id) const override {
    return inner_->GetRecord(id);
  }
  std::vector<store::StoredRecord> ListRecords(const store::RecordFilter& filter) const override {
    return inner_->ListRecords(filter);
  }
  job::Stats Stats() const override { return inner_->Stats(); }
  int64_t NextJobNumber() override { return inner_->NextJobNumber(); }
  absl::StatusOr<store::Job> GetJob(absl::string_view id) const override {
    return inner_->GetJob(id);
  }
  std::optional<store::Job> FindJobByRequest(absl::string_view request_id) const override {
    return inner_->FindJobByRequest(request_id);
  }
  std::vector<store::Job> ListJobs(absl::string_view before, int64_t limit) const override {
    return inner_->ListJobs(before, limit);
  }
  std::vector<store::Job> UnfinishedJobs() const override { return inner_->UnfinishedJobs(); }
  absl::StatusOr<store::JobLog> ReadLog(absl::string_view job) const override {
    return inner_->ReadLog(job);
  }
  absl::StatusOr<job::VerifyReport> Verify() override {
    AwaitReads();
    return inner_->Verify();
  }
  absl::Status Backup(const std::string& path) override {
    AwaitReads();
    return inner_->Backup(path);
  }
  absl::StatusOr<std::vector<job::Trial>> ListTrials(absl::string_view job, int64_t after,
                                                       int64_t limit) const override {
    return inner_->ListTrials(job, after, limit);
  }
  std::string NewScratchFile() override { return inner_->NewScratchFile(); }
  std::string Id() const override { return inner_->Id(); }
  int64_t Epoch() const override { return inner_->Epoch(); }
  absl::Status AnnounceAddress(absl::string_view address) override {
    return inner_->AnnounceAddress(address);
  }

 private:
  void AwaitReads() {
    absl::MutexLock lock(&mutex_);
    ++reads_;
    const auto released = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !reads_held_; };
    mutex_.Await(absl::Condition(&released));
  }

  const std::unique_ptr<store::TuningStore> inner_ = store::MakeMemoryTuningStore();
  mutable absl::Mutex mutex_;
  absl::Status fault_ ABSL_GUARDED_BY(mutex_);
  int64_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
  bool reads_held_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t reads_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<std::vector<std::pair<store::WriteBatch, Done>>> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace alt::service

#endif  // TESTS_SERVER_SERVICE_FAULTY_STORE_H_
