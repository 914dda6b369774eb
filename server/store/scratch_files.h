// Short-lived copies of a database, next to it.
#ifndef SERVER_STORE_SCRATCH_FILES_H_
#define SERVER_STORE_SCRATCH_FILES_H_

#include <string>

namespace alt::store {

// A fresh name for a copy of this process: `db`.copy-PID-NUMBER.
std::string NewScratchFile(const std::string& db);

// Removes the copies that processes before this one were broken off at. For who holds the lock of
// the database.
void RemoveScratchFiles(const std::string& db);

}  // namespace alt::store

#endif  // SERVER_STORE_SCRATCH_FILES_H_
