// Mutations -> rows, inside a transaction that the caller holds.
#ifndef SERVER_STORE_SQLITE_WRITER_H_
#define SERVER_STORE_SQLITE_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/store/sqlite_db.h"
#include "server/store/sqlite_rows.h"
#include "server/store/tuning_store.h"

namespace alt::store {

// One thread at a time.
class SqliteWriter {
 public:
  static absl::StatusOr<std::unique_ptr<SqliteWriter>> Create(SqliteDb* db);

  // Writes one mutation under the sequence numbers from `sequence` on; `row` is then that of its
  // record, if it has one. False: it was stored before, nothing is written. On an error the caller
  // rolls back and calls RolledBack.
  absl::StatusOr<bool> Write(const Mutation& mutation, int64_t sequence, int64_t* row);

  // Rows written since an unknown time are gone: forget the numbers that they had.
  void RolledBack();

 private:
  // A table of texts and the numbers that they have there.
  struct TextTable {
    SqliteStatement select, insert, set_aside;
    absl::flat_hash_map<std::string, int64_t> numbers;
  };

  explicit SqliteWriter(SqliteDb* db) : db_(db) {}
  absl::Status Prepare();
  absl::Status PrepareTexts(absl::string_view table, TextTable* texts);

  absl::StatusOr<int64_t> Number(TextTable* texts, const std::string& text);
  // The row of a record, which is made when there is none that is sound; `made` says so.
  absl::StatusOr<int64_t> Record(const RecordKey& key, bool* made);
  absl::Status Insert(const ResultRow& row);
  absl::StatusOr<bool> WriteOne(const AddResult& m, int64_t sequence, int64_t* row);
  absl::StatusOr<bool> WriteOne(const CreateJob& m, int64_t, int64_t*);
  absl::StatusOr<bool> WriteOne(const UpdateJob& m, int64_t, int64_t*);
  absl::StatusOr<bool> WriteOne(const AppendLog& m, int64_t, int64_t*);
  absl::StatusOr<bool> WriteOne(const PutChampion& m, int64_t sequence, int64_t* row);
  absl::StatusOr<bool> WriteOne(const DeleteRecord& m, int64_t sequence, int64_t*);

  SqliteDb* const db_;
  TextTable workloads_, targets_, validators_;
  SqliteStatement find_record_, insert_record_, mend_record_;
  SqliteStatement find_result_, insert_result_, insert_champion_, insert_deletion_;
  SqliteStatement insert_job_, find_job_, update_job_, insert_log_, log_size_;
};

}  // namespace alt::store

#endif  // SERVER_STORE_SQLITE_WRITER_H_
