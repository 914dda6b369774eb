#include "server/store/sqlite_tuning_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "common/base/lock_file.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "server/store/file_system.h"
#include "server/store/index_apply.h"
#include "server/store/indexed_tuning_store.h"
#include "server/store/mutation_check.h"
#include "server/store/schema.h"
#include "server/store/scratch_files.h"
#include "server/store/sqlite_db.h"
#include "server/store/sqlite_reader.h"
#include "server/store/sqlite_writer.h"

namespace alt::store {
namespace {

// The fault of the batch, not of the file.
bool IsRefusal(const absl::Status& status) {
  return absl::IsAlreadyExists(status) || absl::IsNotFound(status) ||
         absl::IsInvalidArgument(status);
}

// A table or column that is not there, in a file that says that it is ours.
absl::Status AsDamage(const absl::Status& status) {
  if (!absl::IsInternal(status)) return status;
  return absl::DataLossError(absl::StrCat("the tables are damaged: ", status.message()));
}

// What is told about a transaction that failed. After a failed sync nobody knows what is on the
// disk, and a second sync may lie: no write succeeds any more.
absl::Status AsWriteHealth(const absl::Status& status) {
  if (status.ok() || absl::IsResourceExhausted(status)) return status;
  return absl::DataLossError(
      absl::StrCat("the disk failed, so writes are refused until the server is started anew: ",
                   status.message()));
}

class SqliteTuningStore : public IndexedTuningStore {
 public:
  explicit SqliteTuningStore(SqliteStoreOptions options) : options_(std::move(options)) {}
  ~SqliteTuningStore() override;
  absl::Status Open();

  void Commit(WriteBatch batch, Done done) override;
  absl::Status WriteHealth() const override {
    absl::MutexLock lock(&queue_mutex_);
    return write_health_;
  }
  job::Stats Stats() const override;
  absl::StatusOr<JobLog> ReadLog(absl::string_view job) const override;
  absl::StatusOr<job::VerifyReport> Verify() override {
    absl::MutexLock lock(&db_mutex_);
    return VerifyDatabase(db_.get());
  }
  absl::Status Backup(const std::string& path) override;
  std::string Id() const override { return id_; }
  int64_t Epoch() const override { return epoch_; }
  absl::Status AnnounceAddress(absl::string_view address) override {
    absl::MutexLock lock(&db_mutex_);
    return lock_->SetAddress(address);
  }

 private:
  struct Queued {
    WriteBatch batch;
    Done done;
  };
  using Group = std::vector<Queued>;

  absl::Status Configure() ABSL_EXCLUSIVE_LOCKS_REQUIRED(db_mutex_);
  absl::Status NextLife() ABSL_EXCLUSIVE_LOCKS_REQUIRED(db_mutex_);
  void WriteLoop();
  bool MayWrite() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue_mutex_) {
    return closing_ || !queue_.empty();
  }
  Group TakeGroup();
  void WriteGroup(Group group);
  absl::Status WriteBatches(const Group& group, std::vector<absl::Status>* statuses,
                            std::vector<Sequenced>* written)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(db_mutex_);
  absl::Status WriteOneBatch(const WriteBatch& batch, std::vector<Sequenced>* written)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(db_mutex_);
  bool IsRepeated(const Mutation& mutation) const;
  void SetWriteHealth(const absl::Status& status);

  // Constant once open.
  const SqliteStoreOptions options_;
  std::string id_;
  int64_t epoch_ = 0;

  // The connection. Held for a whole transaction, so readers of the file see committed rows only.
  // Taken before mutex_.
  mutable absl::Mutex db_mutex_;
  std::unique_ptr<base::LockFile> lock_ ABSL_GUARDED_BY(db_mutex_);
  std::unique_ptr<SqliteDb> db_ ABSL_GUARDED_BY(db_mutex_);
  std::unique_ptr<SqliteWriter> writer_ ABSL_GUARDED_BY(db_mutex_);
  int64_t last_sequence_ ABSL_GUARDED_BY(db_mutex_) = 0;

  mutable absl::Mutex queue_mutex_;
  std::deque<Queued> queue_ ABSL_GUARDED_BY(queue_mutex_);
  bool closing_ ABSL_GUARDED_BY(queue_mutex_) = false;
  absl::Status write_health_ ABSL_GUARDED_BY(queue_mutex_);

