#include "common/base/scratch_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace alt::base {
namespace {

UniqueFd OpenFolder(const std::string& path) {
  return UniqueFd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool Lock(int fd, int mode) {
  while (flock(fd, mode) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

void Remove(const std::string& path) {
  std::error_code ignored;  // nobody is left to tell
  std::filesystem::remove_all(path, ignored);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ScratchFolder>> ScratchFolder::Create(const std::string& parent,
                                                                     absl::string_view prefix) {
  while (true) {
    std::string path = absl::StrCat(parent, "/", prefix, "XXXXXX");
    if (mkdtemp(path.data()) == nullptr) {
      return absl::ErrnoToStatus(errno, absl::StrCat("make a folder in ", parent));
    }
    UniqueFd lock = OpenFolder(path);
    if (!lock.valid() && errno != ENOENT) {
      const int error = errno;
      rmdir(path.c_str());
      return absl::ErrnoToStatus(error, absl::StrCat("open ", path));
    }
    struct stat info = {};
    // A sweep that came before the lock has removed it: the next one will do.
    if (!lock.valid() || !Lock(lock.get(), LOCK_SH) || fstat(lock.get(), &info) != 0 ||
        info.st_nlink == 0) {
      continue;
    }
    return std::unique_ptr<ScratchFolder>(new ScratchFolder(std::move(path), std::move(lock)));
  }
}

ScratchFolder::~ScratchFolder() { Remove(path_); }

std::string ScratchFolder::File(absl::string_view name) const {
  return absl::StrCat(path_, "/", name);
}

int SweepScratchFolders(const std::string& parent, absl::string_view prefix) {
  int swept = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it(parent, error), end; !error && it != end;
       it.increment(error)) {
    if (!absl::StartsWith(it->path().filename().string(), prefix)) continue;
    const UniqueFd folder = OpenFolder(it->path());
    struct stat info = {};
    if (!folder.valid() || fstat(folder.get(), &info) != 0 || info.st_uid != geteuid()) continue;
    if (!Lock(folder.get(), LOCK_EX | LOCK_NB)) continue;
    Remove(it->path());
    ++swept;
  }
  return swept;
}

}  // namespace alt::base
