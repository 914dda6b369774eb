// Short-lived copies of a database, next to it.
#ifndef SERVER_STORE_SCRATCH_FILES_H_
#define SERVER_STORE_SCRATCH_FILES_H_

#include <string>

namespace alt::store {

// What the names of this process's copies begin with: `db`.copy-PID-, then a number.
std::string ScratchPrefix(const std::string& db);

// Removes the copies that processes before this one were broken off at. For who holds the lock of
// the database.
void RemoveScratchFiles(const std::string& db);

}  // namespace alt::store

#endif  // SERVER_STORE_SCRATCH_FILES_H_
