#include "common/base/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::base {
namespace {

// A name in the same directory that no other thread or process uses.
std::string TemporaryName(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return absl::StrCat(path, ".tmp.", getpid(), ".", counter.fetch_add(1));
}

absl::Status SyncDirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  UniqueFd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || fsync(fd.get()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("sync directory ", directory));
  }
  return absl::OkStatus();
}

absl::Status WriteAndSync(const std::string& path, absl::string_view contents) {
  UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("create ", path));
  ALT_RETURN_IF_ERROR(Annotate(WriteAll(fd.get(), contents), path));
  if (fsync(fd.get()) != 0) return absl::ErrnoToStatus(errno, absl::StrCat("sync ", path));
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteAll(int fd, absl::string_view data) {
  while (!data.empty()) {
    const ssize_t written = write(fd, data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return absl::ErrnoToStatus(errno, "write");
    data.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadAll(int fd, size_t limit_bytes) {
  std::string out;
  char buffer[1 << 16];
  while (true) {
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return absl::ErrnoToStatus(errno, "read");
    if (got == 0) return out;
    if (out.size() + static_cast<size_t>(got) > limit_bytes) {
      return absl::OutOfRangeError(absl::StrCat("read: more than ", limit_bytes, " bytes"));
    }
    out.append(buffer, static_cast<size_t>(got));
  }
}

absl::StatusOr<UniqueFd> MemoryFile(const std::string& name, absl::string_view contents) {
  UniqueFd fd(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("memfd_create ", name));
  ALT_RETURN_IF_ERROR(Annotate(WriteAll(fd.get(), contents), name));
  if (fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("seal ", name));
  }
  return fd;
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  absl::StatusOr<std::string> contents = ReadAll(fd.get(), std::numeric_limits<size_t>::max());
  if (!contents.ok()) return Annotate(contents.status(), path);
  return contents;
}

absl::Status WriteFileAtomically(const std::string& path, absl::string_view contents) {
  const std::string temporary = TemporaryName(path);
  absl::Status status = WriteAndSync(temporary, contents);
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) {
    status = absl::ErrnoToStatus(errno, absl::StrCat("rename ", temporary, " to ", path));
  }
  if (!status.ok()) {
    unlink(temporary.c_str());
    return status;
  }
  return SyncDirectoryOf(path);
}

}  // namespace alt::base
