#include "server/store/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/lock_file.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"
#include "server/store/damage.h"
#include "server/store/mutation_check.h"
#include "server/store/schema.h"
#include "server/store/scratch_files.h"
#include "server/store/sqlite_db.h"
#include "server/store/sqlite_reader.h"
#include "server/store/sqlite_rows.h"
#include "server/store/table_scan.h"

namespace alt::store {
namespace {

// ---- Every row that SQLite can reach, whatever is in it. ---------------------------------------

// "a,b,c" of a table.
absl::StatusOr<std::string> ColumnsOf(SqliteDb* db, absl::string_view table) {
  std::vector<std::string> names;
  ALT_RETURN_IF_ERROR(ForEachRow(db,
                                 absl::StrCat("SELECT name FROM pragma_table_info('", table, "')"),
                                 [&](SqliteStatement& row) {
                                   names.emplace_back(row.Text(0));
                                   return absl::OkStatus();
                                 }));
  return absl::StrJoin(names, ",");
}

// Copies one row; one whose unique columns are taken is dropped, which the damage tells of.
class RowCopier {
 public:
  static absl::StatusOr<RowCopier> Create(SqliteDb* to, absl::string_view table,
                                          absl::string_view columns) {
    RowCopier copier;
    std::string marks = "?";
    for (const char c : columns) {
      if (c == ',') marks += ",?";
    }
    ALT_ASSIGN_OR_RETURN(copier.insert_,
                         to->Prepare(absl::StrCat("INSERT OR IGNORE INTO ", table, "(", columns,
                                                  ") VALUES(", marks, ")")));
    return copier;
  }
  // A type that a column does not take makes the row one that is dropped too.
  void Copy(const SqliteStatement& row) {
    insert_.BindRow(row);
    if (status_.ok()) status_ = insert_.Run();
  }
  const absl::Status& status() const { return status_; }

