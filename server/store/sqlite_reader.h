// Rows -> what the store answers from.
#ifndef SERVER_STORE_SQLITE_READER_H_
#define SERVER_STORE_SQLITE_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/store/damage.h"
#include "server/store/sqlite_db.h"
#include "server/store/store_index.h"
#include "server/store/tuning_store.h"

namespace alt::store {

// A row that is not used, since it or what it refers to is damaged.
struct BadRow {
  std::string table;
  int64_t key = 0;  // of results, champions and deletions the sequence number
  // The row itself is sound: what it refers to is not there.
  bool orphan = false;
};

struct Loaded {
  Damage damage;
  std::vector<BadRow> bad;
  int64_t last_sequence = 0;  // of any row, also of those that no query sees
};

// Fills an empty index with every row that is sound and refers to sound ones. Fails only where
// SQLite cannot read the file at all.
absl::StatusOr<Loaded> LoadIndex(SqliteDb* db, StoreIndex* index);

// The log of job `number`; empty when there is no such job. DataLoss names what is damaged.
absl::StatusOr<JobLog> LoadLog(SqliteDb* db, int64_t number);

// How many events of job `number`'s log are sound, from the first on; `damage` says what ends them.
int64_t CountEvents(SqliteDb* db, int64_t number, Damage* damage);

// Tells of events whose job is not there.
absl::Status FindStrayEvents(SqliteDb* db, Damage* damage);

// Checks the file, every row in it, and the logs of all jobs. Gives the number of sound records.
absl::StatusOr<int64_t> VerifyDatabase(SqliteDb* db, Damage* damage);

}  // namespace alt::store

#endif  // SERVER_STORE_SQLITE_READER_H_
