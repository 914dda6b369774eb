// Reading all rows of a table although pages of it may be damaged.
#ifndef SERVER_STORE_TABLE_SCAN_H_
#define SERVER_STORE_TABLE_SCAN_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/store/damage.h"
#include "server/store/sqlite_db.h"

namespace alt::store {

// Visits the rows of `table` in the order of `key`, an integer column that is its primary key.
// Where SQLite finds a page malformed, the rows that cannot be reached are passed over and one
// sentence says so in `damage`. `columns` begin with the key. Other errors end the scan.
absl::Status ScanTable(SqliteDb* db, absl::string_view table, absl::string_view key,
                       absl::string_view columns, Damage* damage,
                       absl::FunctionRef<void(SqliteStatement&)> visit);

// Visits all rows of a query; ends at the first error.
absl::Status ForEachRow(SqliteDb* db, absl::string_view sql,
                        absl::FunctionRef<absl::Status(SqliteStatement&)> visit);

}  // namespace alt::store

#endif  // SERVER_STORE_TABLE_SCAN_H_
