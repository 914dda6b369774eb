#ifndef SERVER_STORE_FILE_SYSTEM_H_
#define SERVER_STORE_FILE_SYSTEM_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace alt::store {

// FailedPrecondition when the file (or, when it does not exist, its folder) is on a network file
// system: their locks and syncs do not keep the promises that a database needs.
absl::Status CheckLocalFileSystem(const std::string& path);

// "nfs" for the magic number that statfs gives; "" for what is not a network file system.
absl::string_view NetworkFileSystemName(int64_t magic);

}  // namespace alt::store

#endif  // SERVER_STORE_FILE_SYSTEM_H_
