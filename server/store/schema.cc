#include "server/store/schema.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "server/store/sqlite_rows.h"

namespace alt::store {

// Times are microseconds since 1970, lists and options are fields as in text_fields.h. `checksum`
// is over the other columns (checksum.h, sqlite_rows.cc).
const char kSchemaSql[] = R"sql(
CREATE TABLE facts(              -- about the file
  name TEXT PRIMARY KEY,         -- epoch: how often it has been opened; id: drawn when made;
                                 -- commits: transactions; lost: acknowledged ones that are missing
  value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE workloads(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE,     -- canonical
  checksum INTEGER NOT NULL);
CREATE TABLE targets(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE,     -- canonical
  checksum INTEGER NOT NULL);
CREATE TABLE validators(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE,     -- fields
  checksum INTEGER NOT NULL);
CREATE TABLE records(            -- one for each workload, target and candidate
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,      -- 16 hex digits, a hash of the three
  workload INTEGER NOT NULL REFERENCES workloads(id),
  target INTEGER NOT NULL REFERENCES targets(id),
  candidate TEXT NOT NULL,       -- canonical
  checksum INTEGER NOT NULL);
CREATE TABLE results(            -- one for each measurement
  sequence INTEGER PRIMARY KEY,  -- one count with champions
  record INTEGER REFERENCES records(id),  -- NULL: of a baseline or finalist
  job TEXT NOT NULL,             -- "" for none
  batch INTEGER,                 -- place in the job's log; NULL: made by a champion
  place INTEGER,
  trial INTEGER NOT NULL,        -- from 1; 0 for no trial
  worker TEXT NOT NULL,
  time INTEGER NOT NULL,
  active INTEGER NOT NULL,       -- microseconds that the job had run
  cache INTEGER NOT NULL,        -- 0 warm, 1 rotate, 2 cold
  validators INTEGER NOT NULL REFERENCES validators(id),
  outcome TEXT NOT NULL,
  message TEXT NOT NULL,
  min_ns REAL, median_ns REAL, mad_ns REAL, n INTEGER,  -- NULL but for OK
  censored INTEGER NOT NULL,
  disturbed INTEGER NOT NULL,
  peak_gflops REAL,
  code_bytes INTEGER NOT NULL, vector_fmas INTEGER NOT NULL, vector_loads INTEGER NOT NULL,
  spills INTEGER NOT NULL, inner_loop_spills INTEGER NOT NULL, workspace_bytes INTEGER NOT NULL,
  build_s REAL NOT NULL, check_s REAL NOT NULL, run_s REAL NOT NULL, wait_s REAL NOT NULL,
  checksum INTEGER NOT NULL);
CREATE UNIQUE INDEX results_by_place ON results(job, batch, place) WHERE batch IS NOT NULL;
CREATE TABLE champions(          -- every verdict of finalists; which one counts follows from all
  sequence INTEGER PRIMARY KEY,
  record INTEGER NOT NULL REFERENCES records(id),
  cache INTEGER NOT NULL,
  fixed_layouts TEXT NOT NULL,   -- "a=plain,b=split(1,16)"; "" for none
  incumbent TEXT NOT NULL,       -- key of the champion that took part; "" for none
  job TEXT NOT NULL,
  time INTEGER NOT NULL,
  min_ns REAL NOT NULL, median_ns REAL NOT NULL, mad_ns REAL NOT NULL, n INTEGER NOT NULL,
  peak_gflops REAL, peak_share REAL,
  validators INTEGER REFERENCES validators(id),  -- NULL: of version 1, not known
  checksum INTEGER NOT NULL);
CREATE TABLE deletions(          -- what was measured of a record until then no longer counts
  sequence INTEGER PRIMARY KEY,  -- one count with results and champions
  record INTEGER NOT NULL REFERENCES records(id),
  checksum INTEGER NOT NULL);
CREATE TABLE jobs(
  number INTEGER PRIMARY KEY,    -- 12 for j12
  request TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  created INTEGER NOT NULL,
  finished INTEGER,
  active INTEGER NOT NULL,       -- microseconds of running
  spec TEXT NOT NULL,            -- fields
  start TEXT,                    -- fields; NULL until it first runs
  progress TEXT NOT NULL,        -- fields
  checksum INTEGER NOT NULL);
CREATE TABLE job_log(            -- what the tuner was told and proposed, in order
  job INTEGER NOT NULL REFERENCES jobs(number),
  number INTEGER NOT NULL,       -- from 0
  event TEXT NOT NULL,           -- fields
  checksum INTEGER NOT NULL,
  PRIMARY KEY(job, number)) WITHOUT ROWID;
)sql";

namespace {

// Checksums of rows whose columns are older than the new ones stay as they are: absent values do
// not enter them.
constexpr Migration kMigrations[] = {
    {1, R"sql(
ALTER TABLE workloads ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE workloads SET checksum=alt_checksum(id,text);
ALTER TABLE targets ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE targets SET checksum=alt_checksum(id,text);
ALTER TABLE validators ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE validators SET checksum=alt_checksum(id,text);
ALTER TABLE results ADD COLUMN disturbed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE champions RENAME COLUMN restriction TO fixed_layouts;
ALTER TABLE champions ADD COLUMN validators INTEGER REFERENCES validators(id);
CREATE TABLE deletions(
  sequence INTEGER PRIMARY KEY,
  record INTEGER NOT NULL REFERENCES records(id),
  checksum INTEGER NOT NULL);
)sql"},
};

// alt_checksum(id, text), for migrations.
void TextChecksumFunction(sqlite3_context* context, int, sqlite3_value** values) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[1]));
  const auto bytes = static_cast<size_t>(sqlite3_value_bytes(values[1]));
  sqlite3_result_int64(context, TextChecksum(sqlite3_value_int64(values[0]),
                                             absl::string_view(text ? text : "", bytes)));
}

