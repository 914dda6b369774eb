#include "server/store/sqlite_tuning_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "common/base/lock_file.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "server/store/commit_mark.h"
#include "server/store/file_system.h"
#include "server/store/index_apply.h"
#include "server/store/indexed_tuning_store.h"
#include "server/store/mutation_check.h"
#include "server/store/schema.h"
#include "server/store/scratch_files.h"
#include "server/store/sqlite_db.h"
#include "server/store/sqlite_reader.h"
#include "server/store/sqlite_rows.h"
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

// What is told about a transaction that failed. A write that finds no room may succeed later. After
// a failed sync nobody knows what is on the disk, and a second sync may lie: no write succeeds any
// more. Nor does one into tables that are damaged.
absl::Status AsWriteHealth(const absl::Status& status, int sqlite_error) {
  if (status.ok() || absl::IsResourceExhausted(status)) return status;
  const bool damaged = sqlite_error == SQLITE_CORRUPT || sqlite_error == SQLITE_NOTADB;
  return absl::DataLossError(absl::StrCat(
      damaged
          ? "the file is damaged, so writes are refused; stop the server and run `alt db recover`: "
          : "the disk failed, so writes are refused until the server is started anew: ",
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
  std::vector<std::string> FoundDamage() const override { return damage_.Problems(); }
  job::Stats Stats() const override;
  absl::StatusOr<JobLog> ReadLog(absl::string_view job) const override;
  absl::StatusOr<job::VerifyReport> Verify() override;
  absl::Status Backup(const std::string& path) override;
  std::string Id() const override { return id_; }
  int64_t Epoch() const override { return epoch_; }
  std::string NewScratchFile() override { return store::NewScratchFile(options_.path); }
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
  absl::Status Load() ABSL_EXCLUSIVE_LOCKS_REQUIRED(db_mutex_);
  absl::Status NextLife() ABSL_EXCLUSIVE_LOCKS_REQUIRED(db_mutex_);
  absl::Status CheckMark() ABSL_EXCLUSIVE_LOCKS_REQUIRED(db_mutex_);
  void Mark() ABSL_EXCLUSIVE_LOCKS_REQUIRED(db_mutex_);
  void Read(absl::Span<Stored> wanted) const override;
  void ReadAnswers() ABSL_EXCLUSIVE_LOCKS_REQUIRED(db_mutex_, mutex_);
  bool ReadOne(Stored* stored) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(db_mutex_);
  absl::Status Copy(const std::string& path, CopyLife life)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(db_mutex_);
  // Between two steps of a long reader: a group that waits to be written is written first.
  void YieldToWriter() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(db_mutex_);
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
  void SetWriteHealth(const absl::Status& status);

  // Constant once open.
  const SqliteStoreOptions options_;
  std::string id_;
  int64_t epoch_ = 0;
  Damage damage_;
  std::string lost_writes_;  // one of damage_; "" for none

  // The connection. Held for a whole transaction, so readers of the file see committed rows only.
  // Taken before mutex_.
  mutable absl::Mutex db_mutex_;
  std::unique_ptr<base::LockFile> lock_ ABSL_GUARDED_BY(db_mutex_);
  std::unique_ptr<SqliteDb> db_ ABSL_GUARDED_BY(db_mutex_);
  std::unique_ptr<SqliteWriter> writer_ ABSL_GUARDED_BY(db_mutex_);
  mutable SqliteStatement read_record_ ABSL_GUARDED_BY(db_mutex_);
  mutable SqliteStatement read_result_ ABSL_GUARDED_BY(db_mutex_);
  std::optional<CommitMark> mark_ ABSL_GUARDED_BY(db_mutex_);
  CommitMark::Value marked_ ABSL_GUARDED_BY(db_mutex_);  // as it is to be
  int64_t last_sequence_ ABSL_GUARDED_BY(db_mutex_) = 0;
  int64_t groups_written_ ABSL_GUARDED_BY(db_mutex_) = 0;
  std::atomic<int> groups_waiting_{0};

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
  read_record_ = SqliteStatement();
  read_result_ = SqliteStatement();
  db_.reset();  // before the lock file goes
}

absl::Status SqliteTuningStore::Open() {
  ALT_RETURN_IF_ERROR(CheckLocalFileSystem(options_.path));
  absl::MutexLock lock(&db_mutex_);
  ALT_ASSIGN_OR_RETURN(lock_, base::LockFile::Take(options_.path + ".lock"));
  RemoveScratchFiles(options_.path);
  ALT_ASSIGN_OR_RETURN(db_, SqliteDb::Open(options_.path, options_.vfs));
  ALT_RETURN_IF_ERROR(Configure());
  ALT_RETURN_IF_ERROR(AsDamage(PrepareSchema(db_.get(), options_.path)));
  ALT_RETURN_IF_ERROR(AsDamage(Load()));
  // A damaged page in the way of this does not keep the rest from being served.
  const absl::Status life = AsDamage(NextLife());
  if (db_->in_transaction()) db_->Execute("ROLLBACK").IgnoreError();
  if (!life.ok() && !absl::IsDataLoss(life)) return life;
  if (!life.ok()) {
    damage_.Add(std::string(life.message()));
    SetWriteHealth(AsWriteHealth(life, SQLITE_CORRUPT));
  }
  if (damage_.count() > 0) {
    ALT_LOG(ERROR) << options_.path << " is damaged in " << damage_.count()
                   << " places; the rest is "
                   << "served, `alt db verify` lists them: " << damage_.Problems().front();
  }
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

absl::Status SqliteTuningStore::Load() {
  {
    absl::MutexLock lock(&mutex_);
    ALT_ASSIGN_OR_RETURN(Loaded loaded, LoadIndex(db_.get(), &index_));
    damage_ = std::move(loaded.damage);
    last_sequence_ = loaded.last_sequence;
  }
  ALT_ASSIGN_OR_RETURN(writer_, SqliteWriter::Create(db_.get()));
  ALT_ASSIGN_OR_RETURN(
      read_record_,
      db_->Prepare(absl::StrCat("SELECT ", kRecordColumns, ",checksum FROM records WHERE id=?")));
  ALT_ASSIGN_OR_RETURN(read_result_,
                       db_->Prepare(absl::StrCat("SELECT ", kResultColumns,
                                                 ",checksum FROM results WHERE sequence=?")));
  absl::MutexLock lock(&mutex_);
  ReadAnswers();
  return absl::OkStatus();
}

absl::Status SqliteTuningStore::NextLife() {
  std::random_device random;
  marked_.id = static_cast<int64_t>(uint64_t{random()} << 32 | random());
  id_ = absl::StrFormat("%016x", marked_.id);
  ALT_RETURN_IF_ERROR(db_->Execute(
      absl::StrCat("BEGIN IMMEDIATE;"
                   "INSERT INTO facts(name,value) VALUES('epoch',1) "
                   "ON CONFLICT(name) DO UPDATE SET value=value+1;"
                   "INSERT INTO facts(name,value) VALUES('id',",
                   marked_.id,
                   ") ON CONFLICT DO NOTHING;"
                   "INSERT INTO facts(name,value) VALUES('commits',0) ON CONFLICT DO NOTHING;"
                   "COMMIT")));
  const auto fact = [&](absl::string_view name) {
    return db_->QueryInt(
        absl::StrCat("SELECT coalesce(sum(value),0) FROM facts WHERE name='", name, "'"));
  };
  ALT_ASSIGN_OR_RETURN(marked_.id, fact("id"));
  id_ = absl::StrFormat("%016x", marked_.id);
  ALT_ASSIGN_OR_RETURN(epoch_, fact("epoch"));
  ALT_ASSIGN_OR_RETURN(marked_.commits, fact("commits"));
  marked_.sequence = last_sequence_;
  // The file itself must say which database it is, should its log be lost.
  if (epoch_ == 1) ALT_RETURN_IF_ERROR(db_->Execute("PRAGMA wal_checkpoint"));
  ALT_RETURN_IF_ERROR(CheckMark());
  ALT_ASSIGN_OR_RETURN(const int64_t lost, fact("lost"));
  if (lost > 0) {
    lost_writes_ =
        absl::StrCat(lost, " acknowledged writes are missing: the log of ", options_.path,
                     " was cut short or damaged, or an older copy took its place");
    damage_.Add(lost_writes_);
  }
  return absl::OkStatus();
}

// A mark that is ahead of the file stays known until the loss is accepted (`alt db recover`).
absl::Status SqliteTuningStore::CheckMark() {
  absl::StatusOr<CommitMark> mark = CommitMark::Open(options_.path);
  if (!mark.ok()) {
    ALT_LOG(WARNING) << mark.status().message() << ": a log that is cut short will not be noticed";
    return absl::OkStatus();
  }
  mark_.emplace(*std::move(mark));
  const std::optional<CommitMark::Value> found = mark_->Read();
  const bool same = found && found->id == marked_.id;
  if (same && found->commits > marked_.commits) {
    ALT_LOG(ERROR) << options_.path << ": " << found->commits - marked_.commits
                   << " acknowledged writes are missing, up to sequence number " << found->sequence
                   << "; the last one there is " << last_sequence_;
    ALT_RETURN_IF_ERROR(
        db_->Execute(absl::StrCat("BEGIN IMMEDIATE;INSERT INTO facts(name,value) VALUES('lost',",
                                  found->commits - marked_.commits,
                                  ") ON CONFLICT(name) DO UPDATE SET value=value+excluded.value;"
                                  "UPDATE facts SET value=",
                                  found->commits, " WHERE name='commits';COMMIT")));
    marked_.commits = found->commits;
  }
  // Numbers that were acknowledged are not given again, whatever became of their rows.
  if (same) last_sequence_ = std::max(last_sequence_, found->sequence);
  Mark();
  return absl::OkStatus();
}

void SqliteTuningStore::Mark() {
  if (!mark_) return;
  marked_.sequence = last_sequence_;
  const absl::Status status = mark_->Write(marked_);
  if (status.ok()) return;
  ALT_LOG(WARNING) << status.message() << ": a log that is cut short will not be noticed";
  mark_.reset();
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
    ++groups_waiting_;
    absl::MutexLock lock(&db_mutex_);
    --groups_waiting_;
    ++groups_written_;
    std::vector<Sequenced> written;
    absl::Status status = WriteHealth();
    // What was queued before the disk failed.
    if (!absl::IsDataLoss(status)) {
      status = WriteBatches(group, &statuses, &written);
      SetWriteHealth(status);
    }
    if (status.ok()) {
      Mark();
      absl::MutexLock index_lock(&mutex_);
      for (Sequenced& change : written) Apply(std::move(change), &index_);
      ReadAnswers();
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
  const bool writes = !written->empty();
  if (status.ok() && writes) {
    status = db_->Execute("UPDATE facts SET value=value+1 WHERE name='commits'");
  }
  if (status.ok()) status = db_->Execute("COMMIT");
  if (status.ok()) {
    marked_.commits += writes;
    return status;
  }
  status = AsWriteHealth(status, sqlite3_errcode(db_->handle()));
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
    Sequenced change{.mutation = mutation, .sequence = last_sequence_ + 1};
    const absl::StatusOr<bool> fresh =
        writer_->Write(change.mutation, change.sequence, &change.row);
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
    last_sequence_ += SequencesOf(mutation);
    written->push_back(std::move(change));
  }
  return db_->Execute("RELEASE batch");
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
  ALT_ASSIGN_OR_RETURN(JobLog log, LoadLog(db_.get(), *JobNumber(job)));
  absl::ReaderMutexLock index_lock(&mutex_);
  for (LoggedResult& result : log.results) {
    const std::optional<uint32_t> record = index_.FindRecord(result.record);
    if (!record || !index_.HasMeasurement(*record)) result.record.clear();  // set aside
  }
  return log;
}

bool SqliteTuningStore::ReadOne(Stored* stored) const {
  // A statement that stands on a row holds a snapshot, and the log could not be merged.
  const auto reset = absl::MakeCleanup([this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    read_record_.Bind();
    read_result_.Bind();
  });
  if (!read_record_.Bind(stored->row).Step().value_or(false)) return false;
  absl::StatusOr<RecordRow> record = ReadRecord(read_record_);
  if (!record.ok()) return false;
  stored->candidate = std::move(record->candidate);
  if (!stored->measured) return true;
  if (!read_result_.Bind(*stored->measured).Step().value_or(false)) return false;
  absl::StatusOr<ResultRow> result = ReadResult(read_result_);
  if (!result.ok() || result->record != stored->row) return false;
  stored->result = std::move(result->result);
  stored->provenance = std::move(result->provenance);
  return true;
}

void SqliteTuningStore::Read(absl::Span<Stored> wanted) const {
  constexpr size_t kRowsAStep = 256;
  absl::MutexLock lock(&db_mutex_);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (i % kRowsAStep == kRowsAStep - 1) YieldToWriter();
    wanted[i].ok = ReadOne(&wanted[i]);
  }
}

void SqliteTuningStore::ReadAnswers() {
  index_.ReadAnswers([&](AnswerRef& ref) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    Stored stored = ToRead(ref);
    stored.ok = ReadOne(&stored);
    Fill(std::move(stored), &ref);
  });
}

void SqliteTuningStore::YieldToWriter() const {
  struct Turn {
    const SqliteTuningStore* store;
    int64_t seen;
    static bool IsMine(Turn* turn) ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return turn->store->groups_waiting_ == 0 || turn->store->groups_written_ != turn->seen;
    }
  };
  Turn turn{this, groups_written_};
  db_mutex_.Await(absl::Condition(&Turn::IsMine, &turn));
}

