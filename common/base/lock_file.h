// A file that one process at a time holds, and that says who. It guards what cannot be shared, such
// as a database, and tells the others where to ask instead.
//
// The lock is an open-file-description lock: it goes with the process, also by kill -9, so a stale
// one does not exist. The file itself stays. Its contents are one JSON object of fixed width,
//   {"pid": 812, "host": "head01", "address": "unix:/run/alt.sock"}
// where address is empty until the holder has opened its ports.
#ifndef COMMON_BASE_LOCK_FILE_H_
#define COMMON_BASE_LOCK_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/unique_fd.h"

namespace alt::base {

struct LockHolder {
  int64_t pid = 0;
  std::string host;
  std::string address;

  // "pid 812 on head01 at unix:/run/alt.sock"
  std::string ToString() const;
};

// Holds the lock while it lives. One thread at a time.
class LockFile {
 public:
  // FailedPrecondition names the holder when there is one.
  static absl::StatusOr<std::unique_ptr<LockFile>> Take(const std::string& path);
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;
  ~LockFile();

  // InvalidArgument when it does not fit.
  absl::Status SetAddress(absl::string_view address);

 private:
  LockFile(UniqueFd fd, LockHolder self) : fd_(std::move(fd)), self_(std::move(self)) {}
  absl::Status Write();

  UniqueFd fd_;
  LockHolder self_;
};

// Who holds the lock. NotFound when nobody does; Unavailable when the holder has not yet written
// who it is. Takes no lock itself, so it disturbs nobody.
absl::StatusOr<LockHolder> ReadLockHolder(const std::string& path);

}  // namespace alt::base

#endif  // COMMON_BASE_LOCK_FILE_H_
