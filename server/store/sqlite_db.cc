#include "server/store/sqlite_db.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::store {
namespace {

absl::StatusCode CodeOf(int error) {
  switch (error) {
    // No room (a limit on files or of a user, too: EFBIG, EDQUOT), or a disk that does not take it
    // now. Nothing of it counts until a sync, so that it may be tried again.
    case SQLITE_IOERR_WRITE:
    case SQLITE_IOERR_TRUNCATE:
      return absl::StatusCode::kResourceExhausted;
    default:
      break;
  }
  switch (error & 0xff) {
    case SQLITE_FULL:
    case SQLITE_NOMEM:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_CONSTRAINT:
      return absl::StatusCode::kAlreadyExists;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::StatusCode::kFailedPrecondition;
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return absl::StatusCode::kPermissionDenied;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_IOERR:
      return absl::StatusCode::kDataLoss;
    default:
      return absl::StatusCode::kInternal;
  }
}

}  // namespace

absl::Status SqliteError(sqlite3* db, absl::string_view what) {
  const int error = sqlite3_extended_errcode(db);
  std::string why = sqlite3_errmsg(db);
  if ((error & 0xff) == SQLITE_IOERR) {
    absl::StrAppend(&why, " (SQLite error ", error, ", errno ", sqlite3_system_errno(db), ")");
  }
  return absl::Status(CodeOf(error), absl::StrCat(what, ": ", why));
}

void SqliteStatement::BindRow(const SqliteStatement& row) {
  sqlite3_reset(statement_.get());
  const int columns = sqlite3_column_count(row.statement_.get());
  for (int i = 0; i < columns; ++i) {
    sqlite3_bind_value(statement_.get(), i + 1, sqlite3_column_value(row.statement_.get(), i));
  }
}

absl::StatusOr<bool> SqliteStatement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_.get());
    return false;
  }
  const absl::Status status =
      SqliteError(sqlite3_db_handle(statement_.get()), sqlite3_sql(statement_.get()));
  sqlite3_reset(statement_.get());
  return status;
}

absl::Status SqliteStatement::Run() {
  while (true) {
    ALT_ASSIGN_OR_RETURN(const bool row, Step());
    if (!row) return absl::OkStatus();
  }
}

int64_t SqliteStatement::Int(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  const bool number = type != SQLITE_TEXT && type != SQLITE_BLOB;
  return number ? sqlite3_column_int64(statement_.get(), column)
                : std::numeric_limits<int64_t>::min();
}

double SqliteStatement::Double(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  const bool number = type != SQLITE_TEXT && type != SQLITE_BLOB;
  return number ? sqlite3_column_double(statement_.get(), column)
                : std::numeric_limits<double>::quiet_NaN();
}

absl::string_view SqliteStatement::Text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  const int bytes = sqlite3_column_bytes(statement_.get(), column);
  return text ? absl::string_view(reinterpret_cast<const char*>(text), static_cast<size_t>(bytes))
              : absl::string_view();
}

std::optional<int64_t> SqliteStatement::OptionalInt(int column) const {
  if (IsNull(column)) return std::nullopt;
  return Int(column);
}

std::optional<double> SqliteStatement::OptionalDouble(int column) const {
  if (IsNull(column)) return std::nullopt;
  return Double(column);
}

absl::StatusOr<std::unique_ptr<SqliteDb>> SqliteDb::Open(const std::string& path,
                                                         const std::string& vfs) {
  sqlite3* db = nullptr;
  // One thread at a time uses it, so SQLite need not lock.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &db, flags, vfs.empty() ? nullptr : vfs.c_str());
  std::unique_ptr<SqliteDb> result(new SqliteDb(db));
  if (!db) return absl::ResourceExhaustedError(absl::StrCat("open ", path, ": out of memory"));
  if (code != SQLITE_OK) return SqliteError(db, absl::StrCat("open ", path));
  sqlite3_extended_result_codes(db, 1);
  return result;
}

absl::Status SqliteDb::Execute(const std::string& sql) {
  if (sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) {
    return absl::OkStatus();
  }
  return SqliteError(db_.get(), sql.substr(0, 60));
}

absl::StatusOr<SqliteStatement> SqliteDb::Prepare(absl::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(db_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return SqliteError(db_.get(), sql);
  return SqliteStatement(statement);
}

absl::StatusOr<int64_t> SqliteDb::QueryInt(absl::string_view sql) {
  ALT_ASSIGN_OR_RETURN(SqliteStatement statement, Prepare(sql));
  ALT_ASSIGN_OR_RETURN(const bool row, statement.Step());
  if (!row) return absl::InternalError(absl::StrCat("no row: ", sql));
  return statement.Int(0);
}

absl::StatusOr<std::string> SqliteDb::QueryText(absl::string_view sql) {
  ALT_ASSIGN_OR_RETURN(SqliteStatement statement, Prepare(sql));
  ALT_ASSIGN_OR_RETURN(const bool row, statement.Step());
  if (!row) return absl::InternalError(absl::StrCat("no row: ", sql));
  return std::string(statement.Text(0));
}

}  // namespace alt::store