 private:
  SqliteStatement insert_;
  absl::Status status_;
};

absl::Status CopyTable(SqliteDb* from, SqliteDb* to, absl::string_view table, Damage* damage) {
  ALT_ASSIGN_OR_RETURN(const std::string columns, ColumnsOf(from, table));
  ALT_ASSIGN_OR_RETURN(RowCopier copier, RowCopier::Create(to, table, columns));
  const auto copy = [&](SqliteStatement& row) { copier.Copy(row); };
  // Without a number of their own. (SQLite takes names in any case.)
  if (absl::EqualsIgnoreCase(table, "facts") || absl::EqualsIgnoreCase(table, "job_log")) {
    const absl::Status status = ForEachRow(from, absl::StrCat("SELECT ", columns, " FROM ", table),
                                           [&](SqliteStatement& row) -> absl::Status {
                                             copy(row);
                                             return absl::OkStatus();
                                           });
    if (!status.ok() && !absl::IsDataLoss(status)) return status;
    if (!status.ok()) damage->Add(std::string(status.message()));
    return copier.status();
  }
  const std::string key = columns.substr(0, columns.find(','));
  absl::flat_hash_set<int64_t> seen;
  std::set<int64_t> twice;
  ALT_RETURN_IF_ERROR(ScanTable(from, table, key, columns, damage, [&](SqliteStatement& row) {
    if (!seen.insert(row.Int(0)).second) twice.insert(row.Int(0));
    copy(row);
  }));
  ALT_RETURN_IF_ERROR(copier.status());
  // Neither of two rows with one number is kept: nobody knows which of them others refer to.
  for (const int64_t number : twice) {
    damage->Add(absl::StrCat("number ", number, " of ", table, " comes twice"));
    ALT_RETURN_IF_ERROR(
        to->Execute(absl::StrCat("DELETE FROM ", table, " WHERE ", key, "=", number)));
  }
  return absl::OkStatus();
}

// The same tables, of the same version, with all rows.
absl::Status CopyRows(SqliteDb* from, SqliteDb* to, Damage* damage) {
  std::vector<std::string> tables, creates;
  ALT_RETURN_IF_ERROR(ForEachRow(from,
                                 "SELECT type,name,sql FROM sqlite_master WHERE sql IS NOT NULL "
                                 "ORDER BY type DESC,rowid",
                                 [&](SqliteStatement& row) {
                                   if (row.Text(0) == "table") tables.emplace_back(row.Text(1));
                                   creates.emplace_back(row.Text(2));
                                   return absl::OkStatus();
                                 }));
  for (const char* pragma : {"application_id", "user_version"}) {
    ALT_ASSIGN_OR_RETURN(const int64_t value, from->QueryInt(absl::StrCat("PRAGMA ", pragma)));
    ALT_RETURN_IF_ERROR(to->Execute(absl::StrCat("PRAGMA ", pragma, "=", value)));
  }
  ALT_RETURN_IF_ERROR(to->Execute("BEGIN"));
  for (const std::string& create : creates) ALT_RETURN_IF_ERROR(to->Execute(create));
  for (const std::string& table : tables) {
    ALT_RETURN_IF_ERROR(CopyTable(from, to, table, damage));
  }
  return to->Execute("COMMIT");
}

// ---- Only the sound ones. -----------------------------------------------------------------------

// A result whose record or validators are gone stays, for its job's log at least, without them.
absl::Status KeepAsLogged(SqliteDb* db, int64_t sequence) {
  ALT_ASSIGN_OR_RETURN(SqliteStatement read,
                       db->Prepare(absl::StrCat("SELECT ", kResultColumns,
                                                ",checksum FROM results WHERE sequence=?")));
  ALT_ASSIGN_OR_RETURN(const bool found, read.Bind(sequence).Step());
  if (!found) return absl::OkStatus();
  ALT_ASSIGN_OR_RETURN(ResultRow row, ReadResult(read));
  ALT_ASSIGN_OR_RETURN(
      const int64_t records,
      db->QueryInt(absl::StrCat("SELECT count(*) FROM records WHERE id=", row.record.value_or(0))));
  if (records == 0) row.record.reset();
  ALT_ASSIGN_OR_RETURN(const int64_t unknown,
                       db->QueryInt("SELECT coalesce(max(id),0)+1 FROM validators"));
  ALT_RETURN_IF_ERROR(
      db->Execute(absl::StrCat("INSERT INTO validators(id,text,checksum) VALUES(", unknown, ",'',",
                               TextChecksum(unknown, ""), ") ON CONFLICT DO NOTHING")));
  ALT_ASSIGN_OR_RETURN(row.validators, db->QueryInt("SELECT id FROM validators WHERE text=''"));
  return db->Execute(absl::StrCat("UPDATE results SET ", records == 0 ? "record=NULL," : "",
                                  "validators=", row.validators, ",checksum=", ChecksumOf(row),
                                  " WHERE sequence=", sequence));
}

absl::Status Drop(SqliteDb* db, const BadRow& bad) {
  if (bad.table == "results" && bad.orphan) return KeepAsLogged(db, bad.key);
  const absl::string_view key =
      bad.table == "jobs"                                                              ? "number"
      : bad.table == "results" || bad.table == "champions" || bad.table == "deletions" ? "sequence"
                                                                                       : "id";
  return db->Execute(absl::StrCat("DELETE FROM ", bad.table, " WHERE ", key, "=", bad.key));
}

// Cuts logs at their first damaged event. An unfinished job could not go on from there.
absl::Status CutLogs(SqliteDb* db, const std::vector<Job>& jobs, Damage* damage) {
  ALT_RETURN_IF_ERROR(FindStrayEvents(db, damage));
  ALT_RETURN_IF_ERROR(
      db->Execute("DELETE FROM job_log WHERE job NOT IN (SELECT number FROM jobs)"));
  for (const Job& job : jobs) {
    const int64_t number = *JobNumber(job.id);
    const int64_t damages = damage->count();
    const int64_t events = CountEvents(db, number, damage);
    if (damage->count() == damages) continue;
    ALT_RETURN_IF_ERROR(db->Execute(
        absl::StrCat("DELETE FROM job_log WHERE job=", number, " AND number>=", events)));
    if (job::Rests(job.state)) continue;
    Job failed = job;
    failed.state = job::JobState::kFailed;
    failed.reason = "its log was damaged";
    const JobRow row = RowOf(failed);
    ALT_ASSIGN_OR_RETURN(SqliteStatement update,
                         db->Prepare("UPDATE jobs SET state=?2,reason=?3,checksum=?4 "
                                     "WHERE number=?1"));
    ALT_RETURN_IF_ERROR(update.Bind(number, row.state, row.reason, ChecksumOf(row)).Run());
  }
  return absl::OkStatus();
}

// Until nothing refers to what was dropped.
absl::Status DropBadRows(SqliteDb* db, RecoverReport* report, Damage* damage) {
  constexpr int kMostPasses = 5;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    StoreIndex index;
    ALT_ASSIGN_OR_RETURN(const Loaded loaded, LoadIndex(db, &index));
    if (pass == 0) {
      for (const std::string& problem : loaded.damage.Problems()) damage->Add(problem);
    }
    ALT_RETURN_IF_ERROR(db->Execute("BEGIN"));
    for (const BadRow& bad : loaded.bad) ALT_RETURN_IF_ERROR(Drop(db, bad));
    if (pass == 0) {
      ALT_RETURN_IF_ERROR(CutLogs(db, index.ListJobs("", index.Stats().jobs), damage));
    }
    ALT_RETURN_IF_ERROR(db->Execute("COMMIT"));
    report->records = index.Stats().records;
    report->jobs = index.Stats().jobs;
    if (loaded.bad.empty()) return absl::OkStatus();
  }
  return absl::InternalError("rows that were set aside come back");
}

// ---- In place of the old file. ------------------------------------------------------------------

absl::Status Rename(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("rename ", from, " to ", to));
}

