// How far a database has been acknowledged, kept beside it.
//
// A write-ahead log that is cut short or damaged is no error for SQLite: it takes what is whole and
// forgets the rest. Only somebody else can tell that more had been acknowledged. The mark is one
// line of fixed width in `db`.mark,
//   id commits sequence checksum
// hexadecimal, 16 digits each, overwritten in place after every commit: that needs no room on a
// full disk, and no sync is waited for. A power cut can therefore make it older than the database,
// which then tells of less, but never newer.
#ifndef SERVER_STORE_COMMIT_MARK_H_
#define SERVER_STORE_COMMIT_MARK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/unique_fd.h"

namespace alt::store {

// One thread at a time.
class CommitMark {
 public:
  struct Value {
    int64_t id = 0;        // of the database
    int64_t commits = 0;   // acknowledged
    int64_t sequence = 0;  // last one acknowledged
    friend bool operator==(const Value&, const Value&) = default;
  };

  // Makes the file when there is none.
  static absl::StatusOr<CommitMark> Open(const std::string& db);

  // None when nothing (or nothing readable) was written.
  std::optional<Value> Read() const;
  absl::Status Write(const Value& value);

 private:
  explicit CommitMark(base::UniqueFd fd, std::string path)
      : fd_(std::move(fd)), path_(std::move(path)) {}

  base::UniqueFd fd_;
  std::string path_;
};

}  // namespace alt::store

#endif  // SERVER_STORE_COMMIT_MARK_H_