  std::thread thread_;
};

SqliteTuningStore::~SqliteTuningStore() {
  {
    absl::MutexLock lock(&queue_mutex_);
    closing_ = true;
  }
  if (thread_.joinable()) thread_.join();
  absl::MutexLock lock(&db_mutex_);
  writer_.reset();
  db_.reset();  // before the lock file goes
}

absl::Status SqliteTuningStore::Open() {
  ALT_RETURN_IF_ERROR(CheckLocalFileSystem(options_.path));
  absl::MutexLock lock(&db_mutex_);
  ALT_ASSIGN_OR_RETURN(lock_, base::LockFile::Take(options_.path + ".lock"));
  RemoveScratchFiles(options_.path);
  ALT_ASSIGN_OR_RETURN(db_, SqliteDb::Open(options_.path, options_.vfs));
  ALT_RETURN_IF_ERROR(Configure());
  ALT_RETURN_IF_ERROR(PrepareSchema(db_.get(), options_.path));
  ALT_ASSIGN_OR_RETURN(last_sequence_, LastStoredSequence(db_.get()), AsDamage(_));
  {
    absl::MutexLock index_lock(&mutex_);
    ALT_RETURN_IF_ERROR(AsDamage(LoadIndex(db_.get(), &index_)));
  }
  ALT_ASSIGN_OR_RETURN(writer_, SqliteWriter::Create(db_.get()), AsDamage(_));
  ALT_RETURN_IF_ERROR(NextLife());
  thread_ = std::thread([this] { WriteLoop(); });
  return absl::OkStatus();
}

absl::Status SqliteTuningStore::Configure() {
  // Exclusive before WAL: the log's index then lives in our memory and nobody else can join, which
  // Debian 12's SQLite 3.40 needs (its WAL-reset bug wants two connections that write).
  ALT_RETURN_IF_ERROR(db_->Execute("PRAGMA locking_mode=EXCLUSIVE"));
  ALT_ASSIGN_OR_RETURN(const std::string mode, db_->QueryText("PRAGMA journal_mode=WAL"));
  if (mode != "wal") {
    return absl::InternalError(absl::StrCat(options_.path, ": journal mode is ", mode));
  }
  ALT_RETURN_IF_ERROR(db_->Execute("PRAGMA synchronous=FULL"));
  ALT_RETURN_IF_ERROR(db_->Execute("PRAGMA cache_size=-16384"));
  if (options_.max_pages > 0) {
    ALT_RETURN_IF_ERROR(db_->Execute(absl::StrCat("PRAGMA max_page_count=", options_.max_pages)));
  }
  return absl::OkStatus();
}

absl::Status SqliteTuningStore::NextLife() {
  std::random_device random;
  const uint64_t fresh_id = uint64_t{random()} << 32 | random();
  ALT_RETURN_IF_ERROR(db_->Execute(
      absl::StrCat("BEGIN IMMEDIATE;"
                   "INSERT INTO facts(name,value) VALUES('epoch',1) "
                   "ON CONFLICT(name) DO UPDATE SET value=value+1;"
                   "INSERT INTO facts(name,value) VALUES('id',",
                   static_cast<int64_t>(fresh_id), ") ON CONFLICT DO NOTHING;COMMIT")));
  ALT_ASSIGN_OR_RETURN(const int64_t id, db_->QueryInt("SELECT value FROM facts WHERE name='id'"));
  id_ = absl::StrFormat("%016x", id);
  ALT_ASSIGN_OR_RETURN(epoch_, db_->QueryInt("SELECT value FROM facts WHERE name='epoch'"));
  return absl::OkStatus();
}

void SqliteTuningStore::Commit(WriteBatch batch, Done done) {
  absl::Status status = CheckAndNormalize(&batch);
  if (status.ok()) {
    absl::MutexLock lock(&queue_mutex_);
    if (closing_) {
      status = absl::UnavailableError("the database is being closed");
    } else if (absl::IsDataLoss(write_health_)) {
      status = write_health_;
    } else if (static_cast<int64_t>(queue_.size()) >= options_.max_queued) {
      status = absl::ResourceExhaustedError("too many writes wait for the disk");
    } else {
      queue_.push_back({std::move(batch), std::move(done)});
      return;
    }
  }
  done(status);
}

void SqliteTuningStore::WriteLoop() {
  while (true) {
    Group group = TakeGroup();
    if (group.empty()) return;
    WriteGroup(std::move(group));
  }
}

SqliteTuningStore::Group SqliteTuningStore::TakeGroup() {
  absl::MutexLock lock(&queue_mutex_);
  queue_mutex_.Await(absl::Condition(this, &SqliteTuningStore::MayWrite));
  Group group;
  while (!queue_.empty() && static_cast<int64_t>(group.size()) < options_.max_group) {
    group.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return group;
}

void SqliteTuningStore::WriteGroup(Group group) {
  std::vector<absl::Status> statuses(group.size());
  {
    absl::MutexLock lock(&db_mutex_);
    std::vector<Sequenced> written;
    absl::Status status = WriteHealth();
    // What was queued before the disk failed.
    if (!absl::IsDataLoss(status)) {
      status = AsWriteHealth(WriteBatches(group, &statuses, &written));
      SetWriteHealth(status);
    }
    if (status.ok()) {
      absl::MutexLock index_lock(&mutex_);
      for (Sequenced& change : written) Apply(std::move(change), &index_);
    } else {
      std::fill(statuses.begin(), statuses.end(), status);
    }
  }
  for (size_t i = 0; i < group.size(); ++i) group[i].done(statuses[i]);
}

// One transaction. A batch that is refused leaves nothing and does not disturb the others; anything
// else that goes wrong undoes them all.
absl::Status SqliteTuningStore::WriteBatches(const Group& group,
                                             std::vector<absl::Status>* statuses,
                                             std::vector<Sequenced>* written) {
  const int64_t sequence_before = last_sequence_;
  absl::Status status = db_->Execute("BEGIN IMMEDIATE");
  for (size_t i = 0; i < group.size() && status.ok(); ++i) {
    (*statuses)[i] = WriteOneBatch(group[i].batch, written);
    if (!IsRefusal((*statuses)[i])) status = (*statuses)[i];
  }
  if (status.ok()) status = db_->Execute("COMMIT");
  if (status.ok()) return status;
  if (db_->in_transaction()) db_->Execute("ROLLBACK").IgnoreError();
  writer_->RolledBack();
  last_sequence_ = sequence_before;
  return status;
}

absl::Status SqliteTuningStore::WriteOneBatch(const WriteBatch& batch,
                                              std::vector<Sequenced>* written) {
  const size_t written_before = written->size();
  const int64_t sequence_before = last_sequence_;
  ALT_RETURN_IF_ERROR(db_->Execute("SAVEPOINT batch"));
  for (const Mutation& mutation : batch) {
    if (IsRepeated(mutation)) continue;
    const absl::StatusOr<bool> fresh = writer_->Write(mutation, last_sequence_ + 1);
    // SQLite may have undone the whole transaction by itself; the caller undoes it in any case.
    if (!fresh.ok() && !IsRefusal(fresh.status())) return fresh.status();
    if (!fresh.ok()) {
      ALT_RETURN_IF_ERROR(db_->Execute("ROLLBACK TO batch;RELEASE batch"));
      writer_->RolledBack();
      written->resize(written_before);
      last_sequence_ = sequence_before;
      return fresh.status();
    }
    if (!*fresh) continue;
    written->push_back({.mutation = mutation, .sequence = last_sequence_ + 1});
    last_sequence_ += SequencesOf(mutation);
  }
  return db_->Execute("RELEASE batch");
}

// What rows cannot tell: a measurement without a place that came before.
bool SqliteTuningStore::IsRepeated(const Mutation& mutation) const {
  const auto* measurement = std::get_if<AddMeasurement>(&mutation);
  if (!measurement) return false;
  absl::ReaderMutexLock lock(&mutex_);
  return index_.HasMeasurement(RecordId(measurement->key), measurement->provenance);
}

void SqliteTuningStore::SetWriteHealth(const absl::Status& status) {
  absl::MutexLock lock(&queue_mutex_);
  if (status.code() != write_health_.code()) {
    if (status.ok()) {
      ALT_LOG(INFO) << options_.path << ": writes succeed again";
    } else {
      ALT_LOG(ERROR) << options_.path << ": writes are refused: " << status.message();
    }
  }
  write_health_ = status;
}

job::Stats SqliteTuningStore::Stats() const {
  job::Stats stats = IndexedTuningStore::Stats();
  for (const char* suffix : {"", "-wal"}) {
    struct stat info;
    if (stat((options_.path + suffix).c_str(), &info) == 0) stats.bytes += info.st_size;
  }
  return stats;
}

absl::StatusOr<JobLog> SqliteTuningStore::ReadLog(absl::string_view job) const {
  ALT_RETURN_IF_ERROR(GetJob(job).status());
  absl::MutexLock lock(&db_mutex_);
  return LoadLog(db_.get(), *JobNumber(job));
}

absl::Status SqliteTuningStore::Backup(const std::string& path) {
  absl::MutexLock lock(&db_mutex_);
  return CopyDatabase(db_.get(), path, [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    db_mutex_.Unlock();  // writers get their turn
    db_mutex_.Lock();
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<TuningStore>> OpenSqliteTuningStore(SqliteStoreOptions options) {
  auto store = std::make_unique<SqliteTuningStore>(std::move(options));
  ALT_RETURN_IF_ERROR(store->Open());
  return store;
}

}  // namespace alt::store