absl::Status InTransaction(SqliteDb* db, const std::string& sql) {
  ALT_RETURN_IF_ERROR(db->Execute("BEGIN IMMEDIATE"));
  const absl::Status status = db->Execute(sql);
  if (status.ok()) return db->Execute("COMMIT");
  db->Execute("ROLLBACK").IgnoreError();
  return status;
}

std::string SetVersions(int64_t version) {
  return absl::StrCat(";PRAGMA application_id=", kApplicationId, ";PRAGMA user_version=", version);
}

absl::Status CopyInto(SqliteDb* db, const std::string& path, CopyLife life,
                      absl::FunctionRef<void()> between) {
  constexpr int kPagesAStep = 1024;
  ALT_ASSIGN_OR_RETURN(auto copy, SqliteDb::Open(path, ""));
  ALT_RETURN_IF_ERROR(copy->Execute(life == CopyLife::kKept ? "PRAGMA synchronous=FULL"
                                                            : "PRAGMA synchronous=OFF"));
  sqlite3_backup* backup = sqlite3_backup_init(copy->handle(), "main", db->handle(), "main");
  if (!backup) return SqliteError(copy->handle(), absl::StrCat("copy to ", path));
  while (sqlite3_backup_step(backup, kPagesAStep) == SQLITE_OK) between();
  if (sqlite3_backup_finish(backup) != SQLITE_OK) {
    return SqliteError(copy->handle(), absl::StrCat("copy to ", path));
  }
  // The copy says that it has a log beside it, as the source does.
  return copy->QueryText("PRAGMA journal_mode=DELETE").status();
}

}  // namespace

absl::Status PrepareSchema(SqliteDb* db, const std::string& path) {
  return PrepareSchema(db, path, kSchemaVersion, kMigrations);
}

absl::Status PrepareSchema(SqliteDb* db, const std::string& path, int64_t version,
                           absl::Span<const Migration> migrations) {
  ALT_ASSIGN_OR_RETURN(const int64_t application, db->QueryInt("PRAGMA application_id"));
  ALT_ASSIGN_OR_RETURN(int64_t found, db->QueryInt("PRAGMA user_version"));
  ALT_ASSIGN_OR_RETURN(const int64_t tables, db->QueryInt("SELECT count(*) FROM sqlite_master"));
  if (application == 0 && tables == 0) return InTransaction(db, kSchemaSql + SetVersions(version));
  if (application != kApplicationId) {
    return absl::FailedPreconditionError(absl::StrCat(path, " is a database of another program"));
  }
  if (found > version) {
    return absl::UnimplementedError(absl::StrCat(path, " has schema version ", found,
                                                 ", this program knows versions up to ", version,
                                                 "; use a newer one"));
  }
  if (found < version) {
    sqlite3_create_function(db->handle(), "alt_checksum", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                            nullptr, TextChecksumFunction, nullptr, nullptr);
    const std::string copy = absl::StrCat(path, ".v", found);
    ALT_LOG(INFO) << path << ": schema version " << found << " becomes " << version
                  << ", the old file is kept as " << copy;
    unlink(copy.c_str());  // of a migration that did not come to its end
    ALT_RETURN_IF_ERROR(CopyDatabase(db, copy, CopyLife::kKept, [] {}));
  }
  for (const Migration& migration : migrations) {
    if (migration.from != found) continue;
    ALT_RETURN_IF_ERROR(InTransaction(db, migration.sql + SetVersions(++found)));
  }
  if (found == version) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("no migration of ", path, " from version ", found));
}

absl::Status CopyDatabase(SqliteDb* db, const std::string& path, CopyLife life,
                          absl::FunctionRef<void()> between) {
  if (access(path.c_str(), F_OK) == 0) {
    return absl::AlreadyExistsError(absl::StrCat(path, " exists"));
  }
  const absl::Status status = CopyInto(db, path, life, between);
  if (!status.ok()) unlink(path.c_str());
  return status;
}

}  // namespace alt::store
