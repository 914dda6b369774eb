// Rows -> what the store answers from.
#ifndef SERVER_STORE_SQLITE_READER_H_
#define SERVER_STORE_SQLITE_READER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/store/sqlite_db.h"
#include "server/store/store_index.h"
#include "server/store/tuning_store.h"

namespace alt::store {

// Fills an empty index. DataLoss names the first damaged row.
absl::Status LoadIndex(SqliteDb* db, StoreIndex* index);

// The largest sequence number of any row, also of results that no query sees.
absl::StatusOr<int64_t> LastStoredSequence(SqliteDb* db);

// The log of job `number`; empty when there is no such job.
absl::StatusOr<JobLog> LoadLog(SqliteDb* db, int64_t number);

// Checks the file and every row in it.
absl::StatusOr<job::VerifyReport> VerifyDatabase(SqliteDb* db);

}  // namespace alt::store

#endif  // SERVER_STORE_SQLITE_READER_H_
