// A file layer of SQLite that passes everything on to the usual one until it is told to fail.
#ifndef TESTS_SERVER_STORE_FAULTY_VFS_H_
#define TESTS_SERVER_STORE_FAULTY_VFS_H_

#include <atomic>
#include <string>

namespace alt::store {

struct FaultyVfs {
  std::string name;                     // for SqliteStoreOptions::vfs
  std::atomic<bool> fail_sync{false};   // fsync: EIO
  std::atomic<bool> disk_full{false};   // write: ENOSPC
  std::atomic<bool> fail_write{false};  // write: EFBIG
  std::atomic<int> syncs{0};            // successful so far
};

// Registered with SQLite once for the process; flags are off.
FaultyVfs& GetFaultyVfs();

}  // namespace alt::store

#endif  // TESTS_SERVER_STORE_FAULTY_VFS_H_
