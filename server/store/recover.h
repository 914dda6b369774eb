// A clean database out of a damaged one.
#ifndef SERVER_STORE_RECOVER_H_
#define SERVER_STORE_RECOVER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace alt::store {

struct RecoverReport {
  std::vector<std::string> problems;  // when there were none, the file stays as it is
  int64_t records = 0, jobs = 0;      // that the database has now
  std::string kept_as;                // the file as it was; "" when nothing was wrong
};

// Copies every row that is sound, and refers to sound ones, into a new file that takes the place of
// `path`, which is kept as `path`.damaged. Nobody else may have it open: its lock is taken.
//   FailedPrecondition  held by another process
//   AlreadyExists       there is a `path`.damaged
//   DataLoss            not even its tables can be found
absl::StatusOr<RecoverReport> RecoverDatabase(const std::string& path);

}  // namespace alt::store

#endif  // SERVER_STORE_RECOVER_H_
