// The tables of the database, and how an older one is brought up to date.
#ifndef SERVER_STORE_SCHEMA_H_
#define SERVER_STORE_SCHEMA_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "server/store/sqlite_db.h"

namespace alt::store {

// Stored as PRAGMA user_version.
inline constexpr int64_t kSchemaVersion = 2;
// Stored as PRAGMA application_id: "ALT1".
inline constexpr int64_t kApplicationId = 0x414c5431;

// The tables, with their meaning.
extern const char kSchemaSql[];

// Brings a database from version `from` to `from` + 1.
struct Migration {
  int64_t from = 0;
  const char* sql = nullptr;
};

// Makes the tables in an empty file, or runs the migrations that are missing: each in a
// transaction, after a copy of the file as it was to `path`.v<version>.
//   Unimplemented       the database is newer than this program; names both versions
//   FailedPrecondition  a database of something else
absl::Status PrepareSchema(SqliteDb* db, const std::string& path);
// The same for any list, for tests.
absl::Status PrepareSchema(SqliteDb* db, const std::string& path, int64_t version,
                           absl::Span<const Migration> migrations);

// A copy that is kept is on the disk when it is made.
enum class CopyLife : uint8_t { kKept, kShort };
// Copies the database into a new file, which afterwards is one file without a log. `between` runs
// every few megabytes; other work of the same thread or under the same lock may then use `db`.
absl::Status CopyDatabase(SqliteDb* db, const std::string& path, CopyLife life,
                          absl::FunctionRef<void()> between);

}  // namespace alt::store

#endif  // SERVER_STORE_SCHEMA_H_