absl::Status SqliteTuningStore::Copy(const std::string& path, CopyLife life) {
  return CopyDatabase(db_.get(), path, life,
                      [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { YieldToWriter(); });
}

absl::Status SqliteTuningStore::Backup(const std::string& path) {
  absl::MutexLock lock(&db_mutex_);
  return Copy(path, CopyLife::kKept);
}

// Of a copy, so that writes wait for pages to be copied and not for rows to be looked at.
absl::StatusOr<job::VerifyReport> SqliteTuningStore::Verify() {
  const std::string copy = NewScratchFile();
  {
    absl::MutexLock lock(&db_mutex_);
    ALT_RETURN_IF_ERROR(Copy(copy, CopyLife::kShort));
  }
  Damage damage;
  absl::StatusOr<int64_t> records = absl::UnknownError("");
  {
    ALT_ASSIGN_OR_RETURN(const auto db, SqliteDb::Open(copy, ""));
    records = VerifyDatabase(db.get(), &damage);
  }
  unlink(copy.c_str());
  ALT_RETURN_IF_ERROR(records.status());
  if (!lost_writes_.empty()) damage.Add(lost_writes_);
  return job::VerifyReport{.records = *records, .problems = damage.Problems()};
}

}  // namespace

absl::StatusOr<std::unique_ptr<TuningStore>> OpenSqliteTuningStore(SqliteStoreOptions options) {
  auto store = std::make_unique<SqliteTuningStore>(std::move(options));
  ALT_RETURN_IF_ERROR(store->Open());
  return store;
}

}  // namespace alt::store
