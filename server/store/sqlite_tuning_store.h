#ifndef SERVER_STORE_SQLITE_TUNING_STORE_H_
#define SERVER_STORE_SQLITE_TUNING_STORE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/store/tuning_store.h"

namespace alt::store {

struct SqliteStoreOptions {
  std::string path;
  // Batches that wait to be written; more are refused.
  int64_t max_queued = 4096;
  // Batches of one transaction. While it is synced the next ones gather, so that no timer is
  // needed.
  int64_t max_group = 128;
  // For tests: a file layer of SQLite by name, and a limit after which the disk counts as full.
  std::string vfs;
  int64_t max_pages = 0;  // 0: none
};

// Opens a database file or makes one, and holds base::LockFile `path`.lock. One thread of the store
// writes, over the file's one connection, in exclusive mode with a write-ahead log that is synced
// at every commit; a batch is acknowledged after that. Destruction writes what is queued first.
//   FailedPrecondition  held by another process (names pid, host and address), on a network file
//                       system, or a database of another program
//   Unimplemented       made by a newer program; names both versions
//   DataLoss            damaged
absl::StatusOr<std::unique_ptr<TuningStore>> OpenSqliteTuningStore(SqliteStoreOptions options);

}  // namespace alt::store

#endif  // SERVER_STORE_SQLITE_TUNING_STORE_H_
