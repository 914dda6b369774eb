#include "tests/server/store/faulty_vfs.h"

#include <sqlite3.h>

#include <new>

#include "common/base/check.h"

namespace alt::store {
namespace {

FaultyVfs* g_vfs = nullptr;
sqlite3_vfs* g_real = nullptr;

// Ours, with the real file behind it in the same block.
struct File {
  sqlite3_file base;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
File* Ours(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
sqlite3_file* Real(sqlite3_file* file) { return Ours(file)->real(); }

int Close(sqlite3_file* f) { return Real(f)->pMethods->xClose(Real(f)); }
int Read(sqlite3_file* f, void* data, int n, sqlite3_int64 at) {
  return Real(f)->pMethods->xRead(Real(f), data, n, at);
}
int Write(sqlite3_file* f, const void* data, int n, sqlite3_int64 at) {
  if (g_vfs->disk_full) return SQLITE_FULL;
  if (g_vfs->fail_write) return SQLITE_IOERR_WRITE;
  return Real(f)->pMethods->xWrite(Real(f), data, n, at);
}
int Truncate(sqlite3_file* f, sqlite3_int64 n) { return Real(f)->pMethods->xTruncate(Real(f), n); }
int Sync(sqlite3_file* f, int flags) {
  if (g_vfs->fail_sync) return SQLITE_IOERR_FSYNC;
  ++g_vfs->syncs;
  return Real(f)->pMethods->xSync(Real(f), flags);
}
int FileSize(sqlite3_file* f, sqlite3_int64* n) { return Real(f)->pMethods->xFileSize(Real(f), n); }
int Lock(sqlite3_file* f, int level) { return Real(f)->pMethods->xLock(Real(f), level); }
int Unlock(sqlite3_file* f, int level) { return Real(f)->pMethods->xUnlock(Real(f), level); }
int CheckReservedLock(sqlite3_file* f, int* out) {
  return Real(f)->pMethods->xCheckReservedLock(Real(f), out);
}
int FileControl(sqlite3_file* f, int op, void* arg) {
  return Real(f)->pMethods->xFileControl(Real(f), op, arg);
}
int SectorSize(sqlite3_file* f) { return Real(f)->pMethods->xSectorSize(Real(f)); }
int Device(sqlite3_file* f) { return Real(f)->pMethods->xDeviceCharacteristics(Real(f)); }

// Version 1: no shared memory, which exclusive mode does without.
const sqlite3_io_methods kMethods = {1,           Close,      Read,    Write,   Truncate,
                                     Sync,        FileSize,   Lock,    Unlock,  CheckReservedLock,
                                     FileControl, SectorSize, Device,  nullptr, nullptr,
                                     nullptr,     nullptr,    nullptr, nullptr};

int Open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  const int code = g_real->xOpen(g_real, name, Real(file), flags, out_flags);
  if (code == SQLITE_OK) file->pMethods = &kMethods;
  return code;
}

}  // namespace

FaultyVfs& GetFaultyVfs() {
  if (g_vfs) return *g_vfs;
  g_vfs = new FaultyVfs;
  g_vfs->name = "faulty";
  g_real = sqlite3_vfs_find(nullptr);
  // Never freed: SQLite keeps it.
  auto* ours = new sqlite3_vfs(*g_real);
  ours->zName = "faulty";
  ours->szOsFile = static_cast<int>(sizeof(File)) + g_real->szOsFile;
  ours->xOpen = Open;
  ALT_CHECK_EQ(sqlite3_vfs_register(ours, 0), SQLITE_OK);
  return *g_vfs;
}

}  // namespace alt::store
