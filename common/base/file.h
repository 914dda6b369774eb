// Whole files. Errors carry the path and the system's reason.
#ifndef COMMON_BASE_FILE_H_
#define COMMON_BASE_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/unique_fd.h"

namespace alt::base {

// NotFound when there is no such file.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Readers see the old contents or the new ones, never a part, also after a power cut: written
// beside the target, synced, renamed over it. A new file has mode 0666 less the umask.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view contents);

// A file of these contents, which nobody can change, in memory alone, read and mapped as
// /proc/self/fd/<number>: also where every folder that we may write to is mounted noexec. `name` is
// for people.
absl::StatusOr<UniqueFd> MemoryFile(const std::string& name, absl::string_view contents);

// Writes all of `data` to a descriptor, through short writes and interruptions.
absl::Status WriteAll(int fd, absl::string_view data);

// Reads to the end of the file; OutOfRange past `limit_bytes`.
absl::StatusOr<std::string> ReadAll(int fd, size_t limit_bytes);

}  // namespace alt::base

#endif  // COMMON_BASE_FILE_H_