absl::Status SyncFolderOf(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const base::UniqueFd fd(
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid() && fsync(fd.get()) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("sync the folder of ", path));
}

// There is a database under `path` at every moment.
absl::Status TakePlace(const std::string& fresh, const std::string& path, const std::string& kept) {
  // A log that could not be merged must not be taken for the new file's.
  if (access((path + "-wal").c_str(), F_OK) == 0) {
    ALT_RETURN_IF_ERROR(Rename(path + "-wal", kept + "-wal"));
  }
  if (link(path.c_str(), kept.c_str()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("keep ", path, " as ", kept));
  }
  ALT_RETURN_IF_ERROR(Rename(fresh, path));
  return SyncFolderOf(path);
}

absl::Status Salvage(const std::string& path, const std::string& fresh, RecoverReport* report,
                     Damage* damage) {
  ALT_ASSIGN_OR_RETURN(const auto from, SqliteDb::Open(path, ""));
  ALT_RETURN_IF_ERROR(from->Execute("PRAGMA locking_mode=EXCLUSIVE"));
  ALT_ASSIGN_OR_RETURN(const int64_t application, from->QueryInt("PRAGMA application_id"));
  if (application != kApplicationId) {
    return absl::FailedPreconditionError(absl::StrCat(path, " is a database of another program"));
  }
  ALT_ASSIGN_OR_RETURN(const auto to, SqliteDb::Open(fresh, ""));
  ALT_RETURN_IF_ERROR(to->Execute("PRAGMA synchronous=OFF"));  // synced as a whole at the end
  ALT_RETURN_IF_ERROR(CopyRows(from.get(), to.get(), damage));
  ALT_RETURN_IF_ERROR(PrepareSchema(to.get(), fresh));
  ALT_RETURN_IF_ERROR(DropBadRows(to.get(), report, damage));
  const absl::StatusOr<int64_t> lost = to->QueryInt("SELECT count(*) FROM facts WHERE name='lost'");
  if (lost.ok() && *lost > 0) damage->Add("acknowledged writes were missing");
  const absl::Status whole =
      ForEachRow(from.get(), "PRAGMA integrity_check", [&](SqliteStatement& row) {
        if (row.Text(0) != "ok") damage->Add(std::string(row.Text(0)));
        return absl::OkStatus();
      });
  if (!whole.ok()) damage->Add(std::string(whole.message()));
  ALT_RETURN_IF_ERROR(
      to->Execute("DELETE FROM facts WHERE name='lost';PRAGMA synchronous=FULL;VACUUM"));
  Damage left;
  ALT_RETURN_IF_ERROR(VerifyDatabase(to.get(), &left).status());
  if (left.count() == 0) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("what was recovered is not sound: ", left.Problems().front()));
}

}  // namespace

absl::StatusOr<RecoverReport> RecoverDatabase(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) {
    return absl::NotFoundError(absl::StrCat("there is no file ", path));
  }
  ALT_ASSIGN_OR_RETURN(const auto lock, base::LockFile::Take(path + ".lock"));
  const std::string kept = path + ".damaged";
  RecoverReport report;
  const std::string fresh = NewScratchFile(path);
  const absl::Status status = [&]() -> absl::Status {
    Damage damage;
    ALT_RETURN_IF_ERROR(Salvage(path, fresh, &report, &damage));
    report.problems = damage.Problems();
    if (damage.count() == 0) return absl::OkStatus();
    if (access(kept.c_str(), F_OK) == 0) {
      return absl::AlreadyExistsError(
          absl::StrCat(kept, " is there already, of an earlier time; move it away first"));
    }
    report.kept_as = kept;
    return TakePlace(fresh, path, kept);
  }();
  unlink(fresh.c_str());
  ALT_RETURN_IF_ERROR(status);
  return report;
}

}  // namespace alt::store
