// Owners and error codes for SQLite's C interface; its types are not seen outside server/store.
#ifndef SERVER_STORE_SQLITE_DB_H_
#define SERVER_STORE_SQLITE_DB_H_

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace alt::store {

// A prepared statement, used again and again:
//
//   statement.Bind(id, text);
//   while (true) {
//     ALT_ASSIGN_OR_RETURN(const bool row, statement.Step());
//     if (!row) break;
//     ... statement.Int(0) ...
//   }
class SqliteStatement {
 public:
  explicit SqliteStatement(sqlite3_stmt* statement = nullptr) : statement_(statement) {}

  // Starts anew with these values for ?1, ?2, ...: int64_t, double, text or optionals of them. Text
  // must live until the last Step.
  template <typename... Values>
  SqliteStatement& Bind(const Values&... values) {
    sqlite3_reset(statement_.get());
    [[maybe_unused]] int place = 0;
    (BindOne(++place, values), ...);
    return *this;
  }
  // Starts anew with the values of a row of another statement, as they are.
  void BindRow(const SqliteStatement& row);
  // True: there is a row.
  absl::StatusOr<bool> Step();
  // To the end, without looking at rows.
  absl::Status Run();

  // A text where a number belongs reads as one that nobody stores, so that a checksum finds it.
  int64_t Int(int column) const;
  double Double(int column) const;
  // Until the next Step or Bind.
  absl::string_view Text(int column) const;
  bool IsNull(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }
  std::optional<int64_t> OptionalInt(int column) const;
  std::optional<double> OptionalDouble(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };

  // Binding fails only when SQLite is out of memory or the place does not exist; Step then says so.
  void BindOne(int place, int64_t value) { sqlite3_bind_int64(statement_.get(), place, value); }
  void BindOne(int place, double value) { sqlite3_bind_double(statement_.get(), place, value); }
  void BindOne(int place, absl::string_view text) {
    sqlite3_bind_text64(statement_.get(), place, text.data() ? text.data() : "", text.size(),
                        SQLITE_STATIC, SQLITE_UTF8);
  }
  void BindOne(int place, const std::string& text) { BindOne(place, absl::string_view(text)); }
  template <typename T>
  void BindOne(int place, const std::optional<T>& value) {
    value ? BindOne(place, *value) : (void)sqlite3_bind_null(statement_.get(), place);
  }

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// One connection. One thread at a time.
class SqliteDb {
 public:
  // Creates the file when there is none. `vfs` names a file layer of SQLite; "" is the usual one.
  static absl::StatusOr<std::unique_ptr<SqliteDb>> Open(const std::string& path,
                                                        const std::string& vfs);

  // Several statements, no values, no rows.
  absl::Status Execute(const std::string& sql);
  absl::StatusOr<SqliteStatement> Prepare(absl::string_view sql);
  // The number in the only row.
  absl::StatusOr<int64_t> QueryInt(absl::string_view sql);
  absl::StatusOr<std::string> QueryText(absl::string_view sql);

  // Rows that the last insert, update or delete changed.
  int64_t changes() const { return sqlite3_changes64(db_.get()); }
  int64_t last_insert_rowid() const { return sqlite3_last_insert_rowid(db_.get()); }
  bool in_transaction() const { return sqlite3_get_autocommit(db_.get()) == 0; }
  sqlite3* handle() { return db_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  explicit SqliteDb(sqlite3* db) : db_(db) {}

  std::unique_ptr<sqlite3, Close> db_;
};

// The last error of a connection:
//   ResourceExhausted   disk or memory is full, or the disk refuses a write
//   AlreadyExists       a constraint
//   FailedPrecondition  somebody else uses the file
//   PermissionDenied    may not be read or written
//   DataLoss            the file is damaged or the disk fails
absl::Status SqliteError(sqlite3* db, absl::string_view what);

}  // namespace alt::store

#endif  // SERVER_STORE_SQLITE_DB_H_
